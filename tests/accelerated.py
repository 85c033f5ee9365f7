"""Times that features make run faster, of which the survival functions are known."""

from __future__ import annotations

import numpy as np

BETA = np.array([0.8, -0.6, 0.4])
TIMES = np.linspace(0.05, 4.0, 60)


def log_logistic(n, seed=0, spread=0.5):
    """Log-logistic times, a third of them censored."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    time = np.exp(-X @ BETA + spread * rng.logistic(size=n))
    limit = rng.exponential(3.0, n)
    return X, (time <= limit, np.minimum(time, limit))


def true_survival(X, spread=0.5):
    """The survival of such subjects at `TIMES`."""
    return 1.0 / (1.0 + np.exp((np.log(TIMES) + (X @ BETA)[:, None]) / spread))
