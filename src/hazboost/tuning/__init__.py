"""A search for better hyperparameters, by held-out likelihood. It needs Optuna, which is imported when it begins."""

from __future__ import annotations

from hazboost.tuning.result import TuningResult
from hazboost.tuning.search import tune

__all__ = ["TuningResult", "tune"]
