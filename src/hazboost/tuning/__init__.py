"""Search for better hyperparameters by cross-validation. Needs Optuna, which is imported only when a search starts."""

from __future__ import annotations

from hazboost.tuning.result import TuningResult
from hazboost.tuning.search import tune

__all__ = ["TuningResult", "tune"]
