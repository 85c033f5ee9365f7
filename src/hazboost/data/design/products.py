"""Columns of a linear predictor, which are never written out: they only have to be multiplied.

A linear fit needs two products of its columns Z, ``Z @ coefficients`` and ``Z' @ residuals``. Standardised columns of a
sparse matrix are sparse up to a constant in each column, and an indicator has only two values, so both products
visit the stored entries, or each row once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.sparse

from hazboost.utils.arrays import Array, Indices


class DesignMatrix(Protocol):
    """A matrix of shape (n, columns), by its products with matrices."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def __matmul__(self, coefficient: Array) -> Array:
        """The product with a matrix of shape (columns, k)."""

    def transposed_product(self, values: Array) -> Array:
        """The product of the transpose with a matrix of shape (n, k)."""


@dataclass(frozen=True)
class DenseColumns:
    """An array."""

    values: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.values.shape[0], self.values.shape[1]

    def __matmul__(self, coefficient: Array) -> Array:
        """The product with a matrix of shape (columns, k)."""
        product: Array = self.values @ coefficient
        return product

    def transposed_product(self, values: Array) -> Array:
        """The product of the transpose with a matrix of shape (n, k)."""
        product: Array = self.values.T @ values
        return product


@dataclass(frozen=True)
class SparseColumns:
    """A sparse matrix plus one number for each column, in all of its rows."""

    stored: scipy.sparse.csr_matrix
    constant: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.stored.shape[0], self.stored.shape[1]

    def __matmul__(self, coefficient: Array) -> Array:
        """The product with a matrix of shape (columns, k)."""
        product: Array = self.stored @ coefficient + self.constant @ coefficient
        return product

    def transposed_product(self, values: Array) -> Array:
        """The product of the transpose with a matrix of shape (n, k)."""
        product: Array = self.stored.T @ values + np.outer(self.constant, values.sum(axis=0))
        return product


@dataclass(frozen=True)
class IndicatorColumns:
    """One column for each level of categorical features: ``high`` where the feature has this level, elsewhere ``low``.

    Where a feature is missing, all its columns are zero.

    Attributes
    ----------
    level : sparse matrix of shape (n, columns)
        In each row a one for each feature, at its level; none where the feature is missing.
    feature : array of int, shape (columns,)
        The feature of each column, numbered 0, 1, 2, ... from left to right.
    low, high : arrays of shape (columns,)
        The two values of each column.
    """

    level: scipy.sparse.csr_matrix
    feature: Indices
    low: Array
    high: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.level.shape[0], self.level.shape[1]

    def __matmul__(self, coefficient: Array) -> Array:
        """The product with a matrix of shape (columns, k)."""
        # A row has the low value in all columns of a feature, and in that of its level the difference to the high one.
        of_level = self._sum_levels(self.low[:, None] * coefficient) + (self.high - self.low)[:, None] * coefficient
        product: Array = self.level @ of_level
        return product

    def transposed_product(self, values: Array) -> Array:
        """The product of the transpose with a matrix of shape (n, k)."""
        at_level: Array = self.level.T @ values
        return self.low[:, None] * self._sum_levels(at_level) + (self.high - self.low)[:, None] * at_level

    def _sum_levels(self, numbers: Array) -> Array:
        """Sums over the levels of each feature, for each of these levels."""
        sums: Array = np.add.reduceat(numbers, first_columns(self.feature), axis=0)[self.feature]
        return sums


def first_columns(feature: Indices) -> Indices:
    """The first column of each feature, from the feature of each column.

    Examples
    --------
    >>> first_columns(np.array([0, 0, 0, 1, 1, 1, 1]))
    array([0, 3])
    """
    return np.flatnonzero(np.diff(feature, prepend=-1))


@dataclass(frozen=True)
class JoinedColumns:
    """Columns of one matrix to the left of those of another."""

    left: DesignMatrix
    right: DesignMatrix

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.left.shape[0], self.left.shape[1] + self.right.shape[1]

    def __matmul__(self, coefficient: Array) -> Array:
        """The product with a matrix of shape (columns, k)."""
        width = self.left.shape[1]
        return self.left @ coefficient[:width] + self.right @ coefficient[width:]

    def transposed_product(self, values: Array) -> Array:
        """The product of the transpose with a matrix of shape (n, k)."""
        return np.concatenate([self.left.transposed_product(values), self.right.transposed_product(values)])
