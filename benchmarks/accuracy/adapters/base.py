"""What every adapter offers, and what many of them share."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline
from sksurv.util import Surv

from benchmarks.accuracy.preprocessing import numeric_pipeline
from hazboost.experiments.baselines.curves import step_values
from hazboost.utils.arrays import Array, Mask


class Adapter(Protocol):
    """A survival model with its own preprocessing."""

    def fit(self, X: pd.DataFrame, event: Mask, time: Array) -> Self:
        """Fit to a table as it is."""
        ...

    def risk(self, X: pd.DataFrame) -> Array:
        """Scores; higher means earlier."""
        ...

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        ...


class SksurvAdapter:
    """A model of scikit-survival.

    Parameters
    ----------
    seed : int
        Seed of everything random.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: pd.DataFrame, event: Mask, time: Array) -> Self:
        """Fit to a table as it is."""
        self.prepare_ = self.pipeline()
        self.model_ = self.fit_model(self.prepare_.fit_transform(X), event, time)
        return self

    def pipeline(self) -> Pipeline:
        """Preprocessing, not fitted."""
        return numeric_pipeline()

    def fit_model(self, X: Array, event: Mask, time: Array) -> Any:
        """The fitted model."""
        raise NotImplementedError

    def risk(self, X: pd.DataFrame) -> Array:
        """Scores; higher means earlier."""
        return np.asarray(self.model_.predict(self.prepare_.transform(X)))

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        values = self.model_.predict_survival_function(self.prepare_.transform(X), return_array=True)
        return step_values(self.model_.unique_times_, values, times)


def outcome(event: Mask, time: Array) -> Any:
    """Event and time as scikit-survival wants them."""
    return Surv.from_arrays(event, time)
