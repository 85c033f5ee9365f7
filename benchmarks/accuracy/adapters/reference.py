"""The Kaplan-Meier curve: what is reached without looking at the features."""

from __future__ import annotations

from typing import Self

import numpy as np
import pandas as pd
from sksurv.nonparametric import kaplan_meier_estimator

from hazboost.experiments.baselines.curves import step_values
from hazboost.utils.arrays import Array, Mask


class KaplanMeier:
    """The same curve and the same risk for everybody."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: pd.DataFrame, event: Mask, time: Array) -> Self:
        """Fit to the outcome."""
        self.steps_, self.values_ = kaplan_meier_estimator(event, time)
        return self

    def risk(self, X: pd.DataFrame) -> Array:
        """Zeros."""
        return np.zeros(len(X))

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """The curve, once for each subject."""
        return np.tile(step_values(self.steps_, self.values_, times), (len(X), 1))
