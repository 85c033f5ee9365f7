"""Forest for competing risks, of comprisk, which grows its trees on binned features and a grid of times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Task
from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class IncidenceForest:
    """A fitted `comprisk.CompetingRiskForest` of one cause, of which only the risk is asked."""

    model: Any

    def risk(self, X: Array) -> Array:
        """The library's own risk score, the sum of the cumulative hazard over its grid of times."""
        return np.asarray(self.model.predict_risk(X, cause=1))


def fit(task: Task) -> IncidenceForest:
    """Fit `CompetingRiskForest` at its defaults: 100 trees of depth 15 at most, leaves of at least 3."""
    from comprisk import CompetingRiskForest  # noqa: PLC0415

    model = CompetingRiskForest(random_state=task.seed, n_jobs=task.threads)
    return IncidenceForest(model.fit(task.train.X, task.train.time, task.train.event.astype(int)))


PEERS = (Peer("speed", "comprisk", fit, ("comprisk", "numba"), "forest (comprisk)"),)
