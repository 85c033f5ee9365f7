r"""The survival likelihood and its gradient, analytic, for every kind of observation.

A row is at risk from :math:`a` on, is without event until :math:`l`, and has the event at or before :math:`u`:

.. math::

    \ell = H(l) - H(a) \; - \; [l = u] \log h_c(u) \; - \; [l < u < \infty] \log\left(1 - e^{-D}\right),
    \qquad D = H(u) - H(l),

where :math:`H` sums the heads of all causes and :math:`h_c` those of the cause of the event. Right censoring is
:math:`u = \infty`. The slopes in a head's log-parameters and weight are

.. math::

    \frac{\partial \ell}{\partial \log\theta_j}
        = w_j \frac{\partial [H_j(l) - H_j(a)]}{\partial \log\theta_j}
        - r_j \frac{\partial \log h_j(u)}{\partial \log\theta_j}
        - \frac{w_j}{e^D - 1} \frac{\partial D_j}{\partial \log\theta_j},
    \qquad
    \frac{\partial \ell}{\partial w_j}
        = H_j(l) - H_j(a) - \frac{\partial \log h_c(u)}{\partial w_j} - \frac{D_j}{e^D - 1},

where :math:`r_j = w_j h_j(u) / h_c(u)` is the responsibility of head j for the event. Every cause has its own heads.
Its hazard is clipped at zero where weights are negative, and is the background hazard where all heads are switched off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hazboost.data.target import Target
from hazboost.hazards.activations import steepness
from hazboost.hazards.clipping import clip_cumulatives
from hazboost.hazards.heads import Evaluation
from hazboost.hazards.heads.base import MAX_EXPONENT
from hazboost.hazards.mixture import Mixture, Parameters, cumulatives, log_hazards, log_time, sum_hazards
from hazboost.utils.arrays import Array, Indices, Mask

#: Relative differences of cumulative hazards below this are rounding errors.
ROUNDING = 4.0 * np.finfo(float).eps
#: The smallest cumulative hazard over an interval in which there was an event.
SMALLEST_HAZARD = float(np.exp(-MAX_EXPONENT))


class RowLoss(NamedTuple):
    """Negative log-likelihood of each row, unweighted.

    Attributes
    ----------
    value : array of shape (n,)
    gradient : array of shape (n, scores)
        In the row's scores.
    curvature : array of shape (n, scores)
        Diagonal hessian of a second-order step, at least the size of the gradient; see `row_loss`.
    """

    value: Array
    gradient: Array
    curvature: Array


def row_loss(mixture: Mixture, scores: Array, target: Target) -> RowLoss:
    r"""Evaluate the loss of each row, its gradient and its curvature.

    The curvature starts from the EM bound of the loss at the current scores,

    .. math:: -\log h \le -\sum_j r_j \log(w_j h_j) + \text{const},

    which equals the loss and its gradient there, and is diagonal over heads. Its two parts, exposure and events, have
    gradients of opposite sign. Where they cancel the gradient vanishes; the curvature is the sum of their sizes,

    .. math:: w_j \left[V_j(l) - V_j(a)\right] + r_j \left|\frac{\partial \log h_j}{\partial \log\theta_j}\right|,

    where :math:`V_j` bounds the total variation of :math:`\partial H_j / \partial \log\theta_j` over time. For the
    level of the weights this is :math:`H + \delta`, the exact curvature plus the event. Three properties follow: a leaf
    ``-sum(gradient) / sum(curvature)`` lies in [-1, 1]; no curvature is zero where the gradient is not; and the
    curvatures of the rows of a subject that is split in time sum to that of the unsplit subject. For an interval the
    event count is its expectation :math:`D / (1 - e^{-D})`, divided among the heads. Negative weights count by size.

    Parameters
    ----------
    mixture : Mixture
        The heads.
    scores : array of shape (n, scores)
        Raw scores of the rows.
    target : Target
        What was observed, in the mixture's unit of time.
    """
    causes = [
        _evaluate_cause(mixture.one_cause, part, target, target.cause == number)
        for number, part in enumerate(mixture.by_cause(scores), start=1)
    ]
    between = _sum_over_causes(causes, mixture.background * (target.upper - target.lower)[target.interval])
    parts = [cause.loss(between) for cause in causes]
    value = np.sum([part.value for part in parts], axis=0) if len(parts) > 1 else parts[0].value
    if len(between.log_chance):
        value[causes[0].rows] -= between.log_chance
    gradient, curvature = (
        mixture.join_causes([getattr(part, name) for part in parts]) for name in ("gradient", "curvature")
    )
    if mixture.weight_activation.signed:  # where the hazard is clipped, the bound has rare gaps
        curvature = np.maximum(curvature, np.abs(gradient))
    return RowLoss(value, gradient, curvature)


class _Between(NamedTuple):
    """Events that are known to lie in an interval, over which the hazards of all causes sum to ``D``.

    Attributes
    ----------
    log_chance : array
        ``log(1 - exp(-D))``.
    pull : array
        Its slope, ``1 / (exp(D) - 1)``.
    clipped_away : array of bool
        Where clipping leaves less than the background hazard. There the logarithm is continued by its tangent,
        evaluated at the integral of the unclipped hazard.
    """

    log_chance: Array
    pull: Array
    clipped_away: Mask


def _sum_over_causes(causes: list[_Cause], floor: Array) -> _Between:
    """Add up the hazards of all causes over the intervals; ``floor`` is the background hazard over them."""
    hazard = np.add.reduce([cause.interval_hazard for cause in causes])
    clipped_away = np.logical_or.reduce([cause.may_clip for cause in causes]) & (hazard < floor)
    bounded = np.clip(np.where(clipped_away, floor, hazard), SMALLEST_HAZARD, MAX_EXPONENT)
    log_chance, pull = np.log(-np.expm1(-bounded)), 1.0 / np.expm1(bounded)
    if clipped_away.any():
        unclipped = np.add.reduce([cause.unclipped_hazard() for cause in causes])
        log_chance += np.where(clipped_away, pull * (unclipped - floor), 0.0)
    return _Between(log_chance, pull, clipped_away)


@dataclass(frozen=True)
class _Cause:
    """The heads of one cause, evaluated at the observed times.

    Attributes
    ----------
    mixture, scores, parameters
        The heads of the cause.
    exposure : list of Evaluation
        Cumulative hazards over the time under observation without event, ``(entry, lower]``; log-hazards at its end.
    event : array of bool, shape (n,)
        Where an event of this cause was observed.
    dead_exposure : array of shape (n,)
        Time at risk, for rows whose heads are all switched off and whose hazard is the background hazard.
    rows : array of int
        Rows whose event lies in an interval.
    between : list of Evaluation
        For these, cumulative hazards over ``(lower, upper]``, and log-hazards at the end.
    unclipped : list of Evaluation
        The same before clipping; the very same without negative weights.
    interval_hazard : array
        For these, the hazard of the cause accumulated over the interval.
    """

    mixture: Mixture
    scores: Array
    parameters: Parameters
    exposure: list[Evaluation]
    event: Mask
    dead_exposure: Array
    rows: Indices
    between: list[Evaluation]
    unclipped: list[Evaluation]
    interval_hazard: Array

    @property
    def may_clip(self) -> Mask:
        """Which of the intervals have negative weights."""
        negative: Mask = np.any(self.parameters.weight[self.rows] < 0.0, axis=-1)
        return negative

    def unclipped_hazard(self) -> Array:
        """The integral of the unclipped hazard over the intervals, which may be negative."""
        parameters = self.parameters[self.rows]
        hazard: Array = (parameters.weight * _cumulative(parameters, self.unclipped)).sum(axis=-1)
        return hazard

    def loss(self, events: _Between) -> RowLoss:
        """The cause's part of the loss; of the log-chance of intervals, which all causes share, only the slopes."""
        parameters, mixture, rows = self.parameters, self.mixture, self.rows
        pull, between = events.pull[:, None], self.between
        if events.clipped_away.any():
            between = [_choose(events.clipped_away, *pair) for pair in zip(self.unclipped, between, strict=True)]
        cumulative = _cumulative(parameters, self.exposure)
        log_hazard = log_hazard_and_slopes(parameters, log_hazards(self.exposure), mixture.background)
        event = self.event[:, None]
        responsibility = event * log_hazard.responsibility
        mass = parameters.weight * cumulative
        weight_slope = cumulative - event * log_hazard.weight_slope
        effort = np.abs(mass) + np.abs(responsibility)
        dead = ~parameters.weight.any(axis=-1)
        dead_loss = mixture.background * self.dead_exposure - self.event * np.log(mixture.background)
        value = np.where(dead, dead_loss, mass.sum(axis=-1) - np.where(self.event, log_hazard.value, 0.0))
        if len(rows):
            inside = _cumulative(parameters[rows], between)
            weight_slope[rows] -= pull * inside
            effort[rows] += np.abs(parameters.weight[rows]) * (1.0 + pull) * inside

        gradient, curvature = np.empty_like(self.scores), np.empty_like(self.scores)
        for number, block in enumerate(mixture.blocks):
            at = self.exposure[number]
            weight, r = parameters.weight[:, block.heads], responsibility[:, block.heads]
            for p, one in enumerate(parameters.activated[number]):
                slope = weight * at.cumulative_slopes[p] - r * at.log_hazard_slopes[p]
                size = np.abs(weight) * at.cumulative_paths[p] + np.abs(r * at.log_hazard_slopes[p])
                if len(rows):
                    until = between[number]
                    slope[rows] -= weight[rows] * pull * until.cumulative_slopes[p]
                    size[rows] += np.abs(weight[rows]) * (1.0 + pull) * until.cumulative_paths[p]
                gradient[:, block.scores(p)] = slope * one.slope
                curvature[:, block.scores(p)] = size * steepness(one.slope)
        gradient[:, mixture.first_weight_score :] = parameters.pull_back(weight_slope)
        curvature[:, mixture.first_weight_score :] = parameters.bend_back(effort)
        return RowLoss(value, gradient, curvature)


