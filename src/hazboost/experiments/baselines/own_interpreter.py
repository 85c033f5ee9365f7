"""What the models with an interpreter of their own share."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hazboost.arrays import Array
from hazboost.experiments.environments import Arrays, Environment


@dataclass(frozen=True)
class Remote:
    """A model that was trained, and predicts, in another interpreter; it lives in a temporary folder."""

    environment: Environment
    worker: str
    folder: tempfile.TemporaryDirectory[str]

    def risk(self, X: Array) -> Array:
        """Scores; higher means earlier."""
        return self._predict(X, np.ones(1))["risk"]

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return self._predict(X, times)["survival"]

    def _predict(self, X: Array, times: Array) -> Arrays:
        arrays = {"X": X, "times": times}
        return self.environment.call(self.worker, "predict", Path(self.folder.name), arrays, {})


def fit_remote(environment: Environment, worker: str, arrays: Arrays, settings: Mapping[str, Any]) -> Remote:
    """Train a worker's model in its interpreter."""
    folder = tempfile.TemporaryDirectory(prefix="hazboost-")
    environment.call(worker, "fit", Path(folder.name), arrays, settings)
    return Remote(environment, worker, folder)
