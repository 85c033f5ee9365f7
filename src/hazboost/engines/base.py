"""What Algorithm 1 needs from whatever grows its trees.

The interface is small on purpose: data that live on one machine, on a GPU, on disk or on a cluster differ in how they
are held and how trees are grown on them, not in the algorithm. ``Matrix`` and ``Trees`` are the engine's own types;
everybody else only passes them around.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from hazboost.utils.arrays import Array

#: Numbers of each row that travel with the features, by name.
Columns: TypeAlias = Mapping[str, Array]
#: Features, start and columns of some rows, as the engine holds them.
Matrix: TypeAlias = Any
#: Trees grown so far, as the engine holds them.
Trees: TypeAlias = Any


class Engine(Protocol):
    """Grows one tree for each score and round."""

    @property
    def learning_rate(self) -> float:
        """Factor on the contribution of each tree."""

    def with_settings(self, **settings: Any) -> Engine:
        """The same engine with some parameters of the trees changed: ``max_depth``, ``seed``, ``nthread``."""

    def matrix(self, X: Any, start: Array, columns: Columns | None = None, like: Matrix | None = None) -> Matrix:
        """Take over the data of some rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, features)
            Encoded features.
        start : array of shape (n, scores)
            Scores before the first tree.
        columns : mapping of str to array, optional
            What the objective needs to know of each row. Data with columns are for training or validation; without,
            for prediction.
        like : Matrix, optional
            For held-out rows the training data, whose bins they must use if they are binned at all.
        """

    def to_engine_device(self, X: Any) -> Any:
        """Encoded features where the engine works, so that predictions are computed there."""

    def columns(self, matrix: Matrix) -> Columns:
        """The columns that a matrix was given, as precisely as the engine keeps them."""

    def no_trees(self, matrix: Matrix) -> Trees:
        """An ensemble of no trees, to be grown on this matrix."""

    def grow(self, trees: Trees, matrix: Matrix, gradient: Array, hessian: Array) -> Trees:
        """Add one tree for each score, fitted to minus the gradient over the hessian, both of shape (n, scores).

        Both are zero where a score does not matter to a row. The trees that were passed in may be changed.
        """

    def scores(self, trees: Trees, matrix: Matrix, rounds: tuple[int, int] | None = None) -> Array:
        """Start plus trees of all rounds, or of the rounds ``first <= m < last``, of shape (n, scores)."""

    def contributions(self, trees: Trees, matrix: Matrix) -> Array:
        """What each feature adds to start plus trees, of shape (n, scores, features + 1); last, what the start adds.

        They are exact Shapley values of the trees, in which features that are not known yet take both ways at a split,
        in proportion to the training rows; the mean of the trees counts to the start. Their sum is that of `scores`.
        """

    def interactions(self, trees: Trees, matrix: Matrix) -> Array:
        """What each pair of features adds, of shape (n, scores, features + 1, features + 1).

        A pair has half of its interaction in each of its two places. The sums over the last axis are `contributions`.
        """

    def total(self, values: Array) -> Array:
        """Sums, of which these are the parts of the rows that this process holds: themselves if it holds all rows."""

    def largest(self, value: float) -> float:
        """The largest over all rows of what is ``value`` over the rows that this process holds."""

    def rounds(self, trees: Trees) -> int:
        """Number of rounds that were made."""

    def truncate(self, trees: Trees, rounds: int) -> Trees:
        """The trees of the first rounds, at least one of them, free of the data that they were grown on."""
