"""Bins that are quantiles of the features.

XGBoost sketches quantiles: it reads the rows one after another and keeps some of their values. Which ones depends on
the order of the rows, on how many of them a weight is divided between, and on the version of XGBoost. Here quantiles
are exact. XGBoost is given them as the values of a few rows, too few to be sketched, and takes over the bins of these.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from hazboost.utils.arrays import Array
from hazboost.utils.threads import map_threads

#: Values of a feature, as precise as thresholds are.
Values = npt.NDArray[np.float32]

#: By this share of a bin sums of the same weights may differ, because they are rounded.
ROUNDING = 1e-6


def rows_with_bins(
    X: Any, weight: Array | None, most: int, categorical: Collection[int] = (), n_threads: int = 1
) -> Values | None:
    """A few rows in which XGBoost finds the bins of all rows; None where there are no more rows than bins.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, features)
        Encoded features. Values that are NaN, or not stored in a sparse matrix, are missing.
    weight : array of shape (n,), optional
        Weights of the rows.
    most : int
        Number of bins of a feature.
    categorical : collection of int
        Positions of features whose values are categories, each with a bin of its own.
    n_threads : int
        Number of threads.

    Returns
    -------
    array of shape (rows, features) or None
        The values of each feature, with NaN below where other features have more of them.
    """
    if X.shape[0] <= most:
        return None
    columns = X.tocsc() if scipy.sparse.issparse(X) else X

    def values_of(feature: int) -> Values:
        values, weights = _known(columns, feature, weight)
        return np.unique(values) if feature in categorical else bin_values(values, weights, most)

    found = map_threads(values_of, range(X.shape[1]), n_threads)
    rows: Values = np.full((max(map(len, found)), len(found)), np.nan, dtype=np.float32)
    for feature, values in enumerate(found):
        rows[: len(values), feature] = values
    return rows


def bin_values(values: Values, weight: Array | None, most: int) -> Values:
    """The lower ends of bins of equal weight, and the largest value: all values, if there are no more than bins.

    The k-th bin begins at the first value below which there are at least k parts of all weight. The largest value is
    needed for the threshold between all values and the missing ones. XGBoost makes no bin of it where there are `most`
    others.

    Examples
    --------
    >>> bin_values(np.arange(8, dtype=np.float32), None, 4)
    array([0., 2., 4., 6., 7.], dtype=float32)
    """
    if weight is None:
        distinct, mass = np.unique(values, return_counts=True)
    else:
        distinct, place = np.unique(values, return_inverse=True)
        mass = np.bincount(place, weight)
    if len(distinct) <= most:
        return distinct
    total = np.cumsum(mass)
    below = most * (total - mass) / total[-1]
    ends = np.searchsorted(below, np.arange(1, most) - ROUNDING)
    return np.unique(distinct[np.concatenate([[0], np.minimum(ends, len(distinct) - 1), [-1]])])


def _known(columns: Any, feature: int, weight: Array | None) -> tuple[Values, Array | None]:
    """The values of a feature that are not missing, and their weights."""
    if scipy.sparse.issparse(columns):
        stored = slice(columns.indptr[feature], columns.indptr[feature + 1])
        values, rows = columns.data[stored].astype(np.float32), columns.indices[stored]
        weight = None if weight is None else weight[rows]
    else:
        values = columns[:, feature].astype(np.float32)
    known = ~np.isnan(values)
    return values[known], None if weight is None else weight[known]
