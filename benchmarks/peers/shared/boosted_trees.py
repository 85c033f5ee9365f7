"""What the two survival objectives of XGBoost share: matrices, margins, rounds by cross-validation, and defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xgboost as xgb

from benchmarks.peers.shared.base import Task
from benchmarks.peers.shared.cross_validation import inner_folds
from hazboost.utils.arrays import Array, Mask

PACKAGES = ("xgboost",)
#: Trees for a number of rounds that is chosen by cross-validation.
SMALL_STEPS = {"eta": 0.05, "max_depth": 3, "subsample": 0.8, "tree_method": "hist"}
MAX_ROUNDS = 1_000
#: The library's default number of trees.
DEFAULT_ROUNDS = 100
PATIENCE = 30


@dataclass(frozen=True)
class BoostedRisk:
    """Trees of which only the risk is asked: with `sign` -1 for a location of time, 1 for a log-risk."""

    booster: xgb.Booster
    sign: float
    threads: int

    def risk(self, X: Any) -> Array:
        """Scores; higher means earlier."""
        return self.sign * margin(self.booster, matrix(X, self.threads))


def fit_risk(task: Task, settings: Mapping[str, Any], labels: Mapping[str, Array], sign: float) -> BoostedRisk:
    """Train with the library's defaults (100 trees of depth 6) where `settings`, by its names, say nothing else."""
    data = xgb.QuantileDMatrix(task.train.X, **labels, max_bin=settings.get("max_bin"), nthread=task.threads)
    booster = xgb.train(
        {name: value for name, value in settings.items() if name != "n_estimators"}
        | {"nthread": task.threads, "seed": task.seed},
        data,
        num_boost_round=settings.get("n_estimators", DEFAULT_ROUNDS),
    )
    return BoostedRisk(booster, sign, task.threads)


def matrix(X: Any, threads: int = 1) -> xgb.DMatrix:
    """The features, with categories and missing values as they are."""
    return xgb.DMatrix(X, enable_categorical=True, nthread=threads)


def margin(booster: xgb.Booster, data: xgb.DMatrix) -> Array:
    """The sum of the trees' leaves and of the start."""
    return np.asarray(booster.predict(data, output_margin=True), dtype=np.float64)


def cross_validate(settings: Mapping[str, Any], data: xgb.DMatrix, event: Mask, seed: int) -> tuple[float, int]:
    """Best mean loss of the inner folds, and its number of rounds."""
    history: Any = xgb.cv(
        dict(settings),
        data,
        num_boost_round=MAX_ROUNDS,
        folds=inner_folds(event, seed),
        early_stopping_rounds=PATIENCE,
        as_pandas=False,
    )
    losses = next(values for name, values in history.items() if name.startswith("test") and name.endswith("mean"))
    rounds = int(np.argmin(losses)) + 1
    return losses[rounds - 1], rounds
