"""The authors' package fpboost."""

from __future__ import annotations

from typing import Any

import numpy as np


def fit(arrays: dict[str, Any], settings: dict[str, Any]) -> Any:
    """Their `FPBoost`, with the given hyperparameters."""
    import torch  # noqa: PLC0415
    from fpboost.models import FPBoost  # type: ignore[import-not-found]  # noqa: PLC0415

    torch.set_num_threads(1)
    rows = list(zip(arrays["event"], arrays["time"], strict=True))
    y = np.array(rows, dtype=[("event", bool), ("time", float)])
    return FPBoost(**settings).fit(arrays["X"], y)


def predict(model: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """Risks and survival functions."""
    X = arrays["X"]
    return {"risk": risk(model, X), "survival": survival(model, X, arrays["times"])}


def risk(model: Any, X: Any) -> Any:
    """Scores; higher means earlier."""
    return model.predict(X)


def survival(model: Any, X: Any, times: Any) -> Any:
    """The survival function in closed form: the public one is rounded to 100 times."""
    return np.exp(-model._predict_cumulative_hazard(X, times / model.max_time_))
