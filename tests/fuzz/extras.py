"""Sample weights and groups."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.fuzz.tables import row_labels

WEIGHTS = {
    "none": None,
    "ones": lambda rng, n: np.ones(n),
    "shares": lambda rng, n: np.full(n, 1.0 / n),
    "between": lambda rng, n: rng.uniform(0.5, 2.0, n),
    "counts": lambda rng, n: rng.integers(1, 5, n),
    "ratio of a million": lambda rng, n: 10.0 ** rng.uniform(-3.0, 3.0, n),
    "ratio of 1e12": lambda rng, n: 10.0 ** rng.uniform(-6.0, 6.0, n),
    "some zero": lambda rng, n: np.where(rng.random(n) < 0.3, 0.0, rng.uniform(0.5, 2.0, n)),
    "all but one zero": lambda rng, n: (np.arange(n) == rng.integers(n)).astype(float),
    "small": lambda rng, n: np.full(n, 1e-9),
    "series": lambda rng, n: pd.Series(rng.uniform(0.5, 2.0, n), index=row_labels(n)),
    "list": lambda rng, n: rng.uniform(0.5, 2.0, n).tolist(),
}

GROUPS = {
    "none": None,
    "few": lambda rng, n: rng.integers(0, 3, n),
    "one": lambda rng, n: np.zeros(n, dtype=int),
    "each": lambda rng, n: np.arange(n),
    "names": lambda rng, n: rng.choice(["north", "south", "east"], n),
    "series": lambda rng, n: pd.Series(rng.integers(0, n, n), index=row_labels(n)).astype("category"),
}


def make_weight(kind, rows, seed):
    return None if WEIGHTS[kind] is None else WEIGHTS[kind](np.random.default_rng(seed), rows)


def make_groups(kind, columns, rows, seed):
    """A label for each row; rows of one subject have the same."""
    if GROUPS[kind] is None:
        return None
    labels = GROUPS[kind](np.random.default_rng(seed), rows)
    return np.asarray(labels)[columns["id"]] if "id" in columns else labels
