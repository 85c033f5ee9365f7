"""The predicted distribution of each subject's event time, in the user's unit of time.

Survival, cumulative hazard and hazard are closed forms. Quantiles are found by bisection of the cumulative hazard.
Means are Gauss-Legendre integrals of survival; cumulative incidences with competing risks, the time lost to a cause,
and the far end of a heavy tail are adaptive Chebyshev integrals (`hazboost.hazards.quadrature`). All integrals are over
log-time, because the time scales of the heads may differ by orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hazboost.hazards.clipping import find_zeros
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import LARGEST_EXPONENT, Mixture, Parameters, columns, log_hazards, log_time, sum_hazards
from hazboost.hazards.quadrature import integrate
from hazboost.utils.arrays import Array, Indices

#: Array elements in one evaluation; larger requests are evaluated in chunks of rows to limit memory.
CHUNK = 2_000_000
#: Log-times are confined to this range. Its ends, about 1e-300 and 1e300 times the unit, are still normal doubles.
LOG_TIME_RANGE = (-690.0, 690.0)
#: Cumulative hazard at which integrals end, unless the tail of survival is heavy: S = exp(-45), about 3e-20.
LATE = 45.0
#: Integrals of survival begin this far, in log-time, before the time at which H = 1 (before tau, if that is earlier).
#: S counts as 1 until there. The relative error is at most exp(1 - 24), about 1e-10.
REACH = 24.0
#: Quadrature with a fixed number of panels ends this far, in log-time, after the time at which H = 1.
FAR = 40.0
#: What is left of an integral of survival is computed unless it is smaller than this, relative to the part before.
NEGLIGIBLE = 1e-12
#: Hazards per unit of the user's time are bounded here.
LARGEST_HAZARD = float(np.exp(LARGEST_EXPONENT))
#: Positions at which H is evaluated to find where survival falls, and the values of H at which panels are cut.
SCOUTS = np.linspace(0.0, 1.0, 65)
LEVELS = np.array([0.003, 0.03, 0.1, 0.3, 0.7, 1.2, 2.0, 3.5, 6.0, 10.0, 18.0])
#: Gauss-Legendre nodes and weights on [0, 1].
NODES, WEIGHTS = (np.polynomial.legendre.leggauss(8) + np.array([[1.0], [0.0]])) / 2.0
#: The integral of a cumulative incidence begins where the cumulative hazard H of all causes is this fraction of
#: min(H, 1) at the last time asked for. Until there S is practically 1, and a closed form is used.
BEGINNING = 1e-6
#: Tolerance of a cumulative incidence in each panel, relative to 1 - S at the last time asked for; initial panels.
ACCURACY, PANELS = 1e-10, 8


@dataclass(frozen=True)
class Distribution:
    """Event-time distributions of a number of subjects.

    Attributes
    ----------
    mixture : Mixture
        The heads, which together make the hazard.
    scores : array of shape (n, scores)
        Raw scores of the subjects.
    unit : float
        The mixture's unit of time, expressed in the user's unit.
    alive_at, past : arrays of shape (n,), optional
        Times at which the subjects are known to be event-free, and their cumulative hazards at these times.
    """

    mixture: Mixture
    scores: Array
    unit: float = 1.0
    alive_at: Array | None = None
    past: Array | None = None

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, rows: Any) -> Distribution:
        known = (
            {}
            if self.alive_at is None or self.past is None
            else {"alive_at": self.alive_at[rows], "past": self.past[rows]}
        )
        return replace(self, scores=self.scores[rows], **known)

    def given_alive_at(self, times: Array) -> Distribution:
        """Distributions conditional on being event-free at ``times`` s, of shape (n,): ``S(t) / S(s)`` for t > s.

        Time is still counted from zero, so ``S(t)`` is 1 until s.
        """
        return replace(self, alive_at=times, past=replace(self, past=None).cumulative_hazard(times[:, None])[:, 0])

    def of_cause(self, cause: int) -> Distribution:
        """Distribution with the hazard of one cause (1, 2, ...) only, as if there were no competing causes."""
        scores = self.mixture.by_cause(self.scores.T)[cause - 1].T
        alone = Distribution(self.mixture.one_cause, scores, self.unit)
        # Being event-free at a time excludes events of this cause too, but the cumulative hazard until then differs.
        return alone if self.alive_at is None else alone.given_alive_at(self.alive_at)

    def survival(self, times: Array) -> Array:
        """``S(t)`` at ``times``, of shape (times,) or (n, times); the result has shape (n, times)."""
        return np.exp(-self.cumulative_hazard(times))

    def cumulative_hazard(self, times: Array) -> Array:
        """``H(t)``, the integral of the hazard from zero, or from ``alive_at``, to t; ``H(0) = 0``."""
        return np.where(times > 0.0, self._cumulative(self._log_time(times)), 0.0)

    def hazard(self, times: Array, cause: int | None = None) -> Array:
        """``h(t)`` per unit of the user's time, of one cause or of all; zero until ``alive_at``.

        The hazard may be infinite at t = 0; the value returned there is that at a time of about 1e-300.
        """
        distribution = self if cause is None else self.of_cause(cause)
        # A hazard at the bound of its exponent must not overflow in a small unit.
        return np.minimum(distribution._hazard(self._log_time(times)), self.unit * LARGEST_HAZARD) / self.unit

    def cumulative_incidence(self, times: Array, cause: int) -> Array:
        r"""Probability of an event of one cause by t, :math:`\int_0^t h_c(s) S(s) ds`, of the shape of `survival`.

        With a single cause it is 1 - S in closed form; with several it is integrated numerically.
        """
        if self.mixture.n_causes == 1:
            return -np.expm1(-self.cumulative_hazard(times))
        return np.where(times > 0.0, self._in_parts(_incidence, self._log_time(times), cause), 0.0)

    def lost_time(self, tau: float, cause: int) -> Array:
        r"""Mean time lost to one cause before ``tau``, :math:`\int_0^\tau CIF_c(t) dt`, of shape (n,)."""
        return tau * self._in_parts(_lost_share, self._log_time(np.array([tau])), cause)[:, 0]

    def shares(self, times: Array) -> Array:
        """Share of each head in the hazard, ``w_j h_j(t) / sum_i |w_i| h_i(t)``, of shape (n, times, heads)."""
        return self._evaluate(_shares, self._log_time(times))

    def quantile(self, p: Array) -> Array:
        """Times by which the event has happened with probability ``p``, of shape (n, len(p)); infinite if never."""
        # The minimum avoids log(0) for p = 1, whose quantile is set to infinity below.
        level = -np.log1p(-np.minimum(p, 1.0 - 1e-16))
        log_t = self._log_time_of(np.broadcast_to(level, (len(self), len(p))))
        # Bisection returns the end of the range if the level is not reached, for example if S has a plateau.
        beyond = (log_t >= LOG_TIME_RANGE[1]) | (p >= 1.0)
        first = np.zeros(1) if self.alive_at is None else self.alive_at[:, None]
        return np.where(p <= 0.0, first, np.where(beyond, np.inf, self._user_time(log_t)))

    def restricted_mean(self, tau: float) -> Array:
        r"""Mean of the event time restricted to ``tau``, :math:`\int_0^\tau S(t) dt`, of shape (n,)."""
        log_tau = np.full(len(self), min(np.log(tau) - np.log(self.unit), LOG_TIME_RANGE[1]))
        return self._integral(log_tau) * self.unit

    def mean(self) -> Array:
        r"""Mean of the event time, :math:`\int_0^\infty S(t) dt`, of shape (n,); may be infinite.

        The integral is computed up to a time :math:`X`: that at which H = 45 or, where a tail so late may still count,
        the end of `LOG_TIME_RANGE`. Beyond it, S is treated as a power :math:`t^{-c}` with :math:`c = X h(X)`, which
        contributes :math:`X S(X) / (c - 1)`. The tail of a LogLogistic head is such a power; if S falls faster, the
        contribution is negligible. The mean is infinite if c is at most 1, or if H = 45 is not reached in that range.
        """
        middle, late = self._middle_and_late()
        # The integral is at least S = 1/e times the time at which H = 1.
        soon = late - LATE < middle - 1.0 + np.log(NEGLIGIBLE)
        end = np.where(soon, late, LOG_TIME_RANGE[1])
        power = self._power(end)
        endless = (power <= 1.0 + 1e-9) | (late >= LOG_TIME_RANGE[1])
        log_rest = end - self._cumulative(end[:, None])[:, 0]
        rest = np.exp(np.where(endless, 0.0, log_rest)) / np.where(endless, 1.0, power - 1.0)
        return np.where(endless, np.inf, self._user_time(np.log(self._integral(end) + rest)))

    def _power(self, log_t: Array) -> Array:
        """``t h(t)``, by which the logarithm of S falls with that of t, at log-times of shape (n,)."""
        hazard = self._hazard(log_t[:, None])[:, 0]
        # The hazard may underflow far out, or be clipped to 0; the power is then 0.
        log_hazard = np.log(np.maximum(hazard, np.finfo(float).tiny))
        # From logarithms, because either factor alone may overflow.
        power: Array = np.exp(np.clip(log_hazard + log_t, *LOG_TIME_RANGE))
        return power

    def _integral(self, upper: Array) -> Array:
        """Integral of S from zero to the upper log-time of each row.

        Its mass lies around the time at which H = 1, unless S falls as slowly as 1 / t or more slowly: the integral
        then goes on to grow however few are left.
        """
        middle, late = self._middle_and_late()
        near = np.minimum(np.minimum(middle + FAR, late), upper)
        integral = self._near_integral(np.minimum(middle, upper), near)
        # S falls, so that the rest is smaller than S there times the upper limit.
        log_rest = upper - self._cumulative(near[:, None])[:, 0]
        far = np.flatnonzero((near < upper) & (log_rest > np.log(integral) + np.log(NEGLIGIBLE)))
        integral[far] += self[far]._far_integral(near[far], upper[far])
        return integral

    def _near_integral(self, middle: Array, upper: Array) -> Array:
        """Integral of S from zero to the upper log-time, by Gauss-Legendre quadrature of ``S(exp(x)) exp(x)``.

        Panels are cut at nine equidistant points and where H passes `LEVELS`. The latter follow the fall of survival,
        whether it is steep, slow, or both in succession as in a mixture.
        """
        lower = (middle - REACH)[:, None]
        if self.alive_at is not None:  # S is 1 until then
            lower = np.minimum(np.maximum(lower, self._log_time(self.alive_at[:, None])), upper[:, None])
        scouts = lower + (upper[:, None] - lower) * SCOUTS
        falls = _crossings(scouts, self._cumulative(scouts), LEVELS)
        edges = np.sort(np.concatenate([scouts[:, ::8], falls], axis=1), axis=1)
        width = np.diff(edges)[:, :, None]
        log_t = edges[:, :-1, None] + width * NODES
        flat = log_t.reshape(len(self), width.shape[1] * len(NODES))
        hazard = self._cumulative(flat).reshape(log_t.shape)
        inside: Array = (np.exp(log_t - hazard) * width * WEIGHTS).sum(axis=(1, 2))
        # S counts as 1 before the lower limit, which contributes exp(lower).
        return np.exp(lower[:, 0]) + inside

    def _far_integral(self, lower: Array, upper: Array) -> Array:
        """Integral of S from one log-time to another, by adaptive quadrature of ``S(exp(x)) exp(x)``.

        The integrand may be as large or small as doubles are, so it is divided by its largest value at `SCOUTS`.
        """
        scouts = lower[:, None] + (upper - lower)[:, None] * SCOUTS
        peak: Array = (scouts - self._cumulative(scouts)).max(axis=1)

        def scaled(rows: Indices, x: Array) -> tuple[Array, Array]:
            return np.exp(x - self[rows]._cumulative(x) - peak[rows, None]), x

        integral = integrate(scaled, scouts[:, ::8], upper[:, None], np.full(len(self), ACCURACY))[:, 0]
        return np.exp(peak) * integral

    def _middle_and_late(self) -> tuple[Array, Array]:
        """Log-times at which the cumulative hazard is 1 and `LATE`."""
        # 24 bisections locate them to 1e-4, which is enough for the limits of an integral.
        times = self._log_time_of(np.broadcast_to(np.array([1.0, LATE]), (len(self), 2)), bisections=24)
        return times[:, 0], times[:, 1]

    def _log_time_of(self, level: Array, bisections: int = 60) -> Array:
        """Solve ``H(exp(x)) = level`` for x; the end of `LOG_TIME_RANGE` if the level is not reached.

        Bisection works for every non-decreasing H, also where a clipped hazard makes it constant and Newton's method
        would divide by zero.
        """
        low, high = (np.full(level.shape, end) for end in LOG_TIME_RANGE)
        for _ in range(bisections):
            middle = 0.5 * (low + high)
            before = self._cumulative(middle) < level
            low, high = np.where(before, middle, low), np.where(before, high, middle)
        return high

    def _log_time(self, times: Array) -> Array:
        """Times in the user's unit as log-times in the mixture's unit, of shape (n, times)."""
        log_t: Array = np.clip(log_time(times) - np.log(self.unit), *LOG_TIME_RANGE)
        return np.broadcast_to(log_t, (len(self), log_t.shape[-1]))

    def _user_time(self, log_t: Array) -> Array:
        """The inverse of `_log_time`; infinite where the time would overflow."""
        in_user_unit = log_t + np.log(self.unit)
        return np.where(in_user_unit < LARGEST_EXPONENT, np.exp(np.minimum(in_user_unit, LARGEST_EXPONENT)), np.inf)

    def _cumulative(self, log_t: Array) -> Array:
        """Cumulative hazard of all causes at log-times of shape (n, times), counted from ``alive_at`` if given."""
        total = self._over_causes(_cumulative_hazard, log_t)
        # The maximum also removes negative rounding errors, which would make survival exceed 1.
        return total if self.past is None else np.maximum(total - self.past[:, None], 0.0)

    def _hazard(self, log_t: Array) -> Array:
        """Hazard of all causes in the mixture's unit of time; zero until ``alive_at``."""
        hazard = self._over_causes(_hazard, log_t)
        if self.alive_at is None:
            return hazard
        return np.where(log_t > self._log_time(self.alive_at[:, None]), hazard, 0.0)

    def _over_causes(self, function: Callable[[Mixture, Parameters, Array], Array], log_t: Array) -> Array:
        """Sum over the causes of a function of (mixture, parameters, log-times).

        Each cause is clipped at zero by itself and has its own background hazard, so the heads of all causes cannot be
        evaluated as a single mixture.
        """
        total: Array = np.add.reduce(self._by_cause(function, log_t))
        return total

    def _by_cause(self, function: Callable[[Mixture, Parameters, Array], Array], log_t: Array) -> list[Array]:
        """Values of a function of (mixture, parameters, log-times) for the heads of each cause."""
        alone = self.mixture.one_cause
        return [Distribution(alone, part.T)._evaluate(function, log_t) for part in self.mixture.by_cause(self.scores.T)]

    def _in_parts(self, function: Callable[[Distribution, Array, int], Array], log_t: Array, cause: int) -> Array:
        """Apply a function of (distribution, log-times, cause) to chunks of rows, to limit memory."""
        # Adaptive panels need several times the memory of the times asked for, hence the factor 8 and the minimum.
        step = max(1, CHUNK // (8 * max(64, log_t.shape[1])))
        firsts = range(0, max(len(self), 1), step)
        return np.concatenate([function(self[i : i + step], log_t[i : i + step], cause) for i in firsts])

    def _evaluate(self, function: Callable[[Mixture, Parameters, Array], Array], log_t: Array) -> Array:
        """Apply a function of (mixture, parameters, log-times) to chunks of rows, to limit memory."""
        # The largest intermediate array has one element for each row, time and head.
        step = max(1, CHUNK // max(1, log_t.shape[1] * self.mixture.n_heads))
        parts = []
        # At least one chunk, so that no subjects give an empty array of the right shape.
        for first in range(0, max(len(self), 1), step):
            rows = slice(first, first + step)
            parameters = self.mixture.parameters(columns(self.scores[rows]))
            parts.append(function(self.mixture, parameters, log_t[rows]))
        return np.concatenate(parts)


def _hazard(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """``max(h(t), 0)`` at log-times of shape (n, times)."""
    evaluations = mixture.evaluate(parameters, log_t, VALUE)
    hazard = sum_hazards(parameters.weight[:, :, None], log_hazards(evaluations)).hazard
    return np.where(parameters.without_hazard[:, None], mixture.background, hazard)


def _shares(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """Share of each head in the hazard at log-times of shape (n, times); heads are on the last axis."""
    log_hazard = log_hazards(mixture.evaluate(parameters, log_t, VALUE))
    return np.moveaxis(sum_hazards(parameters.weight[:, :, None], log_hazard).share, 0, -1)


def _cumulative_hazard(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """Integral of ``max(h, 0)`` at log-times of shape (n, times).

    A subject none of whose heads contributes gets the constant background hazard; see `hazboost.hazards.mixture`.
    """
    total = mixture.total_cumulative(parameters, log_t)
    if mixture.weight_activation.signed:
        total = _clip(mixture, parameters, log_t, total)
    background = mixture.background * np.exp(log_t)
    return np.where(parameters.without_hazard[:, None], background, total)


def _clip(mixture: Mixture, parameters: Parameters, log_t: Array, total: Array) -> Array:
    """Correct the closed form of the integral for the clipping at zero; see `hazboost.hazards.clipping`."""
    zeros = find_zeros(mixture, parameters)
    total = np.where(zeros.open_at(log_t), total, 0.0)
    step = zeros.sign * mixture.total_cumulative(parameters.rows(zeros.row), zeros.log_t)
    passed = zeros.log_t[:, None] < log_t[zeros.row]
    np.add.at(total, zeros.row, np.where(passed, step[:, None], 0.0))
    # Large terms of both signs cancel here. Their rounding errors must not make survival rise, so the result is made
    # non-decreasing over time.
    order = np.argsort(log_t, axis=1, kind="stable")
    rising = np.maximum.accumulate(np.maximum(np.take_along_axis(total, order, axis=1), 0.0), axis=1)
    np.put_along_axis(total, order, rising, axis=1)
    return total


def _crossings(log_t: Array, cumulative: Array, levels: Array) -> Array:
    """Log-times at which the cumulative hazard of each row passes the levels, by interpolation.

    The interpolation is linear in log H against log t, which is exact for a Weibull head. A level outside of the range
    of a row gives the end of the range.
    """
    # `tiny` replaces H = 0, before any hazard, whose logarithm is not finite.
    log_cumulative, log_levels = np.log(np.maximum(cumulative, np.finfo(float).tiny)), np.log(levels)
    after = np.clip((log_cumulative[:, :, None] < log_levels).sum(axis=1), 1, log_t.shape[1] - 1)
    (x0, x1), (y0, y1) = (
        (np.take_along_axis(values, after - 1, axis=1), np.take_along_axis(values, after, axis=1))
        for values in (log_t, log_cumulative)
    )
    # Where H is constant no level is passed, and the interval is not divided.
    rise = np.where(y1 > y0, y1 - y0, 1.0)
    passed: Array = x0 + (x1 - x0) * np.clip((log_levels - y0) / rise, 0.0, 1.0)
    return passed


def _incidence(distribution: Distribution, log_t: Array, cause: int) -> Array:
    """Cumulative incidence of one cause at log-times of shape (n, times)."""
    alone, upper = distribution.of_cause(cause), log_t.max(axis=1)
    begin, tolerance = _beginning(distribution, upper)
    start = _early_incidence(distribution, alone, np.minimum(log_t, begin[:, None]))

    # The integral of S dH_c needs only cumulative hazards, which are finite also where h_c is infinite.
    def survival_and_hazard(rows: Indices, x: Array) -> tuple[Array, Array]:
        return _survival_and_part(distribution, alone, cause, rows, x)

    return start + integrate(survival_and_hazard, _edges(distribution, begin, upper), log_t, tolerance)


def _early_incidence(distribution: Distribution, alone: Distribution, log_t: Array) -> Array:
    """Incidence of one cause, whose distribution is ``alone``, at log-times at which S is practically 1.

    It is 1 - S times the cause's share of the cumulative hazard.
    """
    total, part = distribution._cumulative(log_t), alone._cumulative(log_t)
    return np.where(total > 0.0, -np.expm1(-total) * part / np.where(total > 0.0, total, 1.0), 0.0)


def _lost_share(distribution: Distribution, log_tau: Array, cause: int) -> Array:
    r"""Time lost to one cause, divided by tau: :math:`\int_0^\tau (1 - s / \tau) h_c(s) S(s) ds`.

    This is :math:`\frac1\tau \int_0^\tau CIF_c(t) dt` after integration by parts, which avoids a double integral.
    """
    alone, upper = distribution.of_cause(cause), log_tau[:, 0]
    begin, tolerance = _beginning(distribution, upper)

    def lost(rows: Indices, x: Array) -> tuple[Array, Array]:
        survival, part = _survival_and_part(distribution, alone, cause, rows, x)
        return -np.expm1(np.minimum(x - log_tau[rows], 0.0)) * survival, part

    # Until `begin` 1 - s / tau counts as 1, which needs s << tau, and the integral is the incidence.
    begin = np.minimum(begin, upper - REACH)
    before = _early_incidence(distribution, alone, begin[:, None])
    return before + integrate(lost, _edges(distribution, begin, upper), log_tau, tolerance)


def _beginning(distribution: Distribution, upper: Array) -> tuple[Array, Array]:
    """Log-times until which S counts as 1, see `BEGINNING`, and the tolerance of the integral of each row."""
    end = distribution._cumulative(upper[:, None])
    # `tiny` keeps the level positive for subjects without any hazard until the upper limit.
    level = BEGINNING * np.minimum(end, 1.0)
    begin = distribution._log_time_of(np.maximum(level, np.finfo(float).tiny), bisections=24)[:, 0]
    return np.minimum(begin, upper), -np.expm1(-end[:, 0]) * ACCURACY


def _edges(distribution: Distribution, lower: Array, upper: Array) -> Array:
    """Edges of the initial panels from the lower log-time to the upper or, if earlier, to H = `LATE`.

    Clipping at zero makes kinks in the hazard. They are edges too, because polynomials converge slowly across a kink.
    """
    late = distribution._log_time_of(np.full((len(lower), 1), LATE), bisections=24)[:, 0]
    upper = np.maximum(np.minimum(upper, late), lower)
    edges = lower[:, None] + (upper - lower)[:, None] * np.linspace(0.0, 1.0, PANELS + 1)
    if not distribution.mixture.weight_activation.signed:
        return edges
    return np.sort(
        np.concatenate([edges, np.clip(_kinks(distribution), lower[:, None], upper[:, None])], axis=1), axis=1
    )


def _kinks(distribution: Distribution) -> Array:
    """Log-times at which the hazard of any cause passes zero, one row per subject, padded with -inf."""
    mixture = distribution.mixture.one_cause
    found = [
        find_zeros(mixture, mixture.parameters(part)) for part in distribution.mixture.by_cause(distribution.scores.T)
    ]
    row, log_t = (np.concatenate([getattr(one, name) for one in found]) for name in ("row", "log_t"))
    order = np.argsort(row, kind="stable")
    row, log_t = row[order], log_t[order]
    # Subjects differ in their number of zeros; place is the number of a zero within its subject.
    place = np.arange(len(row)) - np.searchsorted(row, row)
    kinks = np.full((len(distribution), int(place.max(initial=-1)) + 1), -np.inf)
    kinks[row, place] = log_t
    return kinks


def _survival_and_part(
    distribution: Distribution, alone: Distribution, cause: int, rows: Indices, x: Array
) -> tuple[Array, Array]:
    """Survival, and the cumulative hazard of one cause, at log-times of shape (len(rows), points).

    A subject may have several rows, one for each of its panels. They are gathered, so that the parameters of a subject
    and the zeros of its clipped hazard are computed only once; shorter lists of panels are padded with the first.
    """
    order = np.argsort(rows, kind="stable")
    subject, first, count = np.unique(rows[order], return_index=True, return_counts=True)
    number = np.repeat(np.arange(len(subject)), count)
    place = np.arange(len(rows)) - np.repeat(first, count)
    times = np.repeat(x[order][first][:, None], count.max(initial=0), axis=1)
    times[number, place] = x[order]
    flat = times.reshape(len(subject), times.shape[1] * times.shape[2])
    by_cause = distribution[subject]._by_cause(_cumulative_hazard, flat)
    total, part = np.add.reduce(by_cause), by_cause[cause - 1]
    if distribution.past is not None and alone.past is not None:
        total = np.maximum(total - distribution.past[subject, None], 0.0)
        part = np.maximum(part - alone.past[subject, None], 0.0)
    # Undo the sorting by subject.
    back = np.argsort(order)
    survival, hazard = (values.reshape(times.shape)[number, place][back] for values in (np.exp(-total), part))
    return survival, hazard
