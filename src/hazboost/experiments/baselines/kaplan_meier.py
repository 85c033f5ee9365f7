"""The Kaplan-Meier estimate: what is reached without looking at the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hazboost.data.nonparametric import kaplan_meier
from hazboost.data.target import as_target
from hazboost.experiments.baselines.base import Baseline
from hazboost.experiments.baselines.curves import step_values
from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split


@dataclass(frozen=True)
class KaplanMeier:
    """The same curve and the same risk for everybody."""

    steps: Array
    values: Array

    def risk(self, X: Array) -> Array:
        """Zeros: every pair is tied, and the C-index 0.5."""
        return np.zeros(len(X))

    def survival(self, X: Array, times: Array) -> Array:
        """The curve, once for each subject."""
        return np.tile(step_values(self.steps, self.values, times), (len(X), 1))


def fit(split: Split, dataset: str, seed: int) -> KaplanMeier:
    """Estimate the curve of the training rows."""
    return KaplanMeier(*kaplan_meier(as_target((split.train.event, split.train.time))))


KM = Baseline(
    name="km",
    title="Kaplan-Meier",
    kind="non-parametric",
    learner="none",
    fit=fit,
    packages=("hazboost",),
)
