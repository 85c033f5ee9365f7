"""The log-logistic hazard: decreasing, or with a single peak."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import Link, LogLocationScale
from hazboost.utils.arrays import Array


class LogLogistic(LogLocationScale):
    r"""Decreasing (:math:`k \le 1`) or single-peaked (:math:`k > 1`) risk.

    .. math:: H(t) = \log(1 + \eta t^k) = \log(1 + e^z), \qquad
              h(t) = \frac{\eta k t^{k-1}}{1 + \eta t^k}
    """

    name = "loglogistic"

    def link(self, z: Array, *log_shapes: Array) -> Link:
        r"""``G = softplus``, ``g`` its slope :math:`\sigma(z)`, and :math:`(\log g)' = 1 - \sigma(z)`."""
        softplus = np.logaddexp(0.0, z)
        return Link(softplus, z - softplus, np.exp(-softplus))
