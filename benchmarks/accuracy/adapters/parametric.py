"""Accelerated failure time regressions of lifelines."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from lifelines import LogLogisticAFTFitter, WeibullAFTFitter
from lifelines.exceptions import ConvergenceError
from lifelines.fitters import ParametericAFTRegressionFitter

from benchmarks.accuracy.preprocessing import numeric_pipeline
from hazboost.experiments.baselines.curves import positive
from hazboost.utils.arrays import Array, Mask

#: Ridge penalties, tried until one converges.
PENALIZERS = (0.1, 0.3, 1.0, 3.0, 10.0)
#: Predictions are limited to this number of standard deviations of the features.
FEATURE_CLIP = 10.0


class Aft:
    """A regression of lifelines on standardised features; time is in units of its mean.

    Parameters
    ----------
    fitter : class
        Of lifelines.
    """

    def __init__(self, fitter: type[ParametericAFTRegressionFitter]) -> None:
        self.fitter = fitter

    def fit(self, X: pd.DataFrame, event: Mask, time: Array) -> Self:
        """Fit to a table as it is."""
        self.prepare_ = numeric_pipeline().fit(X)
        self.unit_ = float(np.mean(time))
        table = self._table(X).assign(time=positive(time) / self.unit_, event=event)
        for penalizer in PENALIZERS:
            try:
                model = self.fitter(penalizer=penalizer).fit(table, "time", "event")
            except (ConvergenceError, ValueError, np.linalg.LinAlgError):
                continue
            if np.all(np.isfinite(model.params_)):
                self.model_ = model
                return self
        raise RuntimeError("no penalizer converges")

    def _table(self, X: pd.DataFrame) -> pd.DataFrame:
        values = np.clip(self.prepare_.transform(X), -FEATURE_CLIP, FEATURE_CLIP)
        return pd.DataFrame(values, columns=[f"x{i}" for i in range(values.shape[1])])

    def risk(self, X: pd.DataFrame) -> Array:
        """Minus the logarithm of the median time."""
        location = self.model_.params_.xs(self.model_._primary_parameter_name)
        table = self._table(X).assign(Intercept=1.0)
        return -(table[location.index].to_numpy() @ location.to_numpy())

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return self.model_.predict_survival_function(self._table(X), times=times / self.unit_).to_numpy().T


class WeibullAft(Aft):
    """Weibull."""

    def __init__(self, seed: int) -> None:
        super().__init__(WeibullAFTFitter)


class LogLogisticAft(Aft):
    """Log-logistic."""

    def __init__(self, seed: int) -> None:
        super().__init__(LogLogisticAFTFitter)
