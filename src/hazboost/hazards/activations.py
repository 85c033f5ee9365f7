"""From raw scores to parameters and weights, with slopes.

A *parameter activation* maps a score to the logarithm of a positive parameter, because heads work in
logarithms. A *weight activation* maps the scores of all heads of a subject, on the first axis, to their weights; it may
couple them (softmax) and may be negative (tanh, identity).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.special import logit

from hazboost.hazards.heads.base import MAX_EXPONENT
from hazboost.utils.arrays import Array, Indices, Mask

#: Parameters are bounded to [1e-30, 1e30]: above, a score has no slope; below, the parameter counts as zero.
SMALLEST, LARGEST = 1e-30, 1e30
MAX_LOG = float(np.log(LARGEST))


class Activated(NamedTuple):
    """Parameters of heads, of shape (heads, n).

    Attributes
    ----------
    log_value : array
        Logarithm of the parameter; finite everywhere, of no meaning where not ``alive``.
    slope : array or None
        ``d log(parameter) / d score``; zero where not ``alive``. None where it is 1 for all.
    alive : array of bool or None
        False where the parameter is zero. None where it is positive for all.
    """

    log_value: Array
    slope: Array | None = None
    alive: Mask | None = None

    def heads(self, heads: slice) -> Activated:
        """The same for some of the heads."""
        slope = None if self.slope is None else self.slope[heads]
        return Activated(self.log_value[heads], slope, None if self.alive is None else self.alive[heads])

    def rows(self, rows: Indices) -> Activated:
        """The same for some of the subjects."""
        slope = None if self.slope is None else self.slope[:, rows]
        alive = None if self.alive is None else self.alive[:, rows]
        return Activated(self.log_value[:, rows], slope, alive)


def _bounded(log_value: Array) -> Array:
    """A logarithm between ``-MAX_LOG`` and ``MAX_LOG``, in half of the time of `np.clip`."""
    return np.minimum(np.maximum(log_value, -MAX_LOG), MAX_LOG)


class ParameterActivation(ABC):
    """Turns a score into a positive parameter."""

    name: ClassVar[str]

    @abstractmethod
    def __call__(self, score: Array) -> Activated:
        """Log-parameter, its slope, and where it is positive."""

    @abstractmethod
    def inverse(self, log_value: Array) -> Array:
        """The score that gives this log-parameter."""


class ReLUParameter(ParameterActivation):
    """``max(score, 0)``, the paper's choice. At zero the head has no hazard and no slope, and stays switched off."""

    name = "relu"

    def __call__(self, score: Array) -> Activated:
        """Log-parameter, its slope, and where it is positive."""
        alive = score > SMALLEST
        value = np.where(alive, np.minimum(score, LARGEST), 1.0)
        return Activated(np.log(value), np.where(alive & (score < LARGEST), 1.0 / value, 0.0), alive)

    def inverse(self, log_value: Array) -> Array:
        """The score that gives this log-parameter."""
        return np.exp(log_value)


class SoftplusParameter(ParameterActivation):
    """``log(1 + exp(score))``: linear for large scores like ReLU, but always positive."""

    name = "softplus"

    def __call__(self, score: Array) -> Activated:
        """Log-parameter, its slope, and where it is positive."""
        bounded = np.clip(score, -MAX_LOG, LARGEST)
        value = np.logaddexp(0.0, bounded)
        # The slope of softplus is 1 / (1 + exp(-score)) = exp(score - softplus).
        slope = np.where(bounded == score, np.exp(bounded - value) / value, 0.0)
        return Activated(np.log(value), slope)

    def inverse(self, log_value: Array) -> Array:
        """``log(exp(value) - 1)``, written so that neither end overflows."""
        value = np.exp(log_value)
        return value + np.log(-np.expm1(-value))


class ExpParameter(ParameterActivation):
    """``exp(score)``: the score is the log-parameter."""

    name = "exp"

    def __call__(self, score: Array) -> Activated:
        """Log-parameter, its slope, and where it is positive."""
        bounded = _bounded(score)
        inside = bounded == score
        return Activated(bounded, None if inside.all() else inside.astype(score.dtype))

    def inverse(self, log_value: Array) -> Array:
        """The score that gives this log-parameter."""
        return log_value


