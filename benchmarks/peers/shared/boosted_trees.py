"""What the two survival objectives of XGBoost share: matrices, margins, and rounds by cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xgboost as xgb

from benchmarks.peers.shared.cross_validation import inner_folds
from hazboost.utils.arrays import Array, Mask

PACKAGES = ("xgboost",)
#: Trees for a number of rounds that is chosen by cross-validation.
SMALL_STEPS = {"eta": 0.05, "max_depth": 3, "subsample": 0.8, "tree_method": "hist"}
MAX_ROUNDS = 1_000
PATIENCE = 30


def matrix(X: Any) -> xgb.DMatrix:
    """The features, with categories and missing values as they are."""
    return xgb.DMatrix(X, enable_categorical=True, nthread=1)


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
