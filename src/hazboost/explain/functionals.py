r"""What is explained: functions of the raw scores of a subject, and their slopes.

All slopes come from the likelihood. The loss of a row that is censored at :math:`t` is :math:`H(t)`, and that of an
event at :math:`t`, at risk since then only, is :math:`-\log h_c(t)`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hazboost.boosting.likelihood import RowLoss, row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.target import Target
from hazboost.hazards.distribution import LOG_TIME_RANGE, POWER, Distribution
from hazboost.hazards.heads.base import GRADIENT
from hazboost.hazards.mixture import Mixture, log_time
from hazboost.hazards.quadrature import SMOOTH_NODES, SMOOTH_WEIGHTS
from hazboost.utils.arrays import Array, Indices

#: Times, besides those asked for, at which the integral of a cumulative incidence is evaluated for its slopes.
STEPS = 128
#: The smooth rule for integrals over time, as `Distribution.restricted_mean` has it: nodes, as shares of the last time,
#: and weights. At the first node, zero, there is nothing to add.
NODES, WEIGHTS = SMOOTH_NODES[1:] ** POWER, (SMOOTH_WEIGHTS * POWER * SMOOTH_NODES ** (POWER - 1))[1:]


@dataclass(frozen=True)
class Functional(ABC):
    """A function of the scores of a subject, at one or more times.

    Attributes
    ----------
    times : array of shape (times,)
        Times, in the user's unit.
    unit : float
        The mixture's unit of time, in the user's.
    cause : int, optional
        The cause whose hazards count; by default all.
    """

    times: Array
    unit: float
    cause: int | None = None

    @property
    def evaluations(self) -> int:
        """Number of times at which hazards are evaluated."""
        return len(self.times)

    @abstractmethod
    def value(self, distribution: Distribution) -> Array:
        """The function itself, of shape (n, times)."""

    @abstractmethod
    def slopes(self, mixture: Mixture, scores: Array) -> Array:
        """Its slopes in scores of shape (scores, n), of shape (scores, n, times)."""


@dataclass(frozen=True)
class CumulativeHazard(Functional):
    """``H(t)``, of one cause or of all."""

    def value(self, distribution: Distribution) -> Array:
        """``H(t)``."""
        return distribution.of_cause(self.cause).cumulative_hazard(self.times)

    def slopes(self, mixture: Mixture, scores: Array) -> Array:
        """``dH(t)``."""
        return _cumulative(mixture, scores, self.times / self.unit, self.cause)[1]


@dataclass(frozen=True)
class Survival(Functional):
    """``S(t)``."""

    def value(self, distribution: Distribution) -> Array:
        """``S(t)``."""
        return distribution.survival(self.times)

    def slopes(self, mixture: Mixture, scores: Array) -> Array:
        """``-S(t) dH(t)``."""
        return _survival_slopes(mixture, scores, self.times / self.unit)


@dataclass(frozen=True)
class LogHazard(Functional):
    """``log h(t)``, of one cause or of all."""

    def value(self, distribution: Distribution) -> Array:
        """``log h(t)``, bounded where there is no hazard."""
        return np.log(np.maximum(distribution.hazard(self.times, self.cause), np.finfo(float).tiny))

    def slopes(self, mixture: Mixture, scores: Array) -> Array:
        """Those of one cause; for all causes their mean, weighted by the hazards."""
        times = np.exp(np.clip(log_time(self.times) - np.log(self.unit), *LOG_TIME_RANGE))  # as in predictions
        chosen = range(1, mixture.n_causes + 1) if self.cause is None else [self.cause]
        parts = {cause: _log_hazard(mixture, scores, times, cause) for cause in chosen}
        logs = np.stack([log_hazard for log_hazard, _ in parts.values()])
        hazards = np.exp(logs - logs.max(axis=0))
        weights = dict(zip(parts, hazards / hazards.sum(axis=0), strict=True))
        slopes = np.zeros((mixture.n_scores, scores.shape[1], len(times)))
        for cause, (_, slope) in parts.items():
            slopes[mixture.scores_of_causes[cause - 1]] = weights[cause] * slope
        return slopes


@dataclass(frozen=True)
class RestrictedMean(Functional):
    r"""The restricted mean survival time :math:`\int_0^\tau S(t) dt`; ``times`` are the :math:`\tau`."""

    @property
    def evaluations(self) -> int:
        """Nodes of an integral; results, where they are more."""
        return max(len(NODES), len(self.times))

    def value(self, distribution: Distribution) -> Array:
        """The integrals, by the rule of the predictions."""
        return np.column_stack([distribution.restricted_mean(tau) for tau in self.times.tolist()])

    def slopes(self, mixture: Mixture, scores: Array) -> Array:
        """The integrals of the slopes of S, by the rule for smooth curves."""
        integrals = [
            _survival_slopes(mixture, scores, tau / self.unit * NODES) @ (tau * WEIGHTS) for tau in self.times.tolist()
        ]
        return np.stack(integrals, axis=-1)


@dataclass(frozen=True)
class Incidence(Functional):
    r"""The cumulative incidence :math:`\int_0^t S \, dH_c` of a cause; without others, :math:`1 - S(t)`."""

    @property
    def evaluations(self) -> int:
        """Times of the sum."""
        return len(self._grid[0])

    @cached_property
    def _grid(self) -> tuple[Array, Indices]:
        """Times of the sum, denser early, and where among them the given times are."""
        steps = self.times.max(initial=0.0) * np.linspace(0.0, 1.0, STEPS) ** 3
        grid = np.unique(np.concatenate([[0.0], steps, self.times]))
        return grid, np.searchsorted(grid, self.times)

    def value(self, distribution: Distribution) -> Array:
        """The integral, by the rule of the predictions."""
        return distribution.cumulative_incidence(self.times, self.cause or 1)

    def slopes(self, mixture: Mixture, scores: Array) -> Array:
        r""":math:`\int S \, d(\partial H_c) - \int S \, \partial H \, dH_c`, as sums over the steps of the grid."""
        if mixture.n_causes == 1:
            return -_survival_slopes(mixture, scores, self.times / self.unit)
        grid, asked = self._grid
        total, total_slopes = _cumulative(mixture, scores, grid / self.unit, None)
        part, part_slopes = _cumulative(mixture, scores, grid / self.unit, self.cause)
        survival = np.exp(-total)
        gained = _middles(survival) * np.diff(part_slopes)
        gained -= _middles(survival * total_slopes) * np.diff(part)
        sums = np.zeros_like(total_slopes)
        np.cumsum(gained, axis=-1, out=sums[..., 1:])
        return sums[..., asked]


def _middles(values: Array) -> Array:
    """Means of neighbours on the last axis."""
    return 0.5 * (values[..., 1:] + values[..., :-1])


def _survival_slopes(mixture: Mixture, scores: Array, times: Array) -> Array:
    cumulative, slopes = _cumulative(mixture, scores, times, None)
    slopes *= -np.exp(-cumulative)
    return slopes


def _cumulative(mixture: Mixture, scores: Array, times: Array, cause: int | None) -> tuple[Array, Array]:
    """``H(t)``, of shape (n, times), and its slopes, of shape (scores, n, times), in the mixture's unit of time."""
    if cause is None:
        lower = np.tile(times, scores.shape[1])
        loss = _losses(mixture, scores, Target.of(lower, np.full(len(lower), np.inf)), len(times))
        return loss.value, loss.gradient
    own = mixture.scores_of_causes[cause - 1]
    value, part = _cumulative(mixture.one_cause, scores[own], times, None)
    slopes = np.zeros((len(scores), *part.shape[1:]))
    slopes[own] = part
    return value, slopes


def _log_hazard(mixture: Mixture, scores: Array, times: Array, cause: int) -> tuple[Array, Array]:
    """``log h_c(t)``, of shape (n, times), and its slopes in the scores of this cause."""
    own, moment = mixture.scores_of_causes[cause - 1], np.tile(times, scores.shape[1])
    # At risk since the event only, so that the loss has no cumulative hazard, which may be much larger.
    loss = _losses(mixture.one_cause, scores[own], Target.of(moment, moment, entry=moment), len(times))
    return -loss.value, -loss.gradient


def _losses(mixture: Mixture, scores: Array, target: Target, n_times: int) -> RowLoss:
    """Losses of all subjects at all times, of shape (n, times), and their slopes, of shape (scores, n, times)."""
    loss = row_loss(mixture, np.repeat(scores, n_times, axis=1), Observed.of(target, mixture.n_causes), GRADIENT)
    shape = (scores.shape[1], n_times)
    return RowLoss(loss.value.reshape(shape), loss.gradient.reshape(len(scores), *shape))
