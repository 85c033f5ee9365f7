"""Kaplan and Meier's curve, and Aalen and Johansen's: what is reached without looking at the features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.curves import observed_incidence, step_values
from hazboost import Surv
from hazboost.data.nonparametric import kaplan_meier
from hazboost.data.reading import as_target
from hazboost.utils.arrays import Array

PACKAGES = ("hazboost",)


@dataclass(frozen=True)
class KaplanMeier:
    """The same curve and the same risk for everybody."""

    steps: Array
    values: Array

    def risk(self, X: Any) -> Array:
        """Zeros: every pair is tied, and the C-index 0.5."""
        return np.zeros(len(X))

    def survival(self, X: Any, times: Array) -> Array:
        """The curve, once for each subject."""
        return np.tile(step_values(self.steps, self.values, times), (len(X), 1))


@dataclass(frozen=True)
class AalenJohansen:
    """The same incidences for everybody."""

    cause: npt.NDArray[np.int_]
    time: Array

    def incidence(self, X: Any, times: Array) -> Array:
        """Incidences of all causes, once for each subject."""
        causes = range(1, int(self.cause.max()) + 1)
        curves = [observed_incidence(self.cause, self.time, times, cause) for cause in causes]
        return np.broadcast_to(curves, (len(X), len(curves), len(times)))


def fit(task: Task) -> KaplanMeier:
    """Estimate the curve of the training rows."""
    train = task.train
    return KaplanMeier(*kaplan_meier(as_target(Surv.right(train.event, train.time, entry=train.entry))))


def fit_incidence(task: Task) -> AalenJohansen:
    """Keep the outcomes of the training rows."""
    return AalenJohansen(task.train.event, task.train.time)


PEERS = (
    Peer("paper", "km", fit, PACKAGES, "Kaplan-Meier", "non-parametric", "none"),
    Peer("accuracy", "kaplan_meier", fit, PACKAGES),
    Peer("truth", "kaplan_meier", fit, PACKAGES, "Kaplan-Meier", takes=("entry",)),
    Peer("competing", "Aalen-Johansen", fit_incidence, PACKAGES),
)
