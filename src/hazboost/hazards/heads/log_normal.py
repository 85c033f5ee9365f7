"""The log-normal hazard: it rises from zero to a peak and then falls."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import MAX_EXPONENT, Link, LogLocationScale
from hazboost.utils.arrays import Array
from hazboost.utils.devices import special

LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)


class LogNormal(LogLocationScale):
    r"""``log T`` is normal with mean :math:`-\log(\eta) / k` and standard deviation :math:`1 / k`.

    .. math:: H(t) = -\log \Phi(-z), \qquad h(t) = \frac{\varphi(z)}{\Phi(-z)} \frac{k}{t}
    """

    name = "lognormal"

    def link(self, z: Array, *log_shapes: Array) -> Link:
        r"""``g`` is the normal hazard :math:`\varphi(z) / \Phi(-z)`, and :math:`(\log g)' = g - z`."""
        z = np.minimum(z, MAX_EXPONENT)
        cumulative = -special(z).log_ndtr(-z)
        log_g = cumulative - 0.5 * z * z - LOG_SQRT_2PI
        g = np.exp(log_g)
        return Link(cumulative, g, log_g, g - z)
