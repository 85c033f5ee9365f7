"""Data and fits of the tests of automatic choices."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost import FPBoost

#: Trees that learn so large a difference, and are shrunk, leave the mean curve of the training data by a little.
curved = pytest.mark.filterwarnings("ignore:the fitted curves are poor")


def linear_data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    time = rng.weibull(1.5, n) * np.exp(-0.7 * X[:, 0] + 0.5 * X[:, 1])
    limit = rng.exponential(2.0, n)
    return X, (time <= limit, np.minimum(time, limit))


def curved_data(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    time = rng.weibull(1.5, n) * np.exp(-2.0 * (np.abs(X[:, 0]) > 0.5))
    limit = rng.exponential(2.0, n)
    return X, (time <= limit, np.minimum(time, limit))


def crossed_data(n=500, seed=0):
    """Who is at risk is decided by three features together: no two of them tell anything."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(n, 3))
    time = rng.weibull(1.5, n) * np.exp(-1.5 * X.prod(axis=1))
    return X, (np.ones(n, dtype=bool), time)


def automatic(**parameters):
    """The defaults, with fewer folds and longer steps."""
    return FPBoost(**{"n_folds": 3, "learning_rate": 0.3, "random_state": 0, **parameters})
