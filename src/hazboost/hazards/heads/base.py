"""What a hazard family has to state.

Conventions
-----------
Every argument is a logarithm: ``log_t`` for the time, ``log_eta``, ``log_k``, ... for the parameters. Parameters are
therefore positive by construction and extreme values stay representable. A head whose parameter is zero never reaches
this package: `hazboost.hazards.mixture` masks it.

Arrays broadcast against each other; nothing here distinguishes subjects from heads. Only NumPy's and SciPy's universal
functions are applied, element by element; NumPy passes those on to CuPy for its arrays, so that one file serves both.

All derivatives are with respect to the *logarithms* of the parameters, in the order of ``parameters``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from hazboost.utils.arrays import Array

#: Up to this log-shape a hazard is not steep: steeper ones are penalised in a start, and learn in shorter steps.
USUAL_LOG_SHAPE = 2.0
#: Exponents are cut here: exp(300) times every factor that can meet it stays far below the largest double.
MAX_EXPONENT = 300.0


@dataclass(frozen=True)
class Parameter:
    """A positive parameter of a family.

    Attributes
    ----------
    name : str
        Its column in the table of `FPBoost.predict_parameters`.
    role : {"scale", "shape"}
        A *scale* makes the hazard larger or smaller; a *shape* changes how it depends on time.
    log_bounds : tuple of float
        Range of the logarithm in a fit without covariates. For a scale it is relative to the logarithm of the observed
        event rate, for a shape absolute. Without them, a single event at the longest time favours a spike.
    """

    name: str
    role: Literal["scale", "shape"]
    log_bounds: tuple[float, float]


#: The two parameters that most families have.
SCALE = Parameter("eta", "scale", (-4.0, 8.0))
SHAPE = Parameter("k", "shape", (-1.5, 5.0))


#: How much of an `Evaluation` is computed: the hazards alone, their slopes, and also the paths of a second-order step.
VALUE, GRADIENT, CURVATURE = range(3)


class Evaluation(NamedTuple):
    """A head's hazard and cumulative hazard at given times, with their derivatives as far as they were asked for.

    Attributes
    ----------
    log_hazard : array
        ``log h(t)``.
    cumulative : array
        ``H(t)``.
    log_hazard_slopes : tuple of arrays or floats
        ``d log h(t) / d log(parameter)``, one for each parameter.
    cumulative_slopes : tuple of arrays
        ``d H(t) / d log(parameter)``, one array for each parameter.
    cumulative_paths : tuple of arrays
        For each parameter a function of time that starts at 0 and bounds the total variation of
        ``d H(t) / d log(parameter)`` over time. A second-order step divides by it; because it is a variation, its
        increases over parts of the follow-up sum to that over the whole.
    """

    log_hazard: Array
    cumulative: Array
    log_hazard_slopes: tuple[Array | float, ...] = ()
    cumulative_slopes: tuple[Array, ...] = ()
    cumulative_paths: tuple[Array, ...] = ()


class Head(ABC):
    """A family of parametric hazards.

    Attributes
    ----------
    name : str
        The key of the family in ``HEADS``, and the stem of its heads' names.
    parameters : tuple of Parameter
        The parameters, in the order in which they are passed to the methods.
    cumulative_limit : float
        What ``H(t)`` tends to at late times; infinite unless survival of a head alone has a plateau.
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    cumulative_limit: ClassVar[float] = np.inf

    @abstractmethod
    def evaluate(self, log_t: Array, *log_parameters: Array, order: int = CURVATURE) -> Evaluation:
        """Hazard and cumulative hazard at ``exp(log_t)``, with derivatives up to ``order``; more does no harm."""

    def cumulative(self, log_t: Array, *log_parameters: Array) -> Array:
        """``H(t)`` alone. Override it where that is cheaper than an evaluation."""
        return self.evaluate(log_t, *log_parameters, order=VALUE).cumulative

    @abstractmethod
    def change_time_unit(self, log_unit: float, *log_parameters: Array) -> tuple[Array, ...]:
        """Log-parameters that give, at ``exp(log_unit) * t``, what the given ones give at ``t``."""

    def log_scale(self, *log_parameters: Array) -> Array:
        """Logarithm of a typical time of the events of this head alone, of weight 1; NaN if the family states none."""
        return np.full_like(log_parameters[0], np.nan)


