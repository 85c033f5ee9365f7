"""From encoded features to the columns of a linear predictor.

Numbers are standardised, those with a skewed distribution after they were given the scores of a normal one; missing
values are put at the mean; categories become indicators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import ndtri

from hazboost.arrays import Array, Mask
from hazboost.features import Schema

#: Standardised features are cut here, so that no outlier carries a prediction away.
FARTHEST = 4.0
#: A number whose skewness is larger is given normal scores: effects of laboratory values, sizes and prices are closer
#: to linear in them.
SKEWED = 0.5
#: A map to normal scores is remembered at this many values at most, and is linear between them.
MAX_KNOTS = 256


class NormalScores(NamedTuple):
    """A map from values to the quantiles of a normal distribution; constant outside of the values seen."""

    values: Array
    scores: Array

    def __call__(self, column: Array) -> Array:
        """Scores of a column; NaN stays."""
        return np.where(np.isnan(column), np.nan, np.interp(column, self.values, self.scores))


@dataclass(frozen=True)
class Design:
    """Turns encoded features into standardised columns.

    Attributes
    ----------
    n_categories : dict
        For each categorical feature, by position, its number of categories.
    normal_scores : dict
        The maps of the skewed features, by position.
    center, scale : array
        Mean and standard deviation of each column.
    """

    n_categories: dict[int, int]
    normal_scores: dict[int, NormalScores]
    center: Array
    scale: Array

    def __call__(self, X: Any) -> Array:
        """Standardised columns, of shape (n, columns)."""
        columns = _columns(X, self.n_categories, self.normal_scores)
        filled = np.where(np.isnan(columns), self.center, columns)
        return np.clip((filled - self.center) / self.scale, -FARTHEST, FARTHEST)


def learn_design(X: Any, schema: Schema, weight: Array) -> Design:
    """Learn normal scores, means and standard deviations, with sample weights."""
    n_categories = {column: len(known) for column, known in schema.categories.items()}
    dense = _dense(X)
    normal_scores = {
        column: _learn_normal_scores(dense[:, column], weight)
        for column in range(dense.shape[1])
        if column not in n_categories and _is_skewed(dense[:, column], weight)
    }
    columns = _columns(dense, n_categories, normal_scores)
    center, spread = _mean_and_spread(columns, weight)
    return Design(n_categories, normal_scores, center, np.where(spread > 1e-12 * np.abs(center), spread, np.inf))


def _is_skewed(column: Array, weight: Array) -> bool:
    """Whether a number has more than two values and is far from symmetric."""
    seen = ~np.isnan(column)
    values, weight = column[seen], weight[seen]
    if not len(values) or not _has_three_values(values):
        return False
    (center,), (spread,) = _mean_and_spread(values[:, None], weight)
    skewness = np.average(np.clip((values - center) / spread, -1e3, 1e3) ** 3, weights=weight)
    return bool(abs(skewness) > SKEWED)


def _has_three_values(values: Array) -> bool:
    low, high = values.min(), values.max()
    return bool(((values != low) & (values != high)).any())


def _learn_normal_scores(column: Array, weight: Array) -> NormalScores:
    """Normal quantiles of the middles of the ranks that each value takes."""
    seen = ~np.isnan(column)
    values, position = np.unique(column[seen], return_inverse=True)
    mass = np.bincount(position, weights=weight[seen])
    middle = (np.cumsum(mass) - 0.5 * mass) / mass.sum()
    knots = np.unique(np.linspace(0, len(values) - 1, min(MAX_KNOTS, len(values))).round().astype(np.intp))
    return NormalScores(values[knots], ndtri(np.clip(middle[knots], 1e-6, 1.0 - 1e-6)))


def _mean_and_spread(columns: Array, weight: Array) -> tuple[Array, Array]:
    """Weighted means and standard deviations of columns, missing values left out."""
    seen: Mask = ~np.isnan(columns)
    mass = np.maximum(weight @ seen, np.finfo(float).tiny)
    center = (weight @ np.where(seen, columns, 0.0)) / mass
    return center, np.sqrt((weight @ (np.where(seen, columns, center) - center) ** 2) / mass)


def _columns(X: Any, n_categories: dict[int, int], normal_scores: dict[int, NormalScores]) -> Array:
    """Numbers, or their normal scores, and indicators; NaN where a feature is missing."""
    dense = _dense(X)
    if not n_categories and not normal_scores:
        return dense
    parts = []
    for position in range(dense.shape[1]):
        column = dense[:, position]
        if position in n_categories:
            parts.append(_indicators(column, n_categories[position]))
        else:
            parts.append((normal_scores[position](column) if position in normal_scores else column)[:, None])
    return np.concatenate(parts, axis=1)


def _indicators(column: Array, n_categories: int) -> Array:
    """One column for each category; of two categories the second says all."""
    categories = np.arange(1 if n_categories == 2 else 0, n_categories)
    return np.where(np.isnan(column)[:, None], np.nan, column[:, None] == categories)


def _dense(X: Any) -> Array:
    return np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)
