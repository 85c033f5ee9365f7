"""From scores to parameters, hazards and probabilities, as nodes of a graph."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np

from hazboost.hazards.distribution import LOG_TIME_RANGE, cumulative_hazard_of
from hazboost.hazards.mixture import LARGEST_EXPONENT, Mixture, Parameters, columns, log_time
from hazboost.onnx.incidence import cumulative_incidences
from hazboost.onnx.tracing import TracedArray
from hazboost.prediction.model import over_models


class Heads:
    """What the heads of a model make of scores.

    Parameters
    ----------
    mixture : Mixture
        The heads.
    scores : TracedArray, of shape (n, scores)
        Raw scores.
    unit : float
        The mixture's unit of time, in the user's.
    """

    def __init__(self, mixture: Mixture, scores: TracedArray, unit: float) -> None:
        self.mixture = mixture.one_cause
        self.log_unit = float(np.log(unit))
        self.causes = [self.mixture.parameters(part) for part in mixture.by_cause(columns(scores))]

    def parameters(self) -> dict[str, TracedArray]:
        """The columns of `FPBoost.predict_parameters`, each of shape (n, heads), with the heads of all causes."""
        tables = [self._parameters(one) for one in self.causes]
        if self.mixture.n_models > 1:
            tables = [over_models(table, self.mixture) for table in tables]
        return {name: np.concatenate([table[name] for table in tables]).T for name in tables[0]}

    def _parameters(self, parameters: Parameters) -> dict[str, TracedArray]:
        """The columns of one cause, each of shape (heads, n)."""
        names = (*self.mixture.parameter_names, "scale")
        found: dict[str, list[TracedArray]] = {name: [] for name in names}
        for block, activated in zip(self.mixture.blocks, parameters.activated, strict=True):
            logs = [one.log_value for one in activated]
            values = {"scale": _exp(block.head.log_scale(*logs) + self.log_unit)}
            if parameters.alive is not None:
                values["scale"] = np.where(parameters.alive[block.heads], values["scale"], np.nan)
            in_user_time = block.head.change_time_unit(self.log_unit, *logs)
            for parameter, one, log_value in zip(block.head.parameters, activated, in_user_time, strict=True):
                value = _exp(log_value)
                values[parameter.name] = value if one.alive is None else np.where(one.alive, value, 0.0)
            for name in names:
                found[name].append(values.get(name, np.full_like(logs[0], np.nan)))
        columns = {name: np.concatenate(parts) for name, parts in found.items()}
        first = found["scale"][0][:1]  # weights that are not learned are the same for all subjects
        return {**columns, "w": parameters.weight + np.zeros_like(first)}

    def cumulative_hazards(self, times: TracedArray) -> list[TracedArray]:
        """Cumulative hazard of each cause, of shape (n, times)."""
        return [np.where(times > 0.0, one, 0.0) for one in self._hazards(self._log_time(times))]

    def cumulative_incidences(self, times: TracedArray) -> list[TracedArray]:
        """Probability of an event of each cause, of shape (n, times)."""
        if len(self.causes) == 1:
            return [-np.expm1(-one) for one in self.cumulative_hazards(times)]
        found = cumulative_incidences(self._hazards, self._log_time(times))
        return [np.where(times > 0.0, one, 0.0) for one in found]

    def _log_time(self, times: TracedArray) -> TracedArray:
        """Log-times in the mixture's unit, of shape (1, times)."""
        log_t: TracedArray = np.clip(log_time(times) - self.log_unit, *LOG_TIME_RANGE)[None]
        return log_t

    def _hazards(self, log_t: TracedArray) -> list[TracedArray]:
        return [cumulative_hazard_of(self.mixture, parameters, log_t) for parameters in self.causes]


def total(parts: list[TracedArray]) -> TracedArray:
    """The sum over the causes."""
    return reduce(add, parts)


def _exp(log_value: TracedArray) -> TracedArray:
    return np.exp(np.minimum(log_value, LARGEST_EXPONENT))
