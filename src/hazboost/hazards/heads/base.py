"""What a hazard family has to state.

Conventions
-----------
Every argument is a logarithm: ``log_t`` for the time, ``log_eta``, ``log_k`` for the parameters. Parameters
are therefore positive by construction and extreme values stay representable; a head that has died (a
parameter at zero) never reaches this package, `hazboost.hazards.mixture` masks it.

Arrays broadcast against each other; nothing here knows rows from heads. Only NumPy's and SciPy's universal functions
are applied, element by element.

All derivatives are with respect to the *logarithms* of the parameters, in the order of ``parameters``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import numpy as np

from hazboost.utils.arrays import Array

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
    cumulative_paths : tuple of arrays
        For each parameter a function of time that rises from 0 at least as fast as the slope of ``H`` moves, up or
        down: what a second-order step divides by. Its rises over parts of a time sum to that over the whole.
    """

    log_hazard: Array
    cumulative: Array
    log_hazard_slopes: tuple[Array, ...]
    cumulative_slopes: tuple[Array, ...]
    cumulative_paths: tuple[Array, ...]


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

    A family states only :meth:`link`; everything else follows. ``G`` is convex, so :math:`g` rises with time, and with
    :math:`y = k \log t` the slope :math:`g y` of ``H`` in :math:`\log k` never moves faster than :math:`|g y| + 2 G`.
    """

    parameters: ClassVar[tuple[str, ...]] = ("eta", "k")

    @abstractmethod
    def link(self, z: Array) -> tuple[Array, Array, Array]:
        """``G(z)``, ``log g(z)`` and its slope ``(log g)'(z)``."""

    def evaluate(self, log_t: Array, *log_parameters: Array) -> Evaluation:
        """Hazard and cumulative hazard at ``exp(log_t)``, with derivatives."""
        log_eta, log_k = log_parameters
        tilt = np.exp(log_k) * log_t  # k log t = dz / d log k
        z = log_eta + tilt
        cumulative, log_g, log_g_slope = self.link(z)
        g = np.exp(np.minimum(log_g, MAX_EXPONENT))
        return Evaluation(
            log_hazard=log_g + log_k - log_t,
            cumulative=cumulative,
            log_hazard_slopes=(log_g_slope, 1.0 + log_g_slope * tilt),
            cumulative_slopes=(g, g * tilt),
            cumulative_paths=(g, np.abs(g * tilt) + 2.0 * cumulative),
        )

    def cumulative(self, log_t: Array, *log_parameters: Array) -> Array:
        """``G(z)``."""
        log_eta, log_k = log_parameters
        return self.link(log_eta + np.exp(log_k) * log_t)[0]

    def change_time_unit(self, log_unit: float, *log_parameters: Array) -> tuple[Array, ...]:
        """Shift ``log eta`` by ``-k log(unit)``: ``z`` is the same at the same instant."""
        log_eta, log_k = log_parameters
        return log_eta - np.exp(log_k) * log_unit, log_k
