"""The log-logistic hazard: decreasing, or with a single peak."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import MAX_EXPONENT, Link, LogLocationScale
from hazboost.utils.arrays import Array


class LogLogistic(LogLocationScale):
    r"""Decreasing (:math:`k \le 1`) or single-peaked (:math:`k > 1`) risk.

    .. math:: H(t) = \log(1 + \eta t^k) = \log(1 + e^z), \qquad
              h(t) = \frac{\eta k t^{k-1}}{1 + \eta t^k}
    """

    name = "loglogistic"

    def link(self, z: Array, *log_shapes: Array) -> Link:
        r"""``G = softplus``, ``g`` its slope :math:`\sigma(z)`, and :math:`(\log g)' = 1 - \sigma(z)`."""
        odds = np.exp(np.minimum(z, MAX_EXPONENT))
        rest = 1.0 / (1.0 + odds)
        softplus = np.maximum(np.log1p(odds), z)  # z itself where the exponent is cut
        return Link(softplus, odds * rest, z - softplus, rest)
