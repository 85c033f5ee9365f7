"""The Weibull hazard: a power of time."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import MAX_EXPONENT, Link, LogLocationScale
from hazboost.utils.arrays import Array


class Weibull(LogLocationScale):
    r"""Increasing (:math:`k > 1`), constant (:math:`k = 1`) or decreasing (:math:`k < 1`) risk.

    .. math:: H(t) = \eta t^k = e^z, \qquad h(t) = \eta k t^{k-1}
    """

    name = "weibull"

    def link(self, z: Array, *log_shapes: Array) -> Link:
        """``G = g = exp``."""
        value = np.exp(np.minimum(z, MAX_EXPONENT))
        return Link(value, value, z, 1.0)
