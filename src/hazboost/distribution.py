"""The predicted distribution of each subject's event time, in the user's unit of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hazboost.arrays import Array
from hazboost.clipping import find_zeros
from hazboost.mixture import Mixture, Parameters, cumulatives, log_hazards, log_time, sum_hazards

#: Numbers in one evaluation; more rows than fit are evaluated in turn.
CHUNK = 2_000_000
#: Every log-time that is looked at lies inside: the square of neither end leaves the doubles.
LOG_TIME_RANGE = (-690.0, 690.0)
#: Cumulative hazards before which survival is taken as one, and after which as zero.
EARLY, LATE = 1e-9, 45.0
#: Gauss-Legendre nodes and weights on [0, 1]: sixteen panels of eight.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
QUADRATURE_NODES = ((np.arange(16)[:, None] + (_NODES + 1.0) / 2.0) / 16.0).ravel()
QUADRATURE_WEIGHTS = np.tile(_WEIGHTS / 32.0, 16)


@dataclass(frozen=True)
class Distribution:
    """Event-time distributions of some subjects.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    scores : array of shape (n, scores)
        Raw scores of the subjects.
    unit : float
        The mixture's unit of time, in the user's.
    """

    mixture: Mixture
    scores: Array
    unit: float = 1.0

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, rows: Any) -> Distribution:
        return replace(self, scores=self.scores[rows])

    def survival(self, times: Array) -> Array:
        """``S(t)`` at ``times``, of shape (times,) or (n, times); the result has shape (n, times)."""
        return np.exp(-self.cumulative_hazard(times))

    def cumulative_hazard(self, times: Array) -> Array:
        """``H(t)``, the integral of the hazard from zero; ``H(0) = 0``."""
        return np.where(times > 0.0, self._evaluate(_cumulative_hazard, self._log_time(times)), 0.0)

    def hazard(self, times: Array) -> Array:
        """``h(t)`` per unit of the user's time; at zero, its value at the smallest positive time."""
        return self._evaluate(_hazard, self._log_time(times)) / self.unit

    def shares(self, times: Array) -> Array:
        """``w_j h_j(t) / sum_i |w_i| h_i(t)``, of shape (n, times, heads)."""
        return self._evaluate(_shares, self._log_time(times))

    def quantile(self, p: Array) -> Array:
        """Times by which the event has happened with probability ``p``; shape (n, len(p))."""
        level = -np.log1p(-np.minimum(p, 1.0 - 1e-16))
        log_t = self._log_time_of(np.broadcast_to(level, (len(self), len(p))))
        beyond = (log_t >= LOG_TIME_RANGE[1]) | (p >= 1.0)
        return np.where(p <= 0.0, 0.0, np.where(beyond, np.inf, self._user_time(log_t)))

    def restricted_mean(self, tau: float) -> Array:
        r"""Mean of the event time cut at ``tau``, :math:`\int_0^\tau S(t) dt`."""
        log_tau = float(np.log(tau) - np.log(self.unit))
        early, late = self._log_time_bracket()
        return self._integral(np.minimum(early, log_tau), np.minimum(late, log_tau)) * self.unit

    def mean(self) -> Array:
        r"""Mean of the event time, :math:`\int_0^\infty S(t) dt`; may be infinite.

        Beyond a time :math:`X` where next to nobody is left, survival falls like a power :math:`t^{-c}` with
        :math:`c = X h(X)`, or faster; what is left of the integral is :math:`X S(X) / (c - 1)`, infinite unless c > 1.
        """
        early, late = self._log_time_bracket()
        body = self._integral(early, late)
        hazard = self._evaluate(_hazard, late[:, None])[:, 0]
        log_hazard = np.log(np.maximum(hazard, np.finfo(float).tiny))
        power = np.exp(np.clip(log_hazard + late, *LOG_TIME_RANGE))
        log_rest = late - self._evaluate(_cumulative_hazard, late[:, None])[:, 0]
        rest = np.exp(np.minimum(log_rest, LOG_TIME_RANGE[1])) / np.maximum(power - 1.0, 1e-12)
        endless = (power <= 1.0) | (late >= LOG_TIME_RANGE[1])
        return np.where(endless, np.inf, body + rest) * self.unit

    def _integral(self, log_lower: Array, log_upper: Array) -> Array:
        """Integral of S from zero to the upper limit, taken as one before the lower; in ``x = log t``."""
        width = (log_upper - log_lower)[:, None]
        log_t = log_lower[:, None] + width * QUADRATURE_NODES
        survival = np.exp(-self._evaluate(_cumulative_hazard, log_t))
        inside = (survival * np.exp(log_t) * width) @ QUADRATURE_WEIGHTS
        total: Array = np.exp(log_lower) + inside
        return total

    def _log_time_bracket(self) -> tuple[Array, Array]:
        """Log-times between which survival falls from one to zero."""
        levels = np.broadcast_to(np.array([EARLY, LATE]), (len(self), 2))
        bracket = self._log_time_of(levels, bisections=22)
        return bracket[:, 0], bracket[:, 1]

    def _log_time_of(self, level: Array, bisections: int = 60) -> Array:
        """Solve ``H(exp(x)) = level`` for x by bisection, which every non-decreasing H allows."""
        low, high = (np.full(level.shape, end) for end in LOG_TIME_RANGE)
        for _ in range(bisections):
            middle = 0.5 * (low + high)
            before = self._evaluate(_cumulative_hazard, middle) < level
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return high

    def _log_time(self, times: Array) -> Array:
        log_t: Array = np.clip(log_time(times) - np.log(self.unit), *LOG_TIME_RANGE)
        return np.broadcast_to(log_t, (len(self), log_t.shape[-1]))

    def _user_time(self, log_t: Array) -> Array:
        times: Array = np.exp(log_t + np.log(self.unit))
        return times

    def _evaluate(self, function: Callable[[Mixture, Parameters, Array], Array], log_t: Array) -> Array:
        """Apply a function of (mixture, parameters, log-times) to a manageable number of rows at a time."""
        step = max(1, CHUNK // max(1, log_t.shape[1] * self.mixture.n_heads))
        parts = []
        for first in range(0, max(len(self), 1), step):
            rows = slice(first, first + step)
            parts.append(function(self.mixture, self.mixture.parameters(self.scores[rows]), log_t[rows]))
        return np.concatenate(parts)


def _hazard(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """``max(h(t), 0)`` at log-times of shape (n, times)."""
    evaluations = mixture.evaluate(parameters, log_t[:, :, None])
    hazard = sum_hazards(parameters.weight[:, None, :], log_hazards(evaluations)).hazard
    return np.where(parameters.without_hazard[:, None], mixture.background, hazard)


def _shares(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """Share of each head in the hazard at log-times of shape (n, times)."""
    log_hazard = log_hazards(mixture.evaluate(parameters, log_t[:, :, None]))
    return sum_hazards(parameters.weight[:, None, :], log_hazard).share


def _cumulative_hazard(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """Integral of ``max(h, 0)`` at log-times of shape (n, times)."""
    evaluations = mixture.evaluate(parameters, log_t[:, :, None])
    total = np.einsum("ntj,nj->nt", cumulatives(evaluations), parameters.weight)
    if mixture.weight_activation.signed:
        balance = sum_hazards(parameters.weight[:, None, :], log_hazards(evaluations)).balance
        total = _clip(mixture, parameters, log_t, np.where(balance > 0.0, total, 0.0))
    background = mixture.background * np.exp(log_t)
    return np.where(parameters.without_hazard[:, None], background, total)


def _clip(mixture: Mixture, parameters: Parameters, log_t: Array, total: Array) -> Array:
    """Add what the closed form says at the zeros of the hazard; see `hazboost.clipping`."""
    zeros = find_zeros(mixture, parameters)
    subjects = parameters[zeros.row]
    at_zeros = cumulatives(mixture.evaluate(subjects, zeros.log_t[:, None]))
    step = zeros.sign * (subjects.weight * at_zeros).sum(axis=-1)
    passed = zeros.log_t[:, None] < log_t[zeros.row]
    np.add.at(total, zeros.row, np.where(passed, step[:, None], 0.0))
    # Sums of large terms of both signs leave rounding errors, which must not let survival rise.
    order = np.argsort(log_t, axis=1, kind="stable")
    rising = np.maximum.accumulate(np.maximum(np.take_along_axis(total, order, axis=1), 0.0), axis=1)
    np.put_along_axis(total, order, rising, axis=1)
    return total