def _evaluate_cause(mixture: Mixture, scores: Array, target: Target, event: Mask) -> _Cause:
    """Evaluate the heads of one cause at the times of the rows; at entry and at the end of an interval where needed."""
    parameters = mixture.parameters(scores)
    watched = target.lower > 0.0  # H(0) = 0, which the smallest time does not give for very small shapes
    at_lower = _evaluate(mixture, parameters, target.lower)
    if not watched.all():
        at_lower = [_zero(one, ~watched) for one in at_lower]
    exposure, late = at_lower, np.flatnonzero(target.entry > 0.0)
    if len(late):
        at_entry = _evaluate(mixture, parameters[late], target.entry[late])
        exposure = [_since(end, late, start, slice(None)) for end, start in zip(at_lower, at_entry, strict=True)]
    rows = np.flatnonzero(target.interval)
    between, unclipped, hazard = _evaluate_intervals(mixture, parameters, target, rows, at_lower)
    time = target.lower - target.entry
    return _Cause(mixture, scores, parameters, exposure, event & watched, time, rows, between, unclipped, hazard)


def _evaluate_intervals(
    mixture: Mixture, parameters: Parameters, target: Target, rows: Indices, at_lower: list[Evaluation]
) -> tuple[list[Evaluation], list[Evaluation], Array]:
    """Cumulative hazards of the heads over the intervals, clipped and unclipped, and the weighted sum of the former."""
    if not len(rows):
        return [], [], np.empty(0)
    parameters, lower, upper = parameters[rows], target.lower[rows], target.upper[rows]
    at_upper = _evaluate(mixture, parameters, upper)
    between = [_since(end, slice(None), start, rows) for end, start in zip(at_upper, at_lower, strict=True)]
    unclipped = between
    if mixture.weight_activation.signed:
        start, end = (mixture.evaluate(parameters, log_time(time)[:, None]) for time in (lower, upper))
        start = [_zero(one, lower == 0.0) for one in start]
        unclipped = [_since(last, slice(None), first, slice(None)) for first, last in zip(start, end, strict=True)]
    # A difference below rounding error counts as the rounding error, so that its logarithm and slope are finite.
    hazard = (parameters.weight * _cumulative(parameters, between)).sum(axis=-1)
    rounding = ROUNDING * (np.abs(parameters.weight) * _cumulative(parameters, at_upper)).sum(axis=-1)
    dead = ~parameters.weight.any(axis=-1)
    return between, unclipped, np.where(dead, mixture.background * (upper - lower), np.maximum(hazard, rounding))


