"""All splits between neighbouring values, as ``tree_method="exact"`` considers them, found many times faster.

XGBoost's exact search walks through the sorted values of every node, and splits in the middle of two of them. Its
histograms split at the lower ends of bins. So every value is a bin of its own here, and stands at its lower end: in the
middle between itself and the value below. The trees then divide the training data as those of the exact search do. A
threshold is in the middle of two neighbouring values of all rows; in the exact search, of the rows in the node, which
is another number below the first split. Only new rows with a value between these neighbours can tell the difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import xgboost as xgb

from hazboost.engines.base import Columns
from hazboost.engines.local import LocalEngine
from hazboost.utils.arrays import Array

#: With more rows there may be so many values that histograms of all of them are slower than the exact search.
MOST_ROWS = 2**14


@dataclass(frozen=True)
class ExactEngine(LocalEngine):
    """XGBoost in this process, with all splits between neighbouring values of features that are not sparse."""

    def matrix(
        self, X: Any, start: Array, columns: Columns | None = None, like: xgb.DMatrix | None = None
    ) -> xgb.DMatrix:
        """Data for XGBoost; values of training data stand at the lower ends of their bins.

        Not if some are missing: a split between these and all others has a threshold that depends on the largest value.
        """
        if columns is None or like is not None or len(X) > MOST_ROWS or np.isnan(X).any():
            return super().matrix(X, start, columns, like)
        return self._with_all_bins(len(X)).matrix(lower_ends(X), start, columns)

    def no_trees(self, matrix: xgb.DMatrix) -> xgb.Booster:
        """A booster without trees."""
        if not isinstance(matrix, xgb.QuantileDMatrix):
            return super().no_trees(matrix)
        return self._with_all_bins(matrix.num_row()).no_trees(matrix)

    def _with_all_bins(self, rows: int) -> LocalEngine:
        """An engine that has a bin for each of so many values."""
        settings = {**self.settings, "tree_method": "hist", "max_bin": max(rows, 2)}
        return LocalEngine(settings, self.n_scores, self.features)


def lower_ends(X: Array) -> npt.NDArray[np.float32]:
    """Each value replaced by the middle between it and the next lower value of its feature, in single precision.

    The lowest value stays as it is. Where two values are so close that there is no number in their middle, it is the
    higher one.

    Examples
    --------
    >>> lower_ends(np.array([[1.0], [5.0], [2.0], [2.0]])).ravel()
    array([1. , 3.5, 1.5, 1.5], dtype=float32)
    """
    lowered: npt.NDArray[np.float32] = np.empty(X.shape, dtype=np.float32)
    for i, column in enumerate(X.T.astype(np.float32)):
        values, place = np.unique(column, return_inverse=True)
        middles = (0.5 * (values[1:].astype(np.float64) + values[:-1])).astype(np.float32)
        ends = np.concatenate([values[:1], np.maximum(middles, np.nextafter(values[:-1], np.float32(np.inf)))])
        lowered[:, i] = ends[place.ravel()]
    return lowered
