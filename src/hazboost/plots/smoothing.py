"""A smooth line through points."""

from __future__ import annotations

import numpy as np

from hazboost.utils.arrays import Array

#: Number of values at which the line is computed, and the quantiles of the points between which they are: farther out
#: single points decide. And the share of the points that count for each value.
VALUES, QUANTILES, NEAR = 50, (0.05, 0.95), 0.5


def smooth(x: Array, y: Array) -> tuple[Array, Array]:
    r"""Local straight lines through the nearer half of the points, weighted by their distance (Cleveland, 1979).

    .. math:: w_i = \left(1 - |x_i - v|^3 / h^3\right)^3

    with :math:`h` the distance of the farthest point of that half.
    """
    values = np.unique(np.quantile(x, np.linspace(*QUANTILES, VALUES)))
    count = min(len(x), max(2, round(NEAR * len(x))))
    return values, np.array([_line_at(value, x, y, count) for value in values.tolist()])


def _line_at(value: float, x: Array, y: Array, count: int) -> float:
    """Height at a value of the line through the points near it."""
    distance = np.abs(x - value)
    # Ties may leave no distance at all: then the points at the value itself count.
    width = max(float(np.partition(distance, count - 1)[count - 1]), np.finfo(float).tiny)
    weight = np.maximum(1.0 - (np.minimum(distance / width, 1.0)) ** 3, 0.0) ** 3
    weight /= weight.sum()
    centre, mean = float(weight @ x), float(weight @ y)
    spread = float(weight @ (x - centre) ** 2)
    if spread <= (1e-9 * width) ** 2:
        return mean
    return mean + float(weight @ ((x - centre) * (y - mean))) / spread * (value - centre)
