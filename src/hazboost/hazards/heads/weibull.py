"""The Weibull hazard: a monomial of any degree."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import MAX_EXPONENT, LogLocationScale
from hazboost.utils.arrays import Array


class Weibull(LogLocationScale):
    r"""Rising (:math:`k > 1`), constant (:math:`k = 1`) or falling (:math:`k < 1`) risk.

    .. math:: H(t) = \eta t^k = e^z, \qquad h(t) = \eta k t^{k-1}
    """

    name = "weibull"

    def link(self, z: Array) -> tuple[Array, Array, Array]:
        """``G = g = exp``."""
        return np.exp(np.minimum(z, MAX_EXPONENT)), z, np.ones_like(z)
