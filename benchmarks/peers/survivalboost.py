"""SurvivalBoost: boosted classifiers for the cumulative incidence, of hazardous."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.preprocessing import OneHotEncoder

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.tables import one_hot_with_missing
from hazboost.utils.arrays import Array

PACKAGES = ("hazardous", "scikit-learn")


@dataclass(frozen=True)
class IncidenceBoosting:
    """A fitted `hazardous.SurvivalBoost`."""

    model: Any

    def risk(self, X: Array) -> Array:
        """Minus the area under the survival curve over the model's own grid of times."""
        grid = np.asarray(self.model.time_grid_, dtype=np.float64)
        return np.asarray(-np.trapezoid(self.survival(X, grid), grid, axis=1))

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return np.asarray(self.model.predict_survival_function(X, times=times))

    def incidence(self, X: Array, times: Array) -> Array:
        """Cumulative incidences, subjects by causes by times; the library has survival as the first of them."""
        return np.asarray(self.model.predict_cumulative_incidence(X, times)[:, 1:])


def fit(task: Task) -> IncidenceBoosting:
    """Fit `SurvivalBoost` at its defaults; events may be numbers of causes."""
    import pandas as pd  # noqa: PLC0415
    from hazardous import SurvivalBoost  # noqa: PLC0415

    y = pd.DataFrame({"event": task.train.event.astype(int), "duration": task.train.time})
    return IncidenceBoosting(SurvivalBoost(show_progressbar=False, random_state=task.seed).fit(task.train.X, y))


def categories_first() -> Any:
    """One-hot columns, then the numbers, of which missing ones stay missing."""
    encoder = OneHotEncoder(drop="if_binary", sparse_output=False)
    return make_column_transformer((encoder, make_column_selector(dtype_include="category")), remainder="passthrough")


PEERS = (
    Peer("accuracy", "survivalboost", fit, PACKAGES, encoder=one_hot_with_missing, monotone=False),
    Peer("competing", "SurvivalBoost", fit, PACKAGES, encoder=categories_first),
    Peer("speed", "survivalboost", fit, PACKAGES, "SurvivalBoost (hazardous)"),
)
