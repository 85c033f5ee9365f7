"""The bounded hazard: a burst of risk that comes and goes."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import SHAPE, Link, LogLocationScale, Parameter
from hazboost.utils.arrays import Array


class Bounded(LogLocationScale):
    r"""A burst of risk around :math:`\eta^{-1/k}`, the narrower the larger ``k``, whose cumulative hazard ends at 1.

    .. math:: H(t) = \frac{\eta t^k}{1 + \eta t^k} = \sigma(z), \qquad
              h(t) = \frac{\eta k t^{k-1}}{(1 + \eta t^k)^2}

    The hazard falls like :math:`t^{-k-1}`. A subject whose heads are all of this family has survival that ends at
    :math:`e^{-\sum_j w_j}`: the share of the cured, as in a promotion-time cure model. ``docs/approximation.md`` shows
    that sums of such heads approximate every hazard.
    """

    name = "bounded"
    cumulative_limit = 1.0
    # A narrow burst far from the unit of time has an extreme scale, and still a part in the hazard.
    parameters = (Parameter("eta", "scale", (-60.0, 60.0)), SHAPE)

    def link(self, z: Array, *log_shapes: Array) -> Link:
        r""":math:`G = \sigma`, :math:`g = \sigma (1 - \sigma)`, and :math:`(\log g)' = 1 - 2 \sigma`."""
        size = np.abs(z)
        small = np.exp(-size)  # the odds, or one over them
        share = 1.0 / (1.0 + small)
        value = np.where(z > 0.0, share, small * share)
        log_slope_slope = np.where(z > 0.0, -1.0, 1.0) * (1.0 - small) * share
        return Link(value, small * share * share, -size - 2.0 * np.log1p(small), log_slope_slope)

    def paths(self, at: Link, log_eta: Array, tilt: Array) -> tuple[Array, ...]:
        r"""Total variations of functions that rise and fall.

        In :math:`\log \eta`: ``g`` rises to 1/4 at ``z = 0`` and then falls.

        In :math:`\log k`, with :math:`c = \log\eta` and :math:`y = z - c`, the variation of ``g y`` is at most
        :math:`\int g + \int |g' y| = G + \int |g' y|`. The integrand of the last has the antiderivative
        :math:`A = g y - G` without its absolute value, and ``g'`` changes its sign at 0 and ``y`` at ``c``: ``A`` falls
        from zero until the first of these, rises until the second and then falls. So its variation is a sum of its
        values at ``z``, at 0, where it is :math:`-c/4 - 1/2`, and at ``c``, where it is :math:`-\sigma(c)`.
        """
        z = log_eta + tilt
        antiderivative = at.slope * tilt - at.value
        at_zero, at_c = -0.25 * log_eta - 0.5, -self.link(log_eta).value
        late = log_eta > 0.0
        lowest, highest = np.where(late, at_zero, at_c), np.where(late, at_c, at_zero)
        falling = np.where(
            z > np.maximum(log_eta, 0.0),
            2.0 * (highest - lowest) - antiderivative,
            np.where(z > np.minimum(log_eta, 0.0), antiderivative - 2.0 * lowest, -antiderivative),
        )
        return np.where(z > 0.0, 0.5 - at.slope, at.slope), at.value + falling