class Link(NamedTuple):
    """The function ``G(z)`` of a `LogLocationScale` family, with ``g = dG/dz``.

    Attributes
    ----------
    value : array
        ``G``.
    slope, log_slope : arrays
        ``g`` and ``log g``.
    log_slope_slope : array or float
        ``d log g / dz``.
    shape_slopes, shape_log_slopes : tuple of arrays
        ``dG / d log a`` and ``d log g / d log a`` for every further shape ``a``.
    """

    value: Array
    slope: Array
    log_slope: Array
    log_slope_slope: Array | float
    shape_slopes: tuple[Array, ...] = ()
    shape_log_slopes: tuple[Array, ...] = ()


class LogLocationScale(Head):
    r"""Families whose cumulative hazard depends on time through :math:`z = \log\eta + k \log t` only.

    With :math:`H(t) = G(z)` and :math:`g = G'`:

    .. math::

        h(t) = g(z) \, k / t, \qquad
        \frac{\partial z}{\partial \log \eta} = 1, \qquad
        \frac{\partial z}{\partial \log k} = k \log t .

    A family whose ``G`` is convex in ``z`` states only :meth:`link`; everything else follows. One whose ``G`` is not
    states :meth:`paths` too.
    """

    parameters: ClassVar[tuple[Parameter, ...]] = (SCALE, SHAPE)

    @abstractmethod
    def link(self, z: Array, *log_shapes: Array) -> Link:
        """``G(z)`` and its derivatives, given the logarithms of the shapes after ``k``."""

    def evaluate(self, log_t: Array, *log_parameters: Array, order: int = CURVATURE) -> Evaluation:
        """Hazard and cumulative hazard at ``exp(log_t)``, with derivatives up to ``order``."""
        log_eta, log_k, *log_shapes = log_parameters
        tilt = np.exp(log_k) * log_t  # k log t = dz / d log k
        at = self.link(log_eta + tilt, *log_shapes)
        log_hazard = at.log_slope + (log_k - log_t)
        if order == VALUE:
            return Evaluation(log_hazard, at.value)
        drift = at.slope * tilt
        slopes = (at.log_slope_slope, 1.0 + at.log_slope_slope * tilt, *at.shape_log_slopes)
        evaluation = Evaluation(log_hazard, at.value, slopes, (at.slope, drift, *at.shape_slopes))
        if order == GRADIENT:
            return evaluation
        return evaluation._replace(cumulative_paths=self.paths(at, log_eta, tilt))

    def paths(self, at: Link, log_eta: Array, tilt: Array) -> tuple[Array, ...]:
        r"""For each parameter, the path that `Evaluation` asks for, given :math:`\log\eta` and :math:`y = k \log t`.

        ``G`` is supposed to be convex in ``z``. Then ``g`` increases with time, and the total variation of
        :math:`\partial H / \partial \log k = g y` is at most :math:`|g y| + 2 G`. The derivative in a further shape is
        supposed to be monotone in time, so that its size is its variation.
        """
        return at.slope, np.abs(at.slope * tilt) + 2.0 * at.value, *map(np.abs, at.shape_slopes)

    def cumulative(self, log_t: Array, *log_parameters: Array) -> Array:
        """``G(z)``."""
        log_eta, log_k, *log_shapes = log_parameters
        return self.link(log_eta + np.exp(log_k) * log_t, *log_shapes).value

    def change_time_unit(self, log_unit: float, *log_parameters: Array) -> tuple[Array, ...]:
        """Shift ``log eta`` by ``-k log(unit)``, so that ``z`` stays the same at the same instant."""
        log_eta, log_k, *log_shapes = log_parameters
        return log_eta - np.exp(log_k) * log_unit, log_k, *log_shapes

    def log_scale(self, *log_parameters: Array) -> Array:
        r"""The time :math:`\eta^{-1/k}` at which ``z = 0``."""
        log_eta, log_k, *_ = log_parameters
        return -log_eta * np.exp(np.minimum(-log_k, MAX_EXPONENT))