class Weighted(NamedTuple):
    """Weights of heads.

    Attributes
    ----------
    value : array of shape (heads, n)
        The weights.
    pull_back : callable
        Turns the slopes of the loss in the weights, if they may be negative, or else in their logarithms, into its
        slopes in the scores.
    bend_back : callable
        Turns the sum ``m_j`` of exposure ``w_j H_j`` and events of each head into a curvature in the scores that is at
        least the size of their gradient.
    """

    value: Array
    pull_back: Callable[[Array], Array]
    bend_back: Callable[[Array], Array]


def _positive(value: Array, log_slope: Array) -> Weighted:
    """Positive weights each of which depends on its own score only, with ``d log(weight) / d score``."""
    return Weighted(value, lambda slope: slope * log_slope, lambda mass: steepness(log_slope) * mass)


def _signed(value: Array, slope: Array) -> Weighted:
    """Weights of both signs each of which depends on its own score only, with ``d weight / d score``."""
    alive = np.abs(value) > SMALLEST
    log_slope = np.where(alive, slope, 0.0) / np.where(alive, value, 1.0)
    return Weighted(value, lambda gradient: gradient * slope, lambda mass: steepness(log_slope) * mass)


def steepness(log_slope: Array) -> Array:
    """Factor of a curvature, ``slope^2``, or of a gradient, ``|slope|``, under a change of variable: the larger."""
    size = np.abs(log_slope)
    larger: Array = np.maximum(size, size * size)
    return larger


class WeightActivation(ABC):
    """Turns the scores of a subject's heads into their weights.

    Attributes
    ----------
    signed : bool
        Whether weights may be negative.
    has_level : bool
        Whether the first score is the logarithm of a factor of all weights.
    """

    name: ClassVar[str]
    signed: ClassVar[bool] = False
    has_level: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""

    @abstractmethod
    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """A score that gives every one of ``n_heads`` heads the same weight, ``1 / n_heads`` where possible."""

    def n_scores(self, n_heads: int) -> int:
        """Number of scores from which the weights of ``n_heads`` heads are made."""
        return n_heads

    def for_heads(self, n_heads: int) -> WeightActivation:
        """The same function for so many heads, without scores that have no effect."""
        return self


class ReLUWeight(WeightActivation):
    """``max(score, 0)``, the paper's choice."""

    name = "relu"

    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""
        value, alive = np.clip(score, 0.0, LARGEST), score > SMALLEST
        # Below `SMALLEST` the inverse is too large to be of use, and the weight too small to matter.
        return _positive(value, np.where(alive & (score < LARGEST), 1.0, 0.0) / np.where(alive, value, 1.0))

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """The weight itself."""
        return 1.0 / n_heads


class ExpWeight(WeightActivation):
    """``exp(score)``: the score is the log-weight."""

    name = "exp"

    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""
        bounded = _bounded(score)
        return _positive(np.exp(bounded), (bounded == score).astype(score.dtype))

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """The log-weight."""
        return float(-np.log(n_heads))


class IdentityWeight(WeightActivation):
    """The score itself. With Weibull heads this is the universal approximator of the paper's theorem."""

    name = "identity"
    signed = True

    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""
        inside = np.abs(score) < LARGEST
        return _signed(np.clip(score, -LARGEST, LARGEST), inside.astype(score.dtype))

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """The weight itself."""
        return 1.0 / n_heads


class TanhWeight(WeightActivation):
    """``tanh(score)``, in (-1, 1)."""

    name = "tanh"
    signed = True

    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""
        value = np.tanh(score)
        slope = np.cosh(np.clip(score, -MAX_EXPONENT, MAX_EXPONENT)) ** -2.0  # 1 - tanh^2, without its cancellation
        return _signed(value, slope)

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """A single head starts at one half: at one, tanh would have no slope."""
        return float(np.arctanh(1.0 / max(n_heads, 2)))


