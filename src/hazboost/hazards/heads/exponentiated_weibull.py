"""The exponentiated Weibull hazard: monotone, bathtub-shaped or single-peaked."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import MAX_EXPONENT, SCALE, SHAPE, Link, LogLocationScale, Parameter
from hazboost.utils.arrays import Array

LATE = 3.5  # from here on 1 - exp(-exp(x)) is 1 up to rounding


class ExponentiatedWeibull(LogLocationScale):
    r"""A power of the Weibull distribution, :math:`F(t) = (1 - e^{-e^z})^a`, which itself is :math:`a = 1`.

    .. math:: H = c(y), \quad y = \log a + \log c(z), \quad c(x) = -\log(1 - e^{-e^x})
    """

    name = "exponentiated_weibull"
    parameters = (SCALE, SHAPE, Parameter("a", "shape", (-1.5, 1.5)))

    def link(self, z: Array, *log_shapes: Array) -> Link:
        r"""With :math:`r = -c'`, :math:`\rho = r(z) / c(z)`, :math:`s = e^y + r(y) - 1`: :math:`g = \rho \, r(y)`."""
        z, late = np.minimum(z, MAX_EXPONENT), z > LATE
        u, c = np.exp(z), _c(z)
        log_c = np.where(late, -u, np.log(c))
        y = log_shapes[0] + log_c
        w = np.exp(y)
        value = np.where(y > LATE, np.exp(-w), _c(y))
        log_r = y - w + value
        s = np.where(y < -12.0, 0.5 * w, w + np.exp(log_r) - 1.0)  # the sum cancels for small w
        log_rho = np.where(late, z, z - u + c - log_c)
        rho = np.exp(log_rho)
        slope = np.where(late, 1.0 + u * s, 1.0 + rho * (1.0 + s - c) - u)
        log_g = log_rho + log_r
        return Link(value, np.exp(np.minimum(log_g, MAX_EXPONENT)), log_g, slope, (-np.exp(log_r),), (-s,))


def _c(x: Array) -> Array:
    """``-log(1 - exp(-exp(x)))`` up to `LATE`, by the one of two formulas that does not cancel."""
    w = np.exp(np.clip(x, -36.0, LATE))
    early, later = -np.log(-np.expm1(-w)), -np.log1p(-np.exp(-np.maximum(w, 0.5)))
    return np.where(x < -36.0, -x, np.where(w < 0.7, early, later))
