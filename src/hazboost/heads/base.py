"""What a hazard family has to state.

Conventions
-----------
Every argument is a logarithm: ``log_t`` for the time, ``log_eta``, ``log_k`` for the parameters. Parameters
are therefore positive by construction and extreme values stay representable; a head that has died (a
parameter at zero) never reaches this package, `hazboost.mixture` masks it.

Arrays broadcast against each other; nothing here knows rows from heads. Only NumPy's and SciPy's universal functions
are applied, element by element.

All derivatives are with respect to the *logarithms* of the parameters, in the order of ``parameters``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from hazboost.arrays import Array

#: Exponents are cut here: exp(300) times every factor that can meet it stays far below the largest double.
MAX_EXPONENT = 300.0


class Evaluation(NamedTuple):
    """A head's hazard and cumulative hazard at given times, with their derivatives.

    Attributes
    ----------
    log_hazard : array
        ``log h(t)``.
    cumulative : array
        ``H(t)``.
    log_hazard_slopes : tuple of arrays
        ``d log h(t) / d log(parameter)``, one array for each parameter.
    cumulative_slopes : tuple of arrays
        ``d H(t) / d log(parameter)``, one array for each parameter.
    log_hazard_bends : tuple of arrays
        Not negative, and the curvature of ``-log h(t)`` in each log-parameter or a bound of it: what a second-order
        step divides by.
    cumulative_bends : tuple of arrays
        The same of ``H(t)``.
    """

    log_hazard: Array
    cumulative: Array
    log_hazard_slopes: tuple[Array, ...]
    cumulative_slopes: tuple[Array, ...]
    log_hazard_bends: tuple[Array, ...]
    cumulative_bends: tuple[Array, ...]


class Head(ABC):
    """A family of parametric hazards.

    Attributes
    ----------
    name : str
        The key of the family in ``HEADS``, and the stem of its heads' names.
    parameters : tuple of str
        The family's positive parameters: ``eta`` (scale) and, where there is one, ``k`` (shape).
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[str, ...]]

    @abstractmethod
    def evaluate(self, log_t: Array, *log_parameters: Array) -> Evaluation:
        """Hazard and cumulative hazard at ``exp(log_t)``, with derivatives."""

    def cumulative(self, log_t: Array, *log_parameters: Array) -> Array:
        """``H(t)`` alone; a family that has it for less than the whole evaluation says how."""
        return self.evaluate(log_t, *log_parameters).cumulative

    @abstractmethod
    def change_time_unit(self, log_unit: float, *log_parameters: Array) -> tuple[Array, ...]:
        """Log-parameters that give, at ``exp(log_unit) * t``, what the given ones give at ``t``."""


class LogLocationScale(Head):
    r"""Families whose cumulative hazard is a function of :math:`z = \log\eta + k \log t` alone.

    With :math:`H(t) = G(z)` and :math:`g = G'`:

    .. math::

        h(t) = g(z) \, k / t, \qquad
        \frac{\partial z}{\partial \log \eta} = 1, \qquad
        \frac{\partial z}{\partial \log k} = k \log t .

    A family states only :meth:`link`; everything else follows. ``G`` and ``-log g`` are convex, so that

    .. math:: G'' = g \, (\log g)' \ge 0, \qquad -(\log g)'' \ge 0

    bend the loss in :math:`\log \eta`, and times :math:`(k \log t)^2` in :math:`\log k`. There the linear term
    :math:`-\log k` of ``-log h`` is given the curvature 1, which keeps a step bounded.
    """

    parameters: ClassVar[tuple[str, ...]] = ("eta", "k")

    @abstractmethod
    def link(self, z: Array) -> tuple[Array, Array, Array, Array]:
        """``G(z)``, ``log g(z)``, its slope ``(log g)'(z)`` and its bend ``-(log g)''(z)``."""

    def evaluate(self, log_t: Array, *log_parameters: Array) -> Evaluation:
        """Hazard and cumulative hazard at ``exp(log_t)``, with derivatives."""
        log_eta, log_k = log_parameters
        tilt = np.exp(log_k) * log_t  # k log t = dz / d log k
        z = log_eta + tilt
        cumulative, log_g, log_g_slope, log_g_bend = self.link(z)
        g, square = np.exp(np.minimum(log_g, MAX_EXPONENT)), np.square(tilt)
        g_slope = g * log_g_slope
        return Evaluation(
            log_hazard=log_g + log_k - log_t,
            cumulative=cumulative,
            log_hazard_slopes=(log_g_slope, 1.0 + log_g_slope * tilt),
            cumulative_slopes=(g, g * tilt),
            log_hazard_bends=(log_g_bend, 1.0 + log_g_bend * square),
            cumulative_bends=(g_slope, g_slope * square),
        )

    def cumulative(self, log_t: Array, *log_parameters: Array) -> Array:
        """``G(z)``."""
        log_eta, log_k = log_parameters
        return self.link(log_eta + np.exp(log_k) * log_t)[0]

    def change_time_unit(self, log_unit: float, *log_parameters: Array) -> tuple[Array, ...]:
        """Shift ``log eta`` by ``-k log(unit)``: ``z`` is the same at the same instant."""
        log_eta, log_k = log_parameters
        return log_eta - np.exp(log_k) * log_unit, log_k
