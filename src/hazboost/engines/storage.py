"""Trees as bytes: XGBoost's own format, Universal Binary JSON, which keeps every number exactly."""

from __future__ import annotations

import platform
from typing import TypeAlias

import numpy as np
import xgboost as xgb

from hazboost.engines.base import Engine, Trees
from hazboost.engines.checking import check_ensemble
from hazboost.engines.divided import DividedEngine
from hazboost.engines.local import LocalEngine
from hazboost.engines.packing import MIN_OUTPUTS
from hazboost.engines.ubjson import decode
from hazboost.utils.devices import has_device
from hazboost.utils.versions import own_version

#: The ensemble of an engine, or those of the parts of one.
Stored: TypeAlias = tuple[bytes, ...]


def versions() -> dict[str, str]:
    """The versions on which trees and predictions depend."""
    return {
        "hazboost": own_version(),
        "xgboost": xgb.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def store_trees(engine: Engine, trees: Trees) -> Stored:
    """The trees of an engine; those of each part of a divided one."""
    ensembles = trees if isinstance(engine, DividedEngine) else (trees,)
    return tuple(bytes(one.save_raw("ubj")) for one in ensembles)


def restore_trees(engine: Engine, stored: Stored) -> Trees:
    """The trees, ready to predict. XGBoost sees nothing that was not checked before."""
    if isinstance(engine, DividedEngine):
        if len(stored) != len(engine.parts):
            raise ValueError("there are not as many ensembles as parts")
        return tuple(_restore(part.engine, one) for part, one in zip(engine.parts, stored, strict=True))
    if len(stored) != 1:
        raise ValueError("there are several ensembles for one")
    return _restore(engine, stored[0])


def _restore(engine: Engine, stored: bytes) -> xgb.Booster:
    if not isinstance(engine, LocalEngine) or engine.features is None:
        raise ValueError("its engine has no features")
    check_ensemble(decode(stored), engine.features, max(engine.n_scores, MIN_OUTPUTS))
    return from_bytes(engine, stored)


def from_bytes(engine: LocalEngine, stored: bytes) -> xgb.Booster:
    """Trees that were checked, or made here, ready to predict."""
    device = engine.settings.get("device", "cpu") if has_device() else "cpu"
    # One thread, as `LocalEngine.truncate` sets it: the number of threads is not part of the model.
    return xgb.Booster({"nthread": 1, "device": device}, model_file=bytearray(stored))
