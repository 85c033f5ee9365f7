"""What the models of scikit-survival share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Sample
from benchmarks.peers.shared.curves import step_values
from hazboost.utils.arrays import Array, Mask

PACKAGES = ("scikit-survival", "scikit-learn")


@dataclass(frozen=True)
class ScikitSurvival:
    """A fitted model of scikit-survival: its own risk, its survival functions as steps."""

    model: Any

    def risk(self, X: Array) -> Array:
        """Scores; higher means earlier."""
        return np.asarray(self.model.predict(X))

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        values = self.model.predict_survival_function(X, return_array=True)
        return step_values(self.model.unique_times_, values, times)


def fit_scikit_survival(model: Any, sample: Sample) -> ScikitSurvival:
    """Fit a model of scikit-survival to the rows of a sample."""
    return ScikitSurvival(model.fit(sample.X, outcome(sample.event, sample.time)))


def outcome(event: Mask, time: Array) -> Any:
    """Event and time as scikit-survival wants them."""
    from sksurv.util import Surv  # noqa: PLC0415 - GPL, and an extra

    return Surv.from_arrays(event, time)
