"""Design of the linear start: from encoded features to the columns of a linear predictor.

Numeric features are standardised, after a power transform if their distribution is skewed. Missing values are replaced
by the mean, and categories by indicators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from hazboost.data.design.entries import BLOCK, LARGEST, Entries, statistics_of_columns
from hazboost.data.design.power_transform import PowerTransform, fit_power_transform
from hazboost.data.design.products import (
    DenseColumns,
    DesignMatrix,
    IndicatorColumns,
    JoinedColumns,
    SparseColumns,
    first_columns,
)
from hazboost.data.features import Schema
from hazboost.utils.arrays import Array, Indices, Mask
from hazboost.utils.devices import is_on_device, match_device, to_host

#: Rows worked on at a time on a GPU.
DEVICE_ROWS = 2**22
#: Indicators with at most so many entries are written out, as products with a small array are faster.
WRITTEN_OUT = 2**16


@dataclass(frozen=True)
class Design:
    """Converts encoded features to standardised columns: those of numeric features, then indicators of categories.

    Attributes
    ----------
    numeric : array of int
        Positions of the features that are used as numbers; a category of one or two levels is one, by its code.
    standardisation : Standardisation
        Makes columns of these.
    indicators : Indicators
        Makes columns of the other features.
    """

    numeric: Indices
    standardisation: Standardisation
    indicators: Indicators

    def predict(self, X: Any, coefficient: Array) -> Array:
        """Products of the columns with coefficients of shape (columns, k), in blocks of rows; of shape (n, k)."""
        if scipy.sparse.issparse(X):
            return self.columns(X) @ coefficient
        if is_on_device(X) and not len(self.indicators.positions):
            there, product = self.standardisation.match_device(X), match_device(coefficient, X)
            return _in_blocks(X, lambda rows: there.dense(rows.astype(np.float64)) @ product, DEVICE_ROWS)
        predicted = _in_blocks(to_host(X), lambda rows: self.columns(rows) @ coefficient, BLOCK // max(1, X.shape[1]))
        return match_device(predicted, X)

    def parts(self, X: Any, coefficient: Array) -> Array:
        """What each feature adds to the products of `predict`, of shape (n, features, k)."""
        parts = np.zeros((X.shape[0], X.shape[1], coefficient.shape[1]))
        numbers = self._numbers(X)
        parts[:, self.numeric] = numbers[:, :, None] * coefficient[: numbers.shape[1]]
        for number, position in enumerate(self.indicators.positions):
            one, mine = self.indicators.of_feature(number)
            parts[:, position] = one.columns(X) @ coefficient[numbers.shape[1] :][mine]
        return parts

    def _numbers(self, X: Any) -> Array:
        """The columns of numeric features, written out."""
        if scipy.sparse.issparse(X):
            columns = self.standardisation.sparse(_without_duplicates(scipy.sparse.csr_matrix(X)))
            written: Array = columns.stored.toarray() + columns.constant
            return written
        return self.standardisation.dense(np.asarray(X, dtype=np.float64)[:, self.numeric]).values

    def columns(self, X: Any) -> DesignMatrix:
        """Standardised columns, of shape (n, columns)."""
        if scipy.sparse.issparse(X):
            return self.standardisation.sparse(_without_duplicates(scipy.sparse.csr_matrix(X)))
        X = np.asarray(X, dtype=np.float64)
        if not len(self.indicators.positions):
            return self.standardisation.dense(X)
        numbers, indicators = self.standardisation.dense(X[:, self.numeric]), self.indicators.columns(X)
        if max(indicators.shape) * indicators.shape[1] > WRITTEN_OUT:
            return JoinedColumns(numbers, indicators)
        return DenseColumns(np.column_stack([numbers.values, indicators @ np.eye(indicators.shape[1])]))

    @property
    def features(self) -> Indices:
        """The feature that each column comes from."""
        return np.concatenate([self.numeric, self.indicators.positions[self.indicators.number]])


@dataclass(frozen=True)
class Standardisation:
    """Converts numbers to columns of mean 0 and standard deviation 1.

    Attributes
    ----------
    skewed : array of bool, shape (columns,)
        Which columns are power-transformed.
    straightening : PowerTransform
        The transform of each column; read where it is skewed only.
    center, scale : arrays of shape (columns,)
        Mean and standard deviation of each column; the scale of a constant column is infinite.
    farthest : float
        Standardised columns are clipped here, which limits the effect of outliers on a prediction.
    """

    skewed: Mask
    straightening: PowerTransform
    center: Array
    scale: Array
    farthest: float

    def match_device(self, X: Any) -> Standardisation:
        """The same for features on a GPU."""
        straightening = PowerTransform(
            match_device(self.straightening.unit, X), match_device(self.straightening.power, X)
        )
        center, scale = match_device(self.center, X), match_device(self.scale, X)
        return Standardisation(self.skewed, straightening, center, scale, self.farthest)

    def dense(self, X: Array) -> DenseColumns:
        """Columns of an array."""
        columns, straightening = np.clip(X, -LARGEST, LARGEST), self.straightening.of(self.skewed)
        step = max(1, BLOCK // max(1, columns.shape[1]))
        for first in range(0, len(columns), step):
            block = columns[first : first + step]  # a view, so that a result takes the place of its values
            missing = np.isnan(block)
            if self.skewed.any():
                block[:, self.skewed] = straightening(block[:, self.skewed])
            block[:] = self.standardise(block, self.center, self.scale, missing)
        return DenseColumns(columns)

    def sparse(self, X: scipy.sparse.csr_matrix) -> SparseColumns:
        """Columns of a sparse matrix. What it does not store is zero, before and after any power transform."""
        at_zero = self.standardise(np.zeros_like(self.center), self.center, self.scale, np.False_)
        values, column = np.clip(X.data, -LARGEST, LARGEST), X.indices
        skewed = self.skewed[column]
        values[skewed] = self.straightening.of(column[skewed])(values[skewed])
        values = self.standardise(values, self.center[column], self.scale[column], np.isnan(X.data))
        stored = scipy.sparse.csr_matrix((values - at_zero[column], column, X.indptr), shape=X.shape)
        return SparseColumns(stored, at_zero)

    def standardise(self, values: Array, center: Array, scale: Array, missing: Mask | np.bool_) -> Array:
        """Standardise and clip; what was missing, and only that, is at the mean."""
        # Not wherever the result is NaN: one that arose on the way would be an error, which must not be hidden.
        return np.where(missing, 0.0, np.clip((values - center) / scale, -self.farthest, self.farthest))


@dataclass(frozen=True)
class Indicators:
    """Converts codes of categories to standardised indicators, one for each level.

    All levels are kept: the ridge penalty makes them identifiable, and the fit does not depend on the choice of a
    reference level.

    Attributes
    ----------
    positions : array of int
        Positions of the features.
    number : array of int, shape (columns,)
        Number of the feature of each column, among these.
    low, high : arrays of shape (columns,)
        What zero and one of each indicator are after standardisation.
    """

    positions: Indices
    number: Indices
    low: Array
    high: Array

    def of_feature(self, number: int) -> tuple[Indicators, Mask]:
        """The indicators of one of the features, by its number, and which of all indicators they are."""
        mine = self.number == number
        one = Indicators(self.positions[[number]], self.number[mine] - number, self.low[mine], self.high[mine])
        return one, mine

    def columns(self, X: Array) -> IndicatorColumns:
        """Columns of an array."""
        return IndicatorColumns(_levels(X[:, self.positions], self.number), self.number, self.low, self.high)


def _in_blocks(X: Any, function: Callable[[Any], Array], step: int) -> Array:
    """Values of a function of rows, computed in blocks of them."""
    firsts = range(0, max(1, X.shape[0]), max(1, step))
    return np.concatenate([function(X[first : first + max(1, step)]) for first in firsts])


def learn_design(X: Any, schema: Schema, weight: Array, skewness: float, farthest: float) -> Design:
    """Estimate power transforms, means and standard deviations, with sample weights.

    Numeric features whose absolute skewness exceeds ``skewness`` are power-transformed: effects of laboratory values,
    sizes and prices are often closer to linear in their logarithms or roots. ``farthest`` is that of `Standardisation`.
    """
    # One of two levels says everything, and its indicator is the code. A single level is constant, as its code is.
    levels = {position: len(known) for position, known in schema.categories.items() if len(known) > 2}
    numeric = np.setdiff1d(np.arange(X.shape[1]), list(levels))
    sparse = scipy.sparse.issparse(X)
    X = _without_duplicates(scipy.sparse.csc_matrix(X)) if sparse else np.asarray(X, dtype=np.float64)
    standardisation = _learn_standardisation(X, numeric, weight, skewness, farthest)
    return Design(numeric, standardisation, _learn_indicators(X, levels, weight, farthest))


def _learn_standardisation(
    X: Any, numeric: Indices, weight: Array, skewness: float, farthest: float
) -> Standardisation:
    center, spread, skew = statistics_of_columns(X, numeric, weight, _moments)
    skewed = np.abs(skew) > skewness
    unit, power = np.ones(len(numeric)), np.ones(len(numeric))
    if skewed.any():
        straight = statistics_of_columns(X, numeric[skewed], weight, _straight_moments)
        unit[skewed], power[skewed], center[skewed], spread[skewed] = straight
    return Standardisation(skewed, PowerTransform(unit, power), center, _scale(center, spread), farthest)


def _learn_indicators(X: Any, levels: dict[int, int], weight: Array, farthest: float) -> Indicators:
    positions, counts = (np.array(list(part), dtype=np.intp) for part in (levels.keys(), levels.values()))
    number = np.repeat(np.arange(len(counts)), counts)
    if not len(positions):
        return Indicators(positions, number, np.empty(0), np.empty(0))
    mass = _levels(X[:, positions], number).T @ weight
    total = np.bincount(number, mass)[number]
    center = mass / np.where(total > 0.0, total, 1.0)
    scale = _scale(center, np.sqrt(center * (1.0 - center)))
    return Indicators(
        positions,
        number,
        np.clip(-center / scale, -farthest, farthest),
        np.clip((1.0 - center) / scale, -farthest, farthest),
    )


def _moments(entries: Entries) -> tuple[Array, Array, Array]:
    """Means, standard deviations and skewnesses; the skewness of a column with fewer than three values is 0."""
    center, spread = _mean_and_spread(entries, entries.values)
    # The transform of a binary feature is linear, so it would change nothing after standardisation.
    low, high = entries.extremes()
    between = (entries.values > entries.of_columns(low)) & (entries.values < entries.of_columns(high))
    zero_between = (low < 0.0) & (high > 0.0)
    several = entries.mean(between.astype(np.float64), zero_between.astype(np.float64)) > 0.0
    # The spread of very small values may be zero, because their squares underflow.
    scale = np.where(several & (spread > 0.0), spread, np.inf)

    def cubes(values: Array | float, center: Array, scale: Array) -> Array:
        # Clipped at 1000 standard deviations, where the third power is still far from overflow.
        distance = np.clip((values - center) / scale, -1e3, 1e3)
        cube: Array = distance * distance * distance  # several times as fast as a power of 3
        return cube

    terms = cubes(entries.values, entries.of_columns(center), entries.of_columns(scale))
    return center, spread, entries.mean(terms, cubes(0.0, center, scale))


def _straight_moments(entries: Entries) -> tuple[Array, Array, Array, Array]:
    """Units and powers of the transforms, and means and standard deviations of the transformed columns."""
    straightening = fit_power_transform(entries)
    unit, power = straightening.unit, straightening.power
    straight = PowerTransform(entries.of_columns(unit), entries.of_columns(power))(entries.values)
    return unit, power, *_mean_and_spread(entries, straight)


def _mean_and_spread(entries: Entries, values: Array) -> tuple[Array, Array]:
    """Weighted means and standard deviations of values that replace those of the entries; zeros stay zeros."""
    center = entries.mean(values, 0.0)
    return center, np.sqrt(entries.mean((values - entries.of_columns(center)) ** 2, center**2))


def _scale(center: Array, spread: Array) -> Array:
    """What a column is divided by: its standard deviation; infinity, which makes it zero, where it is constant."""
    # The computed standard deviation of a constant may be a rounding error instead of 0, hence the relative threshold.
    return np.where(spread > 1e-12 * np.abs(center), spread, np.inf)


def _levels(codes: Array, number: Indices) -> scipy.sparse.csr_matrix:
    """The level of each feature in each row, as a matrix of ones; ``number`` is the feature of each of its columns."""
    seen = ~np.isnan(codes)
    column = (codes + first_columns(number))[seen].astype(np.intp)
    ends = np.concatenate([[0], np.cumsum(seen.sum(axis=1))])
    return scipy.sparse.csr_matrix((np.ones(len(column)), column, ends), shape=(len(codes), len(number)))


def _without_duplicates(X: Any) -> Any:
    """The same matrix, with one stored entry for each place: several count as their sum."""
    if X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X
