"""What the models with an interpreter of their own share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hazboost.experiments.environments import Arrays, Environment, Worker
from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class Remote:
    """A model that lives in a process of its own; a worker's ``predict`` returns ``risk`` and ``survival``."""

    worker: Worker

    def risk(self, X: Array) -> Array:
        """Scores; higher means earlier."""
        return self.worker.call("predict", {"X": X, "times": np.ones(1)})["risk"]

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return self.worker.call("predict", {"X": X, "times": times})["survival"]


def fit_remote(environment: Environment, worker: str, arrays: Arrays, settings: Mapping[str, Any]) -> Remote:
    """Train a worker's model in its interpreter."""
    process = Worker(environment, worker)
    process.call("fit", arrays, settings)
    return Remote(process)
