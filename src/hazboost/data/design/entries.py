"""Numeric features, dense or sparse, as weighted values: what moments of columns are computed from.

A statistic is written once, for `Entries`. Of a sparse matrix only the stored entries are visited; all others are zero
and count together. Columns are visited in blocks, so that temporary arrays stay small however wide the data are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any, Protocol

import numpy as np
import scipy.sparse

from hazboost.utils.arrays import Array, Indices, Mask

#: Values are clipped here, so that their squares do not overflow.
LARGEST = 1e100
#: Numbers worked on at a time: few enough to stay in the processor's cache.
BLOCK = 2**18


class Entries(Protocol):
    """Observed values of some columns, and the share of each in the weight of its column."""

    @property
    def values(self) -> Array:
        """The values; those that are missing are zero here, and have no share."""

    def of_columns(self, numbers: Array) -> Array:
        """Numbers given for each column, in a shape that can be combined with the values."""

    def mean(self, terms: Array, at_zero: Array | float) -> Array:
        """Weighted mean of each column of terms, given for the values; ``at_zero`` is the term of a zero."""

    def extremes(self) -> tuple[Array, Array]:
        """The smallest and the largest value of each column that has a share."""


@dataclass(frozen=True)
class DenseEntries:
    """All values of some columns, of shape (n, columns); ``share`` has this shape, or (n,) where none is missing."""

    values: Array
    share: Array

    def of_columns(self, numbers: Array) -> Array:
        """One number for each column broadcasts as it is."""
        return numbers

    def mean(self, terms: Array, at_zero: Array | float) -> Array:
        """Weighted mean of each column; zeros are among the values."""
        mean: Array = self.share @ terms if self.share.ndim == 1 else np.einsum("ij,ij->j", self.share, terms)
        return mean

    def extremes(self) -> tuple[Array, Array]:
        """The smallest and the largest value of each column that has a share."""
        counts = np.broadcast_to((self.share > 0.0).reshape(len(self.values), -1), self.values.shape)
        return (
            np.min(self.values, axis=0, where=counts, initial=np.inf),
            np.max(self.values, axis=0, where=counts, initial=-np.inf),
        )


@dataclass(frozen=True)
class SparseEntries:
    """Stored values, with the column and the share of each; ``rest`` is the share of the zeros of each column."""

    values: Array
    column: Indices
    share: Array
    rest: Array

    def of_columns(self, numbers: Array) -> Array:
        """The number of the column of each value."""
        return numbers[self.column]

    def mean(self, terms: Array, at_zero: Array | float) -> Array:
        """Weighted mean of each column, in which all entries that are not stored have the same term."""
        mean: Array = np.bincount(self.column, self.share * terms, len(self.rest)) + self.rest * at_zero
        return mean

    def extremes(self) -> tuple[Array, Array]:
        """The smallest and the largest value of each column that has a share."""
        low = np.where(self.rest > 0.0, 0.0, np.inf)
        high, counts = -low, self.share > 0.0
        np.minimum.at(low, self.column[counts], self.values[counts])
        np.maximum.at(high, self.column[counts], self.values[counts])
        return low, high


def statistics_of_columns(
    X: Any, columns: Indices, weight: Array, statistics: Callable[[Entries], tuple[Array, ...]]
) -> tuple[Array, ...]:
    """Numbers for each of some columns, computed in blocks of them.

    Parameters
    ----------
    X : array or CSC matrix of shape (n, features)
        Encoded features.
    columns : array of int
        Which of them.
    weight : array of shape (n,)
        Weights of the rows.
    statistics : callable
        From the entries of some columns to arrays with one number for each of these.
    """
    size = X.nnz if scipy.sparse.issparse(X) else X.size
    blocks = np.array_split(columns, max(1, ceil(size * len(columns) / max(1, X.shape[1]) / BLOCK)))
    parts = [statistics(entries_of(X[:, block], weight)) for block in blocks]
    return tuple(np.concatenate(part) for part in zip(*parts, strict=True))


def entries_of(X: Any, weight: Array) -> Entries:
    """Entries of an array, or of a CSC matrix without duplicates."""
    return _sparse_entries(X, weight) if scipy.sparse.issparse(X) else _dense_entries(X, weight)


def _dense_entries(X: Array, weight: Array) -> DenseEntries:
    seen: Mask = ~np.isnan(X)
    values = np.clip(X, -LARGEST, LARGEST)
    if seen.all():
        return DenseEntries(values, weight / weight.sum())
    share = np.where(seen, weight[:, None], 0.0)
    return DenseEntries(np.where(seen, values, 0.0), share / _not_zero(share.sum(axis=0)))


def _sparse_entries(X: Any, weight: Array) -> SparseEntries:
    (n, width), stored = X.shape, np.diff(X.indptr)
    seen: Mask = ~np.isnan(X.data)
    column = np.repeat(np.arange(width), stored)
    heavy = np.where(seen, weight[X.indices], 0.0)
    stored_mass: Array = np.bincount(column, weight[X.indices], width).astype(np.float64)
    seen_mass: Array = np.bincount(column, heavy, width).astype(np.float64)
    # A rounding error must not look like a zero in a column without any.
    rest = np.where(stored < n, np.maximum(weight.sum() - stored_mass, 0.0), 0.0)
    mass = _not_zero(seen_mass + rest)
    values = np.where(seen, np.clip(X.data, -LARGEST, LARGEST), 0.0)
    return SparseEntries(values, column, heavy / mass[column], rest / mass)


def _not_zero(mass: Array) -> Array:
    """The mass of each column; that of a column without observed values is not 0 but tiny, which avoids 0 / 0."""
    return np.maximum(mass, np.finfo(float).tiny)
