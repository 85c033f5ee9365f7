"""The result of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hazboost.estimator import FPBoost
from hazboost.plots import plot_trials
from hazboost.tuning.studies import with_result
from hazboost.utils.tables import make_table

if TYPE_CHECKING:
    from optuna import Study


@dataclass(frozen=True, repr=False)
class TuningResult:
    """The result of `tune`.

    Attributes
    ----------
    best_params : dict
        Parameters to set on the given estimator; empty if the estimator as given was best.
    best_score : float
        Mean held-out score of these parameters. As the best of many scores it is optimistic; to measure how good the
        model is, use data that the search has not seen.
    best_estimator : FPBoost
        The estimator with these parameters, fitted to all rows.
    default_score : float
        Mean held-out score of the estimator as given.
    metric : str
        Name of the score; higher is better.
    trials : DataFrame
        One row for each trial: ``trial``, ``state`` (complete, pruned or failed), ``score`` (NaN unless complete),
        ``seconds``, ``error``, and one column for each parameter. Without pandas, a structured array.
    study : optuna.Study
        The study, for Optuna's own tools.
    """

    best_params: dict[str, Any]
    best_score: float
    best_estimator: FPBoost
    default_score: float
    metric: str
    trials: Any
    study: Study

    def plot(self, ax: Any = None) -> Any:
        """Plot the score of each trial; see `hazboost.plots.plot_trials`."""
        return plot_trials(self, ax)

    def __repr__(self) -> str:
        states = list(self.trials["state"])
        counts = ", ".join(f"{states.count(state)} {state}" for state in ("complete", "pruned", "failed"))
        lines = [
            f"TuningResult of {len(states)} trials ({counts})",
            f"  held-out {self.metric} {self.best_score:.4f}, {self.default_score:.4f} as given",
            "  best_params:" if self.best_params else "  best_params: none, the estimator as given",
            *(f"    {name} = {_short(value)}" for name, value in self.best_params.items()),
        ]
        return "\n".join(lines)


def tabulate(study: Study, base: Mapping[str, Any]) -> Any:
    """One row for each trial with a result. A parameter that a trial did not set has the value of the estimator."""
    names = {"COMPLETE": "complete", "PRUNED": "pruned", "FAIL": "failed"}
    trials = with_result(study)
    varied = dict.fromkeys(name for trial in trials for name in trial.user_attrs["parameters"])
    return make_table(
        {
            "trial": np.array([trial.number for trial in trials]),
            "state": np.array([names[trial.state.name] for trial in trials], dtype=object),
            "score": np.array([trial.values[0] if trial.state.name == "COMPLETE" else np.nan for trial in trials]),
            "seconds": np.array([trial.duration.total_seconds() if trial.duration else np.nan for trial in trials]),
            "error": np.array([trial.user_attrs.get("error", "") for trial in trials], dtype=object),
            **{
                name: _column([{**base, **trial.user_attrs["parameters"]}[name] for trial in trials]) for name in varied
            },
        }
    )


def _column(values: list[Any]) -> npt.NDArray[Any]:
    """A numeric column if all values are numbers, otherwise one of objects."""
    kinds = {type(value) for value in values}
    if kinds <= {int, float}:
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)