def _evaluate(mixture: Mixture, parameters: Parameters, time: Array) -> list[Evaluation]:
    """Evaluate the heads at one time for each row, with the hazard clipped at zero."""
    log_t = log_time(time)[:, None]
    evaluations = mixture.evaluate(parameters, log_t)
    return (
        clip_cumulatives(mixture, parameters, log_t, evaluations) if mixture.weight_activation.signed else evaluations
    )


def _cumulative(parameters: Parameters, evaluations: list[Evaluation]) -> Array:
    """``H_j`` of all heads, zero for the dead ones."""
    return np.where(parameters.alive, cumulatives(evaluations), 0.0)


def _since(end: Evaluation, rows: Indices | slice, start: Evaluation, start_rows: Indices | slice) -> Evaluation:
    """Cumulative hazards since an earlier time, in some rows; log-hazards stay those at the end.

    ``start_rows`` are the positions of these rows in the evaluation at the earlier time.
    """

    def rise(at_end: Array, at_start: Array) -> Array:
        risen = at_end.copy()
        risen[rows] -= at_start[start_rows]
        return risen

    def not_negative(at_end: Array, at_start: Array) -> Array:
        return np.maximum(rise(at_end, at_start), 0.0)

    return end._replace(
        cumulative=not_negative(end.cumulative, start.cumulative),
        cumulative_slopes=tuple(map(rise, end.cumulative_slopes, start.cumulative_slopes)),
        cumulative_paths=tuple(map(not_negative, end.cumulative_paths, start.cumulative_paths)),
    )


