"""BoXHED 2.0: boosted trees for a hazard that is constant between the splits of time."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Rows for which hazards are predicted at once.
BLOCK = 200_000
RISK_TIMES = 100


def fit(arrays: dict[str, Any], settings: dict[str, Any]) -> Any:
    """The library's model at its defaults: 100 trees of depth 1, learning rate 0.1."""
    import pandas as pd  # noqa: PLC0415
    from boxhed.boxhed import boxhed  # type: ignore[import-not-found]  # noqa: PLC0415

    X, time = arrays["X"], arrays["time"]
    outcome = {"ID": np.arange(1, len(X) + 1), "t_start": 0.0, "t_end": time}
    features = {f"x{i}": X[:, i] for i in range(X.shape[1])}
    table = pd.DataFrame({**outcome, **features, "delta": arrays["event"].astype(float)})
    model = boxhed(nthread=1)
    data = model.preprocess(data=table, is_cat=[len(outcome) + i for i in settings["categorical"]], nthread=1)
    model.fit(data["X"], data["delta"], data["w"])
    return model


def predict(model: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """Minus the mean survival over 100 times of [0, 1], and survival."""
    hazard, splits = hazards(model, arrays["X"])
    grid = np.linspace(0.0, 1.0, RISK_TIMES)
    return {
        "risk": -survival(hazard, splits, grid).mean(axis=1),
        "survival": survival(hazard, splits, arrays["times"]),
    }


def hazards(model: Any, X: Any) -> tuple[Any, Any]:
    """The hazard of every subject between two splits of time, and these splits, from 0 on."""
    import pandas as pd  # noqa: PLC0415

    splits = np.unique(np.concatenate([[0.0], np.asarray(model.time_splits, dtype=float)]))
    middles = np.append(0.5 * (splits[1:] + splits[:-1]), splits[-1] + 1.0)
    subjects = max(1, BLOCK // len(middles))
    blocks = []
    for first in range(0, len(X), subjects):
        block = X[first : first + subjects]
        rows = np.repeat(block, len(middles), axis=0)
        table = pd.DataFrame(rows, columns=[f"x{i}" for i in range(X.shape[1])])
        table.insert(0, "t_start", np.tile(middles, len(block)))
        blocks.append(np.asarray(model.hazard(table), dtype=float).reshape(len(block), len(middles)))
    return np.concatenate(blocks), splits


def survival(hazard: Any, splits: Any, times: Any) -> Any:
    """The integral of a hazard that is constant between splits, in the exponent."""
    ends = np.append(splits[1:], np.inf)
    exposure = np.clip(times[:, None] - splits, 0.0, ends - splits)
    return np.exp(-hazard @ exposure.T)
