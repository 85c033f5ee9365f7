"""What the models with an interpreter of their own share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness.environments import Environment, Worker
from benchmarks.peers.shared.base import Sample
from benchmarks.peers.shared.curves import positive
from hazboost.utils.arrays import Array

WORKERS = Path(__file__).parents[1] / "workers"


@dataclass(frozen=True)
class Remote:
    """A model in a process of its own; a worker's ``predict`` returns ``risk`` and ``survival``."""

    worker: Worker

    def risk(self, X: Array) -> Array:
        """Scores; higher means earlier."""
        return self.worker.call("predict", {"X": X, "times": np.ones(1)})["risk"]

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return self.worker.call("predict", {"X": X, "times": times})["survival"]


def fit_remote(environment: Environment, worker: str, sample: Sample, settings: Mapping[str, Any]) -> Remote:
    """Train the model of a file of ``workers`` in its interpreter; times of zero are moved, as in `positive`."""
    process = Worker(environment, WORKERS / f"{worker}.py")
    process.call("fit", {"X": sample.X, "event": sample.event, "time": positive(sample.time)}, settings)
    return Remote(process)
