"""A fitted model: trees, heads, and the way from features to distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import xgboost as xgb

from hazboost.data.features import Schema
from hazboost.engines.local import average_scores, build_matrix, with_idle_outputs, without_idle_outputs
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import LARGEST_EXPONENT, Mixture
from hazboost.training.starts import Start
from hazboost.utils.arrays import Array, Indices


@dataclass(frozen=True)
class Model:
    """What training leaves behind.

    Attributes
    ----------
    boosters : tuple of xgboost.Booster
        The trees; the scores of several boosters are averaged.
    start : Start
        Where the trees began; the linear part, where there is one.
    mixture : Mixture
        The heads.
    trust : array of shape (scores,)
        What the trees add to each score is multiplied by this.
    schema : Schema
        How features are read.
    unit : float
        The mixture's unit of time, in the user's: the longest follow-up in training.
    horizon : float
        Time until which risks are compared, in the user's unit.
    n_threads : int
        Threads for prediction; those of the training.
    """

    boosters: tuple[xgb.Booster, ...]
    start: Start
    mixture: Mixture
    trust: Array
    schema: Schema
    unit: float
    horizon: float
    n_threads: int

    def distribution(self, X: Any) -> Distribution:
        """Predict the event-time distributions of the subjects with the given readable features."""
        encoded = self.schema.encode(X)
        start = self.start.margin(encoded)
        matrix = build_matrix(
            encoded,
            names=self.schema.tree_names,
            types=self.schema.types,
            fields={"base_margin": with_idle_outputs(start)},
            settings={"nthread": self.n_threads},
        )
        grown = without_idle_outputs(average_scores(self.boosters, matrix), self.mixture.n_scores)
        return Distribution(self.mixture, with_trust(start, grown, self.trust), self.unit)


def with_trust(start: Array, grown: Array, trust: Array) -> Array:
    """Scores of which the trees' part, the way from the start to where they have grown, counts by ``trust``."""
    return start + trust * (grown - start)


def parameter_columns(distribution: Distribution) -> dict[str, npt.NDArray[Any]]:
    """Parameters of every head of every subject, in the user's unit of time, as the columns of a tidy table.

    ``S(t) = exp(-sum_j w_j H_j(t; eta_j, k_j))`` holds for the values as they stand. A dead head has the parameter
    that died at zero; a family without shape has no ``k``.
    """
    mixture, parameters = distribution.mixture, distribution.mixture.parameters(distribution.scores)
    table = {name: np.full((len(distribution), mixture.n_heads), np.nan) for name in ("eta", "k")}
    for block, activated in zip(mixture.blocks, parameters.activated, strict=True):
        logs = [one.log_value for one in activated]
        in_user_time = block.head.change_time_unit(float(np.log(distribution.unit)), *logs)
        for name, one, log_value in zip(block.head.parameters, activated, in_user_time, strict=True):
            table[name][:, block.heads] = np.where(one.alive, np.exp(np.minimum(log_value, LARGEST_EXPONENT)), 0.0)
    n = len(distribution)
    return {
        "subject": np.repeat(np.arange(n), mixture.n_heads),
        **_cause_column(mixture, n),
        "head": np.tile(np.array(mixture.head_names, dtype=object), n),
        "eta": table["eta"].ravel(),
        "k": table["k"].ravel(),
        "w": parameters.weight.ravel(),
    }


def share_columns(distribution: Distribution, times: Array) -> dict[str, npt.NDArray[Any]]:
    """Share of every head in the hazard of every subject over time, as the columns of a tidy table."""
    names = np.array(distribution.mixture.head_names, dtype=object)
    n, n_times, n_heads = len(distribution), len(times), len(names)
    return {
        "subject": np.repeat(np.arange(n), n_times * n_heads),
        "time": np.tile(np.repeat(times, n_heads), n),
        **_cause_column(distribution.mixture, n * n_times),
        "head": np.tile(names, n * n_times),
        "share": distribution.shares(times).ravel(),
    }


def _cause_column(mixture: Mixture, repeats: int) -> dict[str, Indices]:
    """The cause of each head, where there are several."""
    return {} if mixture.n_causes == 1 else {"cause": np.tile(mixture.head_causes, repeats)}
