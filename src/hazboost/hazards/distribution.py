"""The predicted distribution of each subject's event time, in the user's unit of time.

Survival, cumulative hazard and hazard are closed forms. Quantiles are found by interpolation inside of brackets
(`hazboost.hazards.inversion`). Restricted means are Gauss-Lobatto integrals of survival, over all of the time or, where
a curve has a step, over few parts of it. Those of all other curves, means, cumulative incidences with competing risks
and the time lost to a cause are adaptive Chebyshev integrals over log-time (`hazboost.hazards.quadrature`), because the
time scales of the heads may differ by orders of magnitude.

Everything is computed in blocks of rows, which are shared by threads and written into the result: many rows need no
more memory than the result itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hazboost.hazards.clipping import find_zeros
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.inversion import invert
from hazboost.hazards.mixture import LARGEST_EXPONENT, Mixture, Parameters, columns, log_hazards, log_time, sum_hazards
from hazboost.hazards.quadrature import SMOOTH_NODES, integrate, integrate_by_halves, integrate_smooth
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.blocks import for_each_block
from hazboost.utils.devices import is_on_device, match_device, to_host
from hazboost.utils.memory import keep_freed_memory

#: Numbers of heads, times and rows evaluated at a time: few enough to stay in the processor's cache.
BLOCK = 2**17
#: The same on a GPU, which wants many.
BLOCK_ON_DEVICE = 2**28
#: Rows in a block, however few times are asked for.
LARGEST_BLOCK = 2**13
#: Times that a subject counts for in an adaptive integral or in the search for quantiles.
ADAPTIVE = 8
#: Log-times are confined to this range. Its ends, about 1e-300 and 1e300 times the unit, are still normal doubles.
LOG_TIME_RANGE = (-690.0, 690.0)
#: Precision of quantiles, and of the limits of integrals, in log-time.
PRECISE, ROUGH = 1e-13, 1e-4
#: Cumulative hazard after which survival rarely counts: S = exp(-45), about 3e-20.
LATE = 45.0
#: Values of H at which panels of integrals of survival are cut. They follow its fall, whether it is steep, slow, or
#: both in succession as in a mixture.
LEVELS = np.array([0.01, 0.1, 0.4, 1.0, 2.5, 6.0, 15.0, LATE])
MIDDLE = 3  # where H = 1
#: Integrals of survival begin this far, in log-time, before the time at which H = 1 (before tau, if that is earlier).
#: S counts as 1 until there. The relative error is at most exp(1 - 24), about 1e-10.
REACH = 24.0
#: What is left of an integral of survival is computed unless it is smaller than this, relative to the part before.
NEGLIGIBLE = 1e-12
#: Hazards per unit of the user's time are bounded here.
LARGEST_HAZARD = float(np.exp(LARGEST_EXPONENT))
#: Positions at which H is evaluated to find where the integrand is largest; every eighth is an edge of a panel.
SCOUTS = np.linspace(0.0, 1.0, 33)
#: The smooth rule is applied in u with ``t = tau u^3``. This spreads out early times, and makes S smooth in u at zero
#: where the hazard is infinite there.
POWER = 3
#: Largest error that a fall of S between zero and the next node may cause in the smooth rule, relative to the integral.
UNSEEN = 1e-9
#: Log-times at which the cumulative hazard is always computed if weights may be negative.
REFERENCES = np.concatenate([-np.geomspace(512.0, 1.0, 10), np.linspace(-0.5, 3.0, 8), np.geomspace(4.0, 512.0, 8)])
#: The integral of a cumulative incidence begins where the cumulative hazard H of all causes is this fraction of
#: min(H, 1) at the last time asked for. Until there S is practically 1, and a closed form is used.
BEGINNING = 1e-6
#: Tolerance of an integral in each panel, relative to 1 - S at the last time asked for or to the largest value of the
#: integrand; initial panels.
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
    n_threads : int
        Threads that share the blocks of rows. The results do not depend on their number.
    """

    mixture: Mixture
    scores: Array
    unit: float = 1.0
    alive_at: Array | None = None
    past: Array | None = None
    n_threads: int = 1

    def __len__(self) -> int:
        return len(self.scores)

    def __getstate__(self) -> dict[str, Any]:
        # Parameters are computed again where they are needed: they hold functions, which cannot be pickled.
        return {name: value for name, value in vars(self).items() if name != "_parameters"}

    def __getitem__(self, rows: Any) -> Distribution:
        part = replace(self, scores=self.scores[rows])
        if self.alive_at is None or self.past is None:
            return part
        return replace(part, alive_at=self.alive_at[rows], past=self.past[rows])

    def on_host(self) -> Distribution:
        """The same in the memory of the computer, where everything can be computed."""
        return replace(self, scores=to_host(self.scores), alive_at=to_host(self.alive_at), past=to_host(self.past))

    def given_alive_at(self, times: Array) -> Distribution:
        """Distributions conditional on being event-free at ``times`` s, of shape (n,): ``S(t) / S(s)`` for t > s.

        Time is still counted from zero, so ``S(t)`` is 1 until s.
        """
        return replace(self, alive_at=times, past=replace(self, past=None).cumulative_hazard(times[:, None])[:, 0])

    def of_cause(self, cause: int | None) -> Distribution:
        """Distribution with the hazard of one cause (1, 2, ...) only, as if there were no others; itself for None."""
        if cause is None:
            return self
        scores = self.mixture.by_cause(self.scores.T)[cause - 1].T
        alone = Distribution(self.mixture.one_cause, scores, self.unit, n_threads=self.n_threads)
        # Being event-free at a time excludes events of this cause too, but the cumulative hazard until then differs.
        return alone if self.alive_at is None else alone.given_alive_at(self.alive_at)

    def survival(self, times: Array) -> Array:
        """``S(t)`` at ``times``, of shape (times,) or (n, times); the result has shape (n, times)."""
        return self._at_times(Distribution._survival_at, times)

    def cumulative_hazard(self, times: Array) -> Array:
        """``H(t)``, the integral of the hazard from zero, or from ``alive_at``, to t; ``H(0) = 0``."""
        return self._at_times(Distribution._cumulative_at, times)

    def hazard(self, times: Array, cause: int | None = None) -> Array:
        """``h(t)`` per unit of the user's time, of one cause or of all; zero until ``alive_at``.

        The hazard may be infinite at t = 0; the value returned there is that at a time of about 1e-300.
        """
        return self._at_times(lambda block, at: block.of_cause(cause)._hazard_at(at), times)

    def cumulative_incidence(self, times: Array, cause: int) -> Array:
        r"""Probability of an event of one cause by t, :math:`\int_0^t h_c(s) S(s) ds`, of the shape of `survival`.

        With a single cause it is 1 - S in closed form; with several it is integrated numerically.
        """
        return self._at_times(lambda block, at: block._incidence_at(at, cause), times)

    def lost_time(self, tau: float, cause: int) -> Array:
        r"""Mean time lost to one cause before ``tau``, :math:`\int_0^\tau CIF_c(t) dt`, of shape (n,)."""

        def lost(block: Distribution, _: slice) -> Array:
            return tau * _lost_share(block, block._log_time(np.array([tau])), cause)[:, 0]

        return self._in_blocks(lost, (), ADAPTIVE)

    def shares(self, times: Array) -> Array:
        """Share of each head in the hazard, ``w_j h_j(t) / sum_i |w_i| h_i(t)``, of shape (n, times, heads)."""

        def shares(block: Distribution, rows: slice) -> Array:
            at = block._log_time(times if times.ndim == 1 else times[rows])
            return _shares(block.mixture, block.mixture.parameters(columns(block.scores)), at)

        return self._in_blocks(shares, (times.shape[-1], self.mixture.n_heads), times.shape[-1])

    def quantile(self, p: Array) -> Array:
        """Times by which the event has happened with probability ``p``, of shape (n, len(p)); infinite if never."""
        return self._in_blocks(lambda block, _: block._quantile(p), (len(p),), max(ADAPTIVE, len(p)))

    def restricted_mean(self, tau: float) -> Array:
        r"""Mean of the event time restricted to ``tau``, :math:`\int_0^\tau S(t) dt`, of shape (n,)."""
        log_tau = float(min(np.log(tau) - np.log(self.unit), LOG_TIME_RANGE[1]))
        mean = self._in_blocks(lambda block, _: block._smooth_integral(log_tau), (), len(SMOOTH_NODES))
        # The curves that are not smooth are few. They are gathered, because integrals of few rows are slow.
        rest = np.flatnonzero(np.isnan(mean))
        if len(rest):
            mean[rest] = match_device(self[rest].on_host()._integral_in_parts(log_tau), mean)
        return mean * self.unit

    def mean(self) -> Array:
        r"""Mean of the event time, :math:`\int_0^\infty S(t) dt`, of shape (n,); may be infinite.

        The integral is computed up to a time :math:`X`: that at which H = 45 or, where a tail so late may still count,
        the end of `LOG_TIME_RANGE`. Beyond it, S is treated as a power :math:`t^{-c}` with :math:`c = X h(X)`, which
        contributes :math:`X S(X) / (c - 1)`. The tail of a LogLogistic head is such a power; if S falls faster, the
        contribution is negligible. The mean is infinite if c is at most 1, or if H = 45 is not reached in that range,
        or if :math:`t h(t)` is at most 1 at its end: bounded heads, or a hazard that is clipped, may leave few, but
        some, without event for ever.
        """
        return self._in_blocks(lambda block, _: block._mean(), (), ADAPTIVE)

    def _at_times(self, function: Callable[[Distribution, Array], Array], times: Array) -> Array:
        """A function of (distribution, times) at times of shape (times,) or (n, times), giving (n, times)."""
        times = match_device(times, self.scores)
        return self._in_blocks(
            lambda block, rows: function(block, times if times.ndim == 1 else times[rows]),
            times.shape[-1:],
            max(ADAPTIVE, times.shape[-1]),
        )

    def _in_blocks(
        self, function: Callable[[Distribution, slice], Array], shape: tuple[int, ...], n_times: int
    ) -> Array:
        """A function of (distribution, rows) that evaluates about ``n_times`` times, giving (n, *shape)."""
        if 0 in shape:  # nothing was asked for, such as the values at no times
            return np.empty_like(self.scores, dtype=np.float64, shape=(len(self), *shape))
        block, most, n_threads = BLOCK, LARGEST_BLOCK, self.n_threads
        if is_on_device(self.scores):  # threads would wait for one device, each with a block of its own in its memory
            block, most, n_threads = BLOCK_ON_DEVICE, len(self), 1
        else:
            keep_freed_memory()  # of which every block makes much
        step = max(1, min(most, block // (n_times * self.mixture.n_heads)))
        if len(self) <= step:
            return function(self, slice(None))
        result = np.empty_like(self.scores, dtype=np.float64, shape=(len(self), *shape))

        def fill(rows: slice) -> None:
            result[rows] = function(replace(self[rows], n_threads=1), rows)

        for_each_block(fill, len(self), step, n_threads)
        return result

    def _survival_at(self, times: Array) -> Array:
        survival = self._cumulative_at(times)
        np.negative(survival, out=survival)
        return np.exp(survival, out=survival)

    def _cumulative_at(self, times: Array) -> Array:
        return np.where(times > 0.0, self._cumulative(self._log_time(times)), 0.0)

    def _hazard_at(self, times: Array) -> Array:
        # A hazard at the bound of its exponent must not overflow in a small unit.
        return np.minimum(self._hazard(self._log_time(times)), self.unit * LARGEST_HAZARD) / self.unit

    def _incidence_at(self, times: Array, cause: int) -> Array:
        if self.mixture.n_causes == 1:
            return -np.expm1(-self._cumulative_at(times))
        return np.where(times > 0.0, _incidence(self, self._log_time(times), cause), 0.0)

    def _quantile(self, p: Array) -> Array:
        # The minimum avoids log(0) for p = 1, whose quantile is set to infinity below; the maximum does so for p = 0.
        level = np.maximum(-np.log1p(-np.minimum(p, 1.0 - 1e-16)), np.finfo(float).tiny)
        log_t = self._log_time_of(np.broadcast_to(level, (len(self), len(p))), PRECISE)
        # The search returns the end of the range if the level is not reached, for example if S has a plateau.
        beyond = (log_t >= LOG_TIME_RANGE[1]) | (p >= 1.0)
        first = np.zeros(1) if self.alive_at is None else self.alive_at[:, None]
        return np.where(p <= 0.0, first, np.where(beyond, np.inf, self._user_time(log_t)))

    def _mean(self) -> Array:
        crossings = self._crossings()
        middle, late = crossings[:, MIDDLE], crossings[:, -1]
        # The integral is at least S = 1/e times the time at which H = 1.
        soon = late - LATE < middle - 1.0 + np.log(NEGLIGIBLE)
        end = np.where(soon, late, LOG_TIME_RANGE[1])
        power = self._power(end)
        last_power = self._power(np.full_like(end, LOG_TIME_RANGE[1]))
        endless = (np.minimum(power, last_power) <= 1.0 + 1e-9) | (late >= LOG_TIME_RANGE[1])
        log_rest = end - self._cumulative(end[:, None])[:, 0]
        rest = np.exp(np.where(endless, 0.0, log_rest)) / np.where(endless, 1.0, power - 1.0)
        return np.where(endless, np.inf, self._user_time(np.log(self._integral(end, crossings) + rest)))

    def _power(self, log_t: Array) -> Array:
        """``t h(t)``, by which the logarithm of S falls with that of t, at log-times of shape (n,)."""
        hazard = self._hazard(log_t[:, None])[:, 0]
        # The hazard may underflow far out, or be clipped to 0; the power is then 0.
        log_hazard = np.log(np.maximum(hazard, np.finfo(float).tiny))
        # From logarithms, because either factor alone may overflow.
        power: Array = np.exp(np.clip(log_hazard + log_t, *LOG_TIME_RANGE))
        return power

    def _integral_in_parts(self, log_tau: float) -> Array:
        """Integral of S from zero to a log-time, by halves and, where these are too many, by adaptive quadrature."""
        integral = self._in_blocks(lambda block, _: block._integral_by_halves(log_tau), (), 2 * len(SMOOTH_NODES))
        rest = np.flatnonzero(np.isnan(integral))
        if len(rest):
            integral[rest] = self[rest]._in_blocks(
                lambda block, _: block._integral(np.full(len(block), log_tau)), (), ADAPTIVE
            )
        return integral

    def _smooth_integral(self, log_tau: float) -> Array:
        """Integral of S from zero to a log-time, where S is smooth enough; NaN elsewhere."""
        share, least = self._smooth_share(log_tau, match_device(SMOOTH_NODES, self.scores))
        return self._on_the_way(log_tau, np.where(least <= share, share, np.nan)[:, None])[:, 0]

    def _integral_by_halves(self, log_tau: float) -> Array:
        """The same where S is smooth but for few steps."""
        share = integrate_by_halves(lambda rows, u: self[rows]._smooth_share(log_tau, u), len(self))
        return self._on_the_way(log_tau, share[:, None])[:, 0]

    def _smooth_share(self, log_tau: float, u: Array) -> tuple[Array, Array]:
        """Integral of ``3 u^2 S(tau u^3)`` by the smooth rule with given nodes in [0, 1]; see `integrate_smooth`.

        From zero to one it is the mean of S from zero to tau, or from ``alive_at`` on.
        """
        log_t = np.clip(log_time(self._on_the_way(log_tau, u**POWER)), *LOG_TIME_RANGE)
        survival = np.exp(-self._cumulative(np.broadcast_to(log_t, (len(self), u.shape[-1]))))
        integral, least = integrate_smooth(u, POWER * u ** (POWER - 1) * survival)
        # Between a first node at zero and the second, S may fall unseen.
        unseen = np.where(u[..., 0] > 0.0, 0.0, u[..., 1] ** POWER * (1.0 - survival[:, 1]))
        return integral, np.maximum(least, unseen / UNSEEN)

    def _on_the_way(self, log_tau: float, share: Array) -> Array:
        """Times at shares, of shape (points,) or (n, points), of the way from zero, or ``alive_at``, to a log-time.

        An integral of S to there follows in the same way from the mean of S on the way, as S is 1 before.
        """
        tau = float(np.exp(log_tau))
        if self.alive_at is None:
            return tau * share
        alive: Array = np.minimum(np.exp(self._log_time(self.alive_at[:, None])), tau)
        return alive + (tau - alive) * share

    def _integral(self, upper: Array, crossings: Array | None = None) -> Array:
        """Integral of S from zero to the upper log-time of each row, by adaptive quadrature of ``S(exp(x)) exp(x)``.

        Its mass lies around the time at which H = 1, unless S falls as slowly as 1 / t or more slowly: the integral
        then goes on to grow however few are left. The integrand may be as large or small as doubles are, so it is
        divided by about its largest value.
        """
        crossings = self._crossings() if crossings is None else crossings
        lower = np.maximum(np.minimum(crossings[:, MIDDLE], upper) - REACH, LOG_TIME_RANGE[0])[:, None]
        if self.alive_at is not None:  # S is 1 until then
            lower = np.minimum(np.maximum(lower, self._log_time(self.alive_at[:, None])), upper[:, None])
        scouts = lower + (upper[:, None] - lower) * SCOUTS
        cuts = [crossings] if not self.mixture.weight_activation.signed else [crossings, _kinks(self)]
        falls = np.clip(np.concatenate(cuts, axis=1), lower, upper[:, None])
        peak = self._log_peak(np.sort(np.concatenate([scouts, falls], axis=1), axis=1))

        def scaled(rows: Indices, x: Array) -> tuple[Array, Array]:
            (hazard,) = _of_panels(self, lambda block, log_t: [block._cumulative(log_t)], rows, x)
            return np.exp(x - hazard - peak[rows, None]), x

        edges = np.sort(np.concatenate([scouts[:, ::8], falls], axis=1), axis=1)
        inside = integrate(scaled, edges, upper[:, None], np.full(len(self), ACCURACY))[:, 0]
        # S counts as 1 before the lower limit, which contributes exp(lower).
        return np.exp(lower[:, 0]) + np.exp(peak) * inside

    def _log_peak(self, seen: Array) -> Array:
        """Logarithm of about the largest value of ``S(exp(x)) exp(x)``, found from increasing log-times."""
        rows, hazard = np.arange(len(self)), self._cumulative(seen)
        # H rises, so this bounds the values in each interval; the interval with the largest is searched.
        best = (seen[:, 1:] - hazard[:, :-1]).argmax(axis=1)
        begin, end = seen[rows, best, None], seen[rows, best + 1, None]
        closer = begin + (end - begin) * SCOUTS
        peak: Array = np.maximum((seen - hazard).max(axis=1), (closer - self._cumulative(closer)).max(axis=1))
        return peak

    def _crossings(self) -> Array:
        """Log-times at which the cumulative hazard passes `LEVELS`."""
        return self._log_time_of(np.broadcast_to(LEVELS, (len(self), len(LEVELS))), ROUGH)

    def _log_time_of(self, level: Array, precision: float) -> Array:
        """Solve ``H(exp(x)) = level`` for x; the end of `LOG_TIME_RANGE` if the level is not reached.

        The search is in log H against log t, where a Weibull head is a straight line.
        """

        def choose(rows: Indices) -> Callable[[Array], Array]:
            block = self if len(rows) == len(self) else self[rows]
            return lambda log_t: np.log(np.maximum(block._whole(log_t), np.finfo(float).tiny))

        # Not H from `alive_at`, which is 0 until there: its logarithm would have no slope to follow.
        whole_level = level if self.past is None else level + self.past[:, None]
        return invert(choose, np.log(whole_level), LOG_TIME_RANGE, precision)

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
        whole = self._whole(log_t)
        # The maximum also removes negative rounding errors, which would make survival exceed 1.
        return whole if self.past is None else np.maximum(whole - self.past[:, None], 0.0)

    def _whole(self, log_t: Array) -> Array:
        """Cumulative hazard of all causes, counted from zero."""
        return self._over_causes(_steady_cumulative_hazard, log_t)

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
        first, *others = self._by_cause(function, log_t)
        for other in others:
            first += other
        return first

    def _by_cause(self, function: Callable[[Mixture, Parameters, Array], Array], log_t: Array) -> list[Array]:
        """Values of a function of (mixture, parameters, log-times) for the heads of each cause."""
        return [function(self.mixture.one_cause, parameters, log_t) for parameters in self._parameters]

    @cached_property
    def _parameters(self) -> list[Parameters]:
        """Parameters of the heads of each cause. Only blocks of rows are asked for them, many times."""
        return [self.mixture.one_cause.parameters(part) for part in self.mixture.by_cause(columns(self.scores))]


def _hazard(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """``max(h(t), 0)`` at log-times of shape (n, times)."""
    evaluations = mixture.evaluate(parameters, log_t, VALUE)
    hazard = sum_hazards(parameters.weight[:, :, None], log_hazards(evaluations)).hazard
    return np.where(parameters.without_hazard[:, None], mixture.background, hazard)


def _shares(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """Share of each head in the hazard at log-times of shape (n, times); heads are on the last axis."""
    log_hazard = log_hazards(mixture.evaluate(parameters, log_t, VALUE))
    return np.moveaxis(sum_hazards(parameters.weight[:, :, None], log_hazard).share, 0, -1)


def cumulative_hazard_of(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
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


def _steady_cumulative_hazard(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """`cumulative_hazard_of`, but such that the values at some times do not depend on what other times are asked for.

    With negative weights the cumulative hazard is kept from falling where terms of both signs have become so large that
    they cancel, at late times. That needs its values at earlier times: `REFERENCES` are therefore always asked for.
    """
    if not mixture.weight_activation.signed:
        return cumulative_hazard_of(mixture, parameters, log_t)
    references = np.broadcast_to(REFERENCES, (len(log_t), len(REFERENCES)))
    return cumulative_hazard_of(mixture, parameters, np.concatenate([log_t, references], axis=1))[:, : log_t.shape[1]]


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
    begin = distribution._log_time_of(np.maximum(level, np.finfo(float).tiny), ROUGH)[:, 0]
    return np.minimum(begin, upper), -np.expm1(-end[:, 0]) * ACCURACY


def _edges(distribution: Distribution, lower: Array, upper: Array) -> Array:
    """Edges of the initial panels from the lower log-time to the upper or, if earlier, to H = `LATE`.

    Clipping at zero makes kinks in the hazard. They are edges too, because polynomials converge slowly across a kink.
    """
    late = distribution._log_time_of(np.full((len(lower), 1), LATE), ROUGH)[:, 0]
    upper = np.maximum(np.minimum(upper, late), lower)
    edges = lower[:, None] + (upper - lower)[:, None] * np.linspace(0.0, 1.0, PANELS + 1)
    if not distribution.mixture.weight_activation.signed:
        return edges
    return np.sort(
        np.concatenate([edges, np.clip(_kinks(distribution), lower[:, None], upper[:, None])], axis=1), axis=1
    )


def _kinks(distribution: Distribution) -> Array:
    """Log-times at which the hazard of any cause passes zero, one row per subject, padded with -inf."""
    found = [find_zeros(distribution.mixture.one_cause, parameters) for parameters in distribution._parameters]
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
    """Survival, and the cumulative hazard of one cause, at log-times of shape (len(rows), points)."""
    total, part = _of_panels(
        distribution,
        lambda block, log_t: _total_and_part(block._by_cause(_steady_cumulative_hazard, log_t), cause),
        rows,
        x,
    )
    if distribution.past is not None and alone.past is not None:
        total = np.maximum(total - distribution.past[rows, None], 0.0)
        part = np.maximum(part - alone.past[rows, None], 0.0)
    return np.exp(-total), part


def _total_and_part(by_cause: list[Array], cause: int) -> list[Array]:
    """The sum over the causes, and one of them."""
    return [np.add.reduce(by_cause), by_cause[cause - 1]]


def _of_panels(
    distribution: Distribution, function: Callable[[Distribution, Array], list[Array]], rows: Indices, x: Array
) -> list[Array]:
    """Values of a function of (distribution, log-times) at log-times of shape (len(rows), points).

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
    # Undo the sorting by subject.
    back = np.argsort(order)
    return [values.reshape(times.shape)[number, place][back] for values in function(distribution[subject], flat)]