def _choose(where: Mask, yes: Evaluation, no: Evaluation) -> Evaluation:
    """Some rows of one evaluation and the others of another."""

    def choose(one: Array, other: Array) -> Array:
        return np.where(where[:, None], one, other)

    return no._replace(
        cumulative=choose(yes.cumulative, no.cumulative),
        cumulative_slopes=tuple(map(choose, yes.cumulative_slopes, no.cumulative_slopes)),
    )


def _zero(evaluation: Evaluation, rows: Mask) -> Evaluation:
    """The evaluation with cumulative hazards set to zero in some rows."""

    def clear(values: Array) -> Array:
        return np.where(rows[:, None], 0.0, values)

    return evaluation._replace(
        cumulative=clear(evaluation.cumulative),
        cumulative_slopes=tuple(map(clear, evaluation.cumulative_slopes)),
        cumulative_paths=tuple(map(clear, evaluation.cumulative_paths)),
    )


def loss_and_gradient(mixture: Mixture, scores: Array, target: Target) -> tuple[Array, Array]:
    """Loss of each row, of shape (n,), and its gradient in the row's scores, of shape (n, scores)."""
    loss = row_loss(mixture, scores, target)
    return loss.value, loss.gradient


class LogHazard(NamedTuple):
    """``log h(t)`` of each row, with slopes in its heads.

    Attributes
    ----------
    value : array of shape (n,)
        ``log h(t)``; with negative weights continued below the floor.
    responsibility : array of shape (n, heads)
        ``d log h / d log h_j``; ``w_j h_j / h`` without negative weights.
    weight_slope : array of shape (n, heads)
        ``d log h / d w_j``; ``h_j / h`` without negative weights.
    """

    value: Array
    responsibility: Array
    weight_slope: Array


def log_hazard_and_slopes(parameters: Parameters, log_hazard: Array, floor: float) -> LogHazard:
    r"""Logarithm of the summed hazard, defined for negative weights too.

    .. math:: \lambda(h) = \log h \text{ down to the floor } f, \text{ then its tangent there, } \log f + h / f - 1 .

    Without negative weights the logarithm is exact, however small the hazard. With them, an event at a time where the
    hazard is clipped to zero has a finite loss whose gradient increases the hazard. Rows without an active head have no
    gradient.
    """
    total = sum_hazards(parameters.weight, log_hazard)
    some = np.isfinite(total.log_total)
    log_total = np.where(some, total.log_total, 0.0)
    positive = total.balance > 0.0
    log_h = np.where(positive, log_total + np.log(np.where(positive, total.balance, 1.0)), -np.inf)
    log_floor = np.where((parameters.weight < 0.0).any(axis=-1), np.log(floor), -np.inf)
    log_divisor = np.where(some, np.maximum(log_h, log_floor), 0.0)  # the slope of lambda is one over this
    short = np.where(some & (log_h < log_floor), total.balance * _bounded_exp(log_total - log_divisor) - 1.0, 0.0)
    live = parameters.alive & some[:, None]
    weight_slope = np.where(live, _bounded_exp(log_hazard - log_divisor[:, None]), 0.0)
    return LogHazard(log_divisor + short, parameters.weight * weight_slope, weight_slope)


def _bounded_exp(exponent: Array) -> Array:
    return np.exp(np.minimum(exponent, MAX_EXPONENT))
