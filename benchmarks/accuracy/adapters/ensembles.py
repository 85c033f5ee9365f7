"""Tree ensembles of scikit-survival and hazardous, at their defaults."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from hazardous import SurvivalBoost
from sklearn.pipeline import Pipeline
from sksurv.ensemble import GradientBoostingSurvivalAnalysis, RandomSurvivalForest

from benchmarks.accuracy.adapters.base import SksurvAdapter, outcome
from benchmarks.accuracy.preprocessing import one_hot_with_missing
from hazboost.utils.arrays import Array, Mask

#: A forest stores two curves over all distinct times in every leaf; beyond this number they would not fit in memory.
MAX_FOREST_TIMES = 1_000


class Forest(SksurvAdapter):
    """`RandomSurvivalForest`, with its own handling of missing numbers.

    Where there are more than 1,000 distinct times, they are rounded up to 1,000 quantiles.
    """

    def pipeline(self) -> Pipeline:
        """One-hot columns; missing numbers stay missing."""
        return one_hot_with_missing()

    def fit_model(self, X: Array, event: Mask, time: Array) -> RandomSurvivalForest:
        """The fitted forest."""
        return RandomSurvivalForest(random_state=self.seed).fit(X, outcome(event, _few_distinct(time)))


def _few_distinct(time: Array) -> Array:
    distinct = np.unique(time)
    if len(distinct) <= MAX_FOREST_TIMES:
        return time
    levels = np.quantile(distinct, np.linspace(0, 1, MAX_FOREST_TIMES), method="higher")
    return levels[np.searchsorted(levels, time, side="left")]


class GradientBoosting(SksurvAdapter):
    """`GradientBoostingSurvivalAnalysis`, on imputed medians."""

    def fit_model(self, X: Array, event: Mask, time: Array) -> GradientBoostingSurvivalAnalysis:
        """The fitted model."""
        return GradientBoostingSurvivalAnalysis(random_state=self.seed).fit(X, outcome(event, time))


class IncidenceBoosting:
    """`SurvivalBoost` of hazardous, on one-hot columns with missing numbers left missing.

    Its risk is minus the area under the survival curve over its own grid of times.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: pd.DataFrame, event: Mask, time: Array) -> Self:
        """Fit to a table as it is."""
        self.prepare_ = one_hot_with_missing()
        y = pd.DataFrame({"event": event.astype(int), "duration": time})
        self.model_ = SurvivalBoost(show_progressbar=False, random_state=self.seed)
        self.model_.fit(self.prepare_.fit_transform(X), y)
        return self

    def risk(self, X: pd.DataFrame) -> Array:
        """Scores; higher means earlier."""
        grid = np.asarray(self.model_.time_grid_, dtype=float)
        return -np.trapezoid(self.survival(X, grid), grid, axis=1)

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return np.asarray(self.model_.predict_survival_function(self.prepare_.transform(X), times=times))
