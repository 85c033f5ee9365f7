"""The log-normal hazard: it rises from zero to a peak and then falls."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import Link, LogLocationScale
from hazboost.utils.arrays import Array
from hazboost.utils.devices import special

LOG_SQRT_2PI = 0.5 * np.log(2.0 * np.pi)
#: From here on ``g`` is a series, accurate to 1e-14; elsewhere it is a difference of logarithms, which cancels late.
LATE = 100.0


class LogNormal(LogLocationScale):
    r"""``log T`` is normal with mean :math:`-\log(\eta) / k` and standard deviation :math:`1 / k`.

    .. math:: H(t) = -\log \Phi(-z), \qquad h(t) = \frac{\varphi(z)}{\Phi(-z)} \frac{k}{t}
    """

    name = "lognormal"

    def link(self, z: Array, *log_shapes: Array) -> Link:
        r"""``g`` is the normal hazard :math:`\varphi(z) / \Phi(-z)`, and :math:`(\log g)' = g - z`.

        Late, :math:`g - z = 1/z - 2/z^3 + 10/z^5 - \dots`. Nothing is cut: ``G`` is about :math:`z^2 / 2` there, which
        a small weight needs, and which no ``z`` of bounded parameters makes overflow.
        """
        late, far, near = z > LATE, np.maximum(z, LATE), np.minimum(z, LATE)
        inverse_square = 1.0 / (far * far)
        excess = (1.0 - (2.0 - 10.0 * inverse_square) * inverse_square) / far
        cumulative = -special(z).log_ndtr(-z)
        log_g = np.where(late, np.log(far + excess), cumulative - 0.5 * near * near - LOG_SQRT_2PI)
        g = np.exp(log_g)
        return Link(cumulative, g, log_g, np.where(late, excess, g - near))
