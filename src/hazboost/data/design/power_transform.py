"""The power transform of skewed features in the linear start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log

import numpy as np

from hazboost.data.design.entries import Entries
from hazboost.utils.arrays import Array, Indices, Mask

#: Exponents are clipped here: exp(300) is 1e130, whose square, needed for a variance, does not overflow either.
MAX_EXPONENT = 300.0
#: Range in which the power is searched.
POWERS = (-4.0, 6.0)
#: Width to which golden sections narrow this range; the parabola that follows is a thousand times as precise.
NARROW = 1e-3
#: Smaller powers count as zero. The difference is below rounding errors; products with such powers would underflow.
SMALLEST_POWER = 1e-18
#: The golden ratio, below one.
GOLDEN = (5.0**0.5 - 1.0) / 2.0


@dataclass(frozen=True)
class PowerTransform:
    r"""The power transform of Yeo and Johnson (2000), which makes a skewed distribution more symmetric.

    .. math:: y = \frac{(1 + x)^p - 1}{p} \text{ for } x \ge 0, \qquad -\frac{(1 - x)^{2 - p} - 1}{2 - p} \text{ below},

    with logarithms if a power is zero. Here x is in units of its mean absolute value, so that the transform does not
    depend on the unit of measurement. Unit and power are arrays with one number for each column.
    """

    unit: Array
    power: Array

    def __call__(self, values: Array) -> Array:
        """Transform values, with columns on the last axis; NaN stays NaN, and zero zero."""
        return _straighten(np.sign(values), _log_size(values, self.unit), self.power)

    def of(self, columns: Indices | Mask) -> PowerTransform:
        """The transforms of some columns."""
        return PowerTransform(self.unit[columns], self.power[columns])


def fit_power_transform(entries: Entries) -> PowerTransform:
    """Estimate the powers by maximum likelihood for a normal distribution of each transformed column."""
    size = np.abs(entries.values)
    unit = entries.mean(size, 0.0)
    sign, log_size = np.sign(entries.values), _log_size(entries.values, entries.of_columns(unit))
    # The mean log-derivative of the transform is (power - 1) times this; it is the Jacobian term of the likelihood.
    stretch = entries.mean(sign * log_size, 0.0)

    def negative_log_likelihood(power: Array) -> Array:
        straight = _straighten(sign, log_size, entries.of_columns(power))
        center = entries.mean(straight, 0.0)
        variance = entries.mean((straight - entries.of_columns(center)) ** 2, center**2)
        return 0.5 * np.log(np.maximum(variance, np.finfo(float).tiny)) - (power - 1.0) * stretch

    return PowerTransform(unit, minimise_columns(negative_log_likelihood, len(unit), *POWERS))


def minimise_columns(function: Callable[[Array], Array], count: int, low: float, high: float) -> Array:
    """Minimise functions of one number, each with a single minimum, all at the same time.

    Golden sections narrow the range of each; the result is the vertex of a parabola through three points of what is
    left.

    Parameters
    ----------
    function : callable
        From one argument for each function to their values.
    count : int
        Number of functions.
    low, high : float
        Range of the arguments.
    """
    left, right = np.full(count, low), np.full(count, high)
    inner = [right - GOLDEN * (right - left), left + GOLDEN * (right - left)]
    values = [function(point) for point in inner]
    for _ in range(ceil(log(NARROW / (high - low)) / log(GOLDEN))):
        lower = values[0] < values[1]  # the minimum is to the left of the second inner point
        left, right = np.where(lower, left, inner[0]), np.where(lower, inner[1], right)
        new = np.where(lower, right - GOLDEN * (right - left), left + GOLDEN * (right - left))
        value = function(new)
        inner = [np.where(lower, new, inner[1]), np.where(lower, inner[0], new)]
        values = [np.where(lower, value, values[1]), np.where(lower, values[0], value)]
    middle, half = 0.5 * (left + right), 0.5 * (right - left)
    before, at, after = (function(point) for point in (left, middle, right))
    bend = before - 2.0 * at + after
    convex = bend > 0.0
    vertex = middle + 0.5 * half * np.where(convex, before - after, 0.0) / np.where(convex, bend, 1.0)
    best: Array = np.clip(vertex, left, right)
    return best


def _log_size(values: Array, unit: Array) -> Array:
    """``log(1 + |x|)``, with full precision for values close to zero."""
    return np.log1p(np.abs(values) / unit)


def _straighten(sign: Array, log_size: Array, power: Array) -> Array:
    """The transform, from the signs and log-sizes of values."""
    negative = sign < 0.0
    if not negative.any():
        return _power(log_size, power)
    return sign * _power(log_size, np.where(negative, 2.0 - power, power))


def _power(log_size: Array, power: Array) -> Array:
    """``(size^power - 1) / power``, or its limit for a power of zero, the logarithm."""
    none = np.abs(power) < SMALLEST_POWER
    scaled = np.expm1(np.minimum(power * log_size, MAX_EXPONENT)) / np.where(none, 1.0, power)
    return np.where(none, log_size, scaled) if none.any() else scaled
