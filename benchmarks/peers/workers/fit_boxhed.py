"""BoXHED 2.0: boosted trees for a hazard that is constant between the splits of time."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Rows for which hazards are predicted at once.
BLOCK = 200_000
RISK_TIMES = 100


def fit(arrays: dict[str, Any], settings: dict[str, Any]) -> Any:
    """The library's model at its defaults (100 trees of depth 1, learning rate 0.1), and the cuts of `binary`."""
    import pandas as pd  # noqa: PLC0415
    from boxhed.boxhed import boxhed  # type: ignore[import-not-found]  # noqa: PLC0415

    cuts = two_valued(arrays["X"])
    outcome = {"ID": np.arange(1, len(arrays["X"]) + 1), "t_start": 0.0, "t_end": arrays["time"]}
    features = columns(binary(arrays["X"], cuts))
    table = pd.DataFrame({**outcome, **features, "delta": arrays["event"].astype(float)})
    model = boxhed(nthread=1)
    data = model.preprocess(data=table, is_cat=[len(outcome) + i for i in cuts], nthread=1)
    model.fit(data["X"], data["delta"], data["w"])
    return model, cuts


def predict(fitted: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """Minus the mean survival over 100 times of [0, 1], and survival."""
    model, cuts = fitted
    hazard, splits = hazards(model, binary(arrays["X"], cuts))
    grid = np.linspace(0.0, 1.0, RISK_TIMES)
    return {
        "risk": -survival(hazard, splits, grid).mean(axis=1),
        "survival": survival(hazard, splits, arrays["times"]),
    }


def two_valued(X: Any) -> dict[int, float]:
    """Columns with two values, and a number between them.

    The library finds no split in such a column unless it is said to be categorical, and then wants 0 and 1.
    """
    values = {i: np.unique(X[:, i]) for i in range(X.shape[1])}
    return {i: float(found.mean()) for i, found in values.items() if len(found) == 2}


def binary(X: Any, cuts: dict[int, float]) -> Any:
    """The features, with 0 and 1 in columns of two values, which is all the same to a tree."""
    X = np.array(X, dtype=float)
    for i, cut in cuts.items():
        X[:, i] = X[:, i] > cut
    return X


def columns(X: Any) -> dict[str, Any]:
    """The features by name."""
    return {f"x{i}": X[:, i] for i in range(X.shape[1])}


def hazards(model: Any, X: Any) -> tuple[Any, Any]:
    """The hazard of every subject between two splits of time, and these splits, from 0 on."""
    import pandas as pd  # noqa: PLC0415

    splits = np.unique(np.concatenate([[0.0], np.asarray(model.time_splits, dtype=float)]))
    middles = np.append(0.5 * (splits[1:] + splits[:-1]), splits[-1] + 1.0)
    subjects = max(1, BLOCK // len(middles))
    blocks = []
    for first in range(0, len(X), subjects):
        block = X[first : first + subjects]
        time = {"t_start": np.tile(middles, len(block))}
        table = pd.DataFrame({**time, **columns(np.repeat(block, len(middles), axis=0))})
        blocks.append(np.asarray(model.hazard(table), dtype=float).reshape(len(block), len(middles)))
    return np.concatenate(blocks), splits


def survival(hazard: Any, splits: Any, times: Any) -> Any:
    """The integral of a hazard that is constant between splits, in the exponent."""
    ends = np.append(splits[1:], np.inf)
    exposure = np.clip(times[:, None] - splits, 0.0, ends - splits)
    return np.exp(-hazard @ exposure.T)
