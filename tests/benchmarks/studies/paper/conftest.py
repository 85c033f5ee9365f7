"""A small data set with everything that makes trouble."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from hazboost import Surv


@pytest.fixture
def make_dataset():
    """Data with a number that has gaps, a flag, a constant, an empty column and categories; times 0 to about 10."""

    def make(n=200, seed=0, **changes):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=n)
        event_time, censoring = rng.exponential(2.0 * np.exp(-x)), rng.exponential(4.0, n)
        time = np.minimum(event_time, censoring)
        time[:2] = 0.0
        X = pd.DataFrame(
            {
                "number": np.where(rng.random(n) < 0.1, np.nan, 5.0 + 3.0 * x),
                "flag": rng.random(n) < 0.5,
                "constant": 1.0,
                "empty": np.nan,
                "colour": pd.Categorical(rng.choice(["red", "green", None], n), categories=["red", "green", "unused"]),
            }
        )
        fields = {"name": "fake", "X": X, "y": Surv.right(event_time <= censoring, time), "test": None, "groups": None}
        return SimpleNamespace(**fields | {"leaks": ()} | changes)

    return make
