"""The data of the study: simulated, or a data set of the paper."""

from __future__ import annotations

from typing import Any

import numpy as np

COLUMNS = 20
SHAPE = 1.4
#: Mean of the censoring times, for which about half of the times are censored.
CENSORING = 0.9
#: Times at which survival is predicted.
TIMES = 100

#: Name -> array, as it is saved for the measuring process.
Arrays = dict[str, Any]


def simulate(rows: int, rng: Any, precision: Any = np.float64) -> Arrays:
    """Weibull times with linear effects, a threshold, an interaction and noise features; half of them are censored.

    Parameters
    ----------
    rows : int
        Number of subjects.
    rng : Generator
        Of NumPy or of CuPy: the arrays are where it is.
    precision : dtype
        Of the features.
    """
    X = rng.standard_normal((rows, COLUMNS), dtype=precision)
    risk = 0.8 * X[:, 0] - 0.5 * X[:, 1] + (X[:, 2] > 0.5) + 0.5 * X[:, 3] * X[:, 4]
    time = rng.standard_exponential(rows) ** (1.0 / SHAPE) * np.exp(-risk / SHAPE)
    limit = CENSORING * rng.standard_exponential(rows)
    return {"X": X, "event": time <= limit, "time": np.minimum(time, limit)}


def numbered(rows: int, repeat: int) -> Arrays:
    """Simulated data that depend on their number of rows and on the repeat only."""
    return simulate(rows, np.random.default_rng([repeat, rows]))


def with_new_rows(rows: int, new: int, repeat: int) -> Arrays:
    """Simulated data, other rows to predict for, and times."""
    data = numbered(rows, repeat)
    times = np.quantile(data["time"], np.linspace(0.01, 0.99, TIMES))
    return data | {"new": numbered(new, repeat + 1)["X"], "times": times}


def of_the_paper(name: str) -> Arrays:
    """All rows of a data set of the paper; one-hot and standardised, times divided by the longest."""
    from benchmarks.peers.shared.curves import positive  # noqa: PLC0415 - data on a GPU are simulated without pandas
    from benchmarks.peers.shared.tables import standardised  # noqa: PLC0415
    from hazboost.datasets import load_dataset  # noqa: PLC0415

    dataset = load_dataset(name)
    time = positive(dataset.y["time"] / dataset.y["time"].max())
    X = dataset.X.astype(dict.fromkeys(dataset.X.select_dtypes("bool"), float))
    return {"X": standardised().fit_transform(X), "event": dataset.y["event"], "time": time}
