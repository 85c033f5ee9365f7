"""Design matrix of the linear start: from encoded features to the columns of a linear predictor.

Numeric features are standardised, after a power transform if their distribution is skewed. Missing values are replaced
by the mean, and categories by indicators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.optimize import minimize_scalar

from hazboost.data.features import Schema
from hazboost.utils.arrays import Array, Mask

#: Values are clipped here, so that their squares do not overflow.
LARGEST = 1e100
#: Exponents are clipped here: exp(300) is 1e130, whose square, needed for a variance, does not overflow either.
MAX_EXPONENT = 300.0
#: Range in which the power is searched.
POWERS = (-4.0, 6.0)


class Straightening(NamedTuple):
    r"""The power transform of Yeo and Johnson (2000), which makes a skewed distribution more symmetric.

    .. math:: y = \frac{(1 + x)^p - 1}{p} \text{ for } x \ge 0, \qquad -\frac{(1 - x)^{2 - p} - 1}{2 - p} \text{ below},

    with logarithms if a power is zero. Here x is in units of its mean absolute value, so that the transform does not
    depend on the unit of measurement.
    """

    unit: float
    power: float

    def __call__(self, column: Array) -> Array:
        """Transform a column; NaN stays NaN."""
        missing = np.isnan(column)
        values = np.where(missing, 0.0, column)
        # log(1 + |x|) and expm1 keep full precision for values close to zero.
        size = np.log1p(np.abs(values) / self.unit)
        straight = np.where(values >= 0.0, _power(size, self.power), -_power(size, 2.0 - self.power))
        return np.where(missing, np.nan, straight)


def _power(log_size: Array, power: float) -> Array:
    """``(size^power - 1) / power``, or its limit for a power of zero, the logarithm."""
    return np.expm1(np.clip(power * log_size, -MAX_EXPONENT, MAX_EXPONENT)) / power if power else log_size


@dataclass(frozen=True)
class Design:
    """Converts encoded features to standardised columns.

    Attributes
    ----------
    n_categories : dict
        Number of categories of each categorical feature, by position.
    straightening : dict
        Power transforms of the skewed features, by position.
    center, scale : array
        Mean and standard deviation of each column; the scale of a constant column is infinite.
    farthest : float
        Standardised columns are clipped here, which limits the effect of outliers on a prediction.
    """

    n_categories: dict[int, int]
    straightening: dict[int, Straightening]
    center: Array
    scale: Array
    farthest: float

    def __call__(self, X: Any) -> Array:
        """Standardised columns, of shape (n, columns)."""
        columns = _columns(X, self.n_categories, self.straightening)
        filled = np.where(np.isnan(columns), self.center, columns)
        return np.clip((filled - self.center) / self.scale, -self.farthest, self.farthest)


def learn_design(X: Any, schema: Schema, weight: Array, skewness: float, farthest: float) -> Design:
    """Estimate power transforms, means and standard deviations, with sample weights.

    Numeric features whose absolute skewness exceeds ``skewness`` are power-transformed: effects of laboratory values,
    sizes and prices are often closer to linear in their logarithms or roots. ``farthest`` is that of `Design`.
    """
    n_categories = {column: len(known) for column, known in schema.categories.items()}
    dense = _dense(X)
    straightening = {
        column: _learn_straightening(dense[:, column], weight)
        for column in range(dense.shape[1])
        if column not in n_categories and abs(_skewness(dense[:, column], weight)) > skewness
    }
    columns = _columns(dense, n_categories, straightening)
    center, spread = _mean_and_spread(columns, weight)
    # An infinite scale makes a constant column zero, at training and at prediction. Its computed standard deviation may
    # be a rounding error instead of 0, hence the relative threshold.
    scale = np.where(spread > 1e-12 * np.abs(center), spread, np.inf)
    return Design(n_categories, straightening, center, scale, farthest)


def _skewness(column: Array, weight: Array) -> float:
    """Skewness of a numeric feature; 0 if it has fewer than three values."""
    seen = ~np.isnan(column)
    values, weight = column[seen], weight[seen]
    # The transform of a binary feature is linear, so it would change nothing after standardisation.
    if not len(values) or not _has_three_values(values):
        return 0.0
    (center,), (spread,) = _mean_and_spread(values[:, None], weight)
    if spread == 0.0:  # values so small that their squares underflow
        return 0.0
    # Clipped at 1000 standard deviations, where the third power is still far from overflow.
    return float(np.average(np.clip((values - center) / spread, -1e3, 1e3) ** 3, weights=weight))


def _has_three_values(values: Array) -> bool:
    low, high = values.min(), values.max()
    return bool(((values != low) & (values != high)).any())


def _learn_straightening(column: Array, weight: Array) -> Straightening:
    """Estimate the power by maximum likelihood for a normal distribution of the transformed column."""
    seen = ~np.isnan(column)
    values, share = column[seen], weight[seen] / weight[seen].sum()
    unit = float(share @ np.abs(values))
    # The mean log-derivative of the transform is (power - 1) times this; it is the Jacobian term of the likelihood.
    stretch = float(share @ (np.sign(values) * np.log1p(np.abs(values) / unit)))

    def negative_log_likelihood(power: float) -> float:
        straight = Straightening(unit, power)(values)
        variance = share @ (straight - share @ straight) ** 2
        return float(0.5 * np.log(variance) - (power - 1.0) * stretch)

    return Straightening(unit, float(minimize_scalar(negative_log_likelihood, bounds=POWERS, method="bounded").x))


def _mean_and_spread(columns: Array, weight: Array) -> tuple[Array, Array]:
    """Weighted means and standard deviations of columns, without the missing values."""
    # A column without observed values has mass 0; `tiny` avoids 0 / 0.
    seen: Mask = ~np.isnan(columns)
    mass = np.maximum(weight @ seen, np.finfo(float).tiny)
    center = (weight @ np.where(seen, columns, 0.0)) / mass
    return center, np.sqrt((weight @ (np.where(seen, columns, center) - center) ** 2) / mass)


def _columns(X: Any, n_categories: dict[int, int], straightening: dict[int, Straightening]) -> Array:
    """Numeric columns, transformed if skewed, and indicators of categories; NaN where a feature is missing."""
    dense = _dense(X)
    if not n_categories and not straightening:
        return dense
    parts = []
    for position in range(dense.shape[1]):
        column = dense[:, position]
        if position in n_categories:
            parts.append(_indicators(column, n_categories[position]))
        else:
            parts.append((straightening[position](column) if position in straightening else column)[:, None])
    return np.concatenate(parts, axis=1)


def _indicators(column: Array, n_categories: int) -> Array:
    """One indicator column for each category; of two categories only the second, as the first is redundant.

    With more than two categories all indicators are kept: the ridge penalty makes them identifiable, and the fit does
    not depend on the choice of a reference category.
    """
    categories = np.arange(1 if n_categories == 2 else 0, n_categories)
    return np.where(np.isnan(column)[:, None], np.nan, column[:, None] == categories)


def _dense(X: Any) -> Array:
    dense = np.asarray(X.toarray() if scipy.sparse.issparse(X) else X, dtype=np.float64)
    return np.clip(dense, -LARGEST, LARGEST)