class SigmoidWeight(WeightActivation):
    """``1 / (1 + exp(-score))``, in (0, 1)."""

    name = "sigmoid"

    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""
        # The slope of log(weight) is 1 - weight = 1 / (1 + exp(score)).
        value, rest = (np.exp(-np.logaddexp(0.0, x)) for x in (-np.maximum(score, -MAX_LOG), score))
        return _positive(value, rest)

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """A single head starts at one half: at one, the sigmoid would have no slope."""
        return float(logit(1.0 / max(n_heads, 2)))


class SoftmaxWeight(WeightActivation):
    """``exp(score) / sum(exp(scores))``: the weights of a subject sum to one."""

    name = "softmax"

    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""
        share = _softmax(score)
        return Weighted(share, partial(_centre, share), partial(_spread, share))

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """Any common score does."""
        return 0.0


def _softmax(score: Array) -> Array:
    """``exp(score) / sum(exp(scores))`` over the first axis."""
    part = np.exp(score - score.max(axis=0))
    share: Array = part / part.sum(axis=0)
    return share


def _centre(share: Array, slope: Array) -> Array:
    """From ``d loss / d log(share)`` to ``d loss / d score`` of a softmax."""
    centred: Array = slope - share * slope.sum(axis=0)
    return centred


def _spread(share: Array, mass: Array) -> Array:
    """Curvature in the scores of a softmax, ``sum_j |d log share_j / d score| m_j``."""
    others: Array = share * (mass.sum(axis=0) - mass)
    bend: Array = (1.0 - share) * mass + np.maximum(others, 0.0)
    return bend


class ScaledSoftmaxWeight(WeightActivation):
    """``exp(level) softmax(scores)``: the first score sets the size of the hazard, the others divide it.

    A change of the level is a proportional change of the hazard, at every time and for every family.
    """

    name = "scaled_softmax"
    has_level = True

    def __call__(self, score: Array) -> Weighted:
        """Weights, and the way back for their gradient."""
        level, share = score[0], _softmax(score[1:])
        bounded = _bounded(level)

        def pull_back(slope: Array) -> Array:
            return np.concatenate([(slope.sum(axis=0) * (bounded == level))[None], _centre(share, slope)])

        def bend_back(mass: Array) -> Array:
            return np.concatenate([(mass.sum(axis=0) * (bounded == level))[None], _spread(share, mass)])

        return Weighted(np.exp(bounded) * share, pull_back, bend_back)

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """Weights that sum to one."""
        return 0.0

    def n_scores(self, n_heads: int) -> int:
        """The level and one for each head."""
        return 1 + n_heads

    def for_heads(self, n_heads: int) -> WeightActivation:
        """A single head has all of the level, which is its only score."""
        return ExpWeight() if n_heads == 1 else self


class UniformWeight(WeightActivation):
    """``1 / heads`` for every head, without scores: ``uniform_heads=True``."""

    name = "uniform"

    def __init__(self, n_heads: int) -> None:
        self.n_heads = n_heads

    def __call__(self, score: Array) -> Weighted:
        """Weights for as many rows as ``score``, which has no scores."""
        value = np.full_like(score, 1.0 / self.n_heads, shape=(self.n_heads, *score.shape[1:]))
        return Weighted(value, lambda _: score, lambda _: score)

    def inverse_of_equal_weights(self, n_heads: int) -> float:
        """There is no score to set."""
        raise NotImplementedError

    def n_scores(self, n_heads: int) -> int:
        """None."""
        return 0


PARAMETER_ACTIVATIONS: dict[str, ParameterActivation] = {
    activation.name: activation for activation in (ReLUParameter(), SoftplusParameter(), ExpParameter())
}

WEIGHT_ACTIVATIONS: dict[str, WeightActivation] = {
    activation.name: activation
    for activation in (
        ReLUWeight(),
        ExpWeight(),
        SigmoidWeight(),
        SoftmaxWeight(),
        ScaledSoftmaxWeight(),
        TanhWeight(),
        IdentityWeight(),
    )
}
