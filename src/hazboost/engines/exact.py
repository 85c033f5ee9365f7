"""All splits between neighbouring values, as ``tree_method="exact"`` considers them, found many times faster.

XGBoost's exact search walks through sorted values for every node. Here each value is replaced by its rank among the
values of its feature, and every rank is a bin of its own: the histograms of ``tree_method="hist"`` then hold all splits.
In the finished trees, ranks are replaced by the middle between the two values that they separate, as in exact trees.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import xgboost as xgb

from hazboost.engines.base import Columns
from hazboost.engines.local import LocalEngine
from hazboost.utils.arrays import Array

#: Of each feature its values in training, in order.
Values = tuple[Array, ...]


class RankedMatrix(NamedTuple):
    """Rows with ranks in place of features, and the values that have them."""

    data: xgb.DMatrix
    values: Values


class RankedTrees(NamedTuple):
    """Trees that split ranks, and the values that have them."""

    booster: xgb.Booster
    values: Values


@dataclass(frozen=True)
class ExactEngine(LocalEngine):
    """XGBoost in this process, with all splits between neighbouring values of features that are not sparse.

    ``Matrix`` is `RankedMatrix` in training and a ``DMatrix`` in prediction. ``Trees`` are `RankedTrees` while they
    grow; `truncate` makes an ordinary ``Booster`` of them.
    """

    def matrix(self, X: Any, start: Array, columns: Columns | None = None, like: RankedMatrix | None = None) -> Any:
        """Data for XGBoost; those for training or validation in ranks."""
        if columns is None:
            return super().matrix(X, start)
        values = learn_values(X) if like is None else like.values
        data = self._of_ranks(values).matrix(ranks(X, values), start, columns, None if like is None else like.data)
        return RankedMatrix(data, values)

    def _of_ranks(self, values: Values) -> LocalEngine:
        """An engine with a bin for each rank; limits of the values say nothing of ranks."""
        features = None if self.features is None else replace(self.features, highest=None)
        bins = {"tree_method": "hist", "max_bin": max(2, *map(len, values)) if values else 2}
        return LocalEngine({**self.settings, **bins}, self.n_scores, features)

    def columns(self, matrix: RankedMatrix) -> Columns:
        """The columns of a matrix, in single precision."""
        return super().columns(matrix.data)

    def no_trees(self, matrix: RankedMatrix) -> RankedTrees:
        """A booster without trees."""
        return RankedTrees(self._of_ranks(matrix.values).no_trees(matrix.data), matrix.values)

    def grow(self, trees: RankedTrees, matrix: RankedMatrix, gradient: Array, hessian: Array) -> RankedTrees:
        """One more round."""
        return trees._replace(booster=super().grow(trees.booster, matrix.data, gradient, hessian))

    def scores(self, trees: Any, matrix: Any, rounds: tuple[int, int] | None = None) -> Array:
        """Start plus trees; of growing trees for ranks, of finished ones for values."""
        if isinstance(trees, RankedTrees):
            return super().scores(trees.booster, matrix.data, rounds)
        return super().scores(trees, matrix, rounds)

    def rounds(self, trees: Any) -> int:
        """Number of rounds that were made."""
        return super().rounds(trees.booster if isinstance(trees, RankedTrees) else trees)

    def truncate(self, trees: Any, rounds: int) -> xgb.Booster:
        """The first rounds, with splits of values."""
        if not isinstance(trees, RankedTrees):
            return super().truncate(trees, rounds)
        return super().truncate(split_values(trees), rounds)


def learn_values(X: Array) -> Values:
    """The values of each feature, in order, in the single precision of trees."""
    return tuple(np.unique(column[~np.isnan(column)].astype(np.float32)).astype(np.float64) for column in X.T)


def middles(values: Array) -> Array:
    """Where exact trees split: in the middle of two neighbouring values.

    Examples
    --------
    >>> middles(np.array([1.0, 2.0, 5.0]))
    array([1.5, 3.5])
    """
    return 0.5 * (values[1:] + values[:-1])


def ranks(X: Array, values: Values) -> Array:
    """Ranks of the features of some rows; a new value has that of the value on its side of the splits.

    Examples
    --------
    >>> ranks(np.array([[0.0], [1.4], [1.5], [9.0], [np.nan]]), (np.array([1.0, 2.0, 5.0]),)).ravel()
    array([ 0.,  0.,  1.,  2., nan])
    """
    ranked = np.full(X.shape, np.nan)
    for i, known in enumerate(values):
        column = X[:, i].astype(np.float32).astype(np.float64)
        seen = ~np.isnan(column)
        ranked[seen, i] = np.searchsorted(middles(known), column[seen], side="right")
    return ranked


def split_values(trees: RankedTrees) -> xgb.Booster:
    """The same trees, whose splits are between values instead of ranks.

    A split at rank r sends lower ranks to the left. One above all ranks only tells missing values from others, and gets
    the largest number as its threshold.
    """
    model = json.loads(trees.booster.save_raw(raw_format="json"))
    # Position of a split at rank r of feature j in the list of all thresholds: the start of the feature plus r.
    largest = float(np.finfo(np.float32).max)
    lists = [np.concatenate([[-largest], middles(known), [largest]]) for known in trees.values]
    first = np.cumsum([0, *map(len, lists)])[:-1]
    thresholds = np.concatenate(lists).astype(np.float32)
    for tree in model["learner"]["gradient_booster"]["model"]["trees"]:
        inner = np.asarray(tree["left_children"]) >= 0
        split, feature = np.asarray(tree["split_conditions"]), np.asarray(tree["split_indices"])
        rank = np.minimum(np.ceil(split[inner]), [len(lists[j]) - 1 for j in feature[inner]]).astype(np.intp)
        split[inner] = thresholds[first[feature[inner]] + rank]
        tree["split_conditions"] = split.tolist()
    booster = xgb.Booster()
    booster.load_model(bytearray(json.dumps(model), "utf-8"))
    return booster
