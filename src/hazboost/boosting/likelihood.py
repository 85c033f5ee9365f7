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
from functools import reduce
from operator import add
from typing import NamedTuple

import numpy as np

from hazboost.boosting.observed import Observed
from hazboost.hazards.activations import steepness
from hazboost.hazards.clipping import clip_cumulatives
from hazboost.hazards.heads import Evaluation
from hazboost.hazards.heads.base import CURVATURE, MAX_EXPONENT, VALUE
from hazboost.hazards.mixture import Mixture, Parameters, cumulatives, log_hazards, sum_hazards
from hazboost.utils.arrays import Array, Indices, Mask

#: Relative differences of cumulative hazards below this are rounding errors.
ROUNDING = 4.0 * np.finfo(float).eps
#: The smallest cumulative hazard over an interval in which there was an event.
SMALLEST_HAZARD = float(np.exp(-MAX_EXPONENT))


class RowLoss(NamedTuple):
    """Negative log-likelihood of each row, unweighted, with derivatives as far as they were asked for.

    Attributes
    ----------
    value : array of shape (n,)
    gradient : array of shape (scores, n)
        In the row's scores.
    curvature : array of shape (scores, n)
        Diagonal hessian of a second-order step, at least the size of the gradient; see `row_loss`.
    """

    value: Array
    gradient: Array = np.empty((0, 0))
    curvature: Array = np.empty((0, 0))


def row_loss(mixture: Mixture, scores: Array, observed: Observed, order: int = CURVATURE) -> RowLoss:
    r"""Evaluate the loss of each row and, as far as asked for, its gradient and its curvature.

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
    scores : array of shape (scores, n)
        Raw scores of the rows.
    observed : Observed
        What was observed, in the mixture's unit of time.
    order : {VALUE, GRADIENT, CURVATURE}
        Whether only the loss is computed, the gradient too, or also the curvature.
    """
    causes = [
        _evaluate_cause(mixture.one_cause, part, observed, event, order)
        for part, event in zip(mixture.by_cause(scores), observed.event, strict=True)
    ]
    chance = _sum_over_causes(causes, mixture.background * observed.length) if len(observed.between) else None
    parts = [cause.loss(chance, order) for cause in causes]
    value = reduce(add, (part.value for part in parts))
    if chance is not None:
        value[observed.between] -= chance.log_value
    if order == VALUE:
        return RowLoss(value)
    gradient = mixture.join_causes([part.gradient for part in parts])
    if order < CURVATURE:
        return RowLoss(value, gradient)
    curvature = mixture.join_causes([part.curvature for part in parts])
    if mixture.weight_activation.signed:
        # Clipping adds closed forms of both signs and any size. They cancel in the gradient and in the curvature, and
        # leave rounding errors, which must not make the first larger than the second.
        curvature = np.maximum(curvature, np.abs(gradient))
    return RowLoss(value, gradient, curvature)


class _Chance(NamedTuple):
    """The probability of an event in an interval over which the hazards of all causes sum to ``D``.

    Attributes
    ----------
    log_value : array
        ``log(1 - exp(-D))``.
    pull : array
        Its slope, ``1 / (exp(D) - 1)``.
    clipped_away : array of bool
        Where clipping leaves less than the background hazard. There the logarithm is continued by its tangent,
        evaluated at the integral of the unclipped hazard.
    """

    log_value: Array
    pull: Array
    clipped_away: Mask


def _sum_over_causes(causes: list[_Cause], floor: Array) -> _Chance:
    """Add up the hazards of all causes over the intervals; ``floor`` is the background hazard over them."""
    hazard = sum(cause.interval_hazard for cause in causes)
    clipped_away = reduce(np.logical_or, [cause.may_clip for cause in causes]) & (hazard < floor)
    bounded = np.clip(np.where(clipped_away, floor, hazard), SMALLEST_HAZARD, MAX_EXPONENT)
    log_value, pull = np.log(-np.expm1(-bounded)), 1.0 / np.expm1(bounded)
    if clipped_away.any():
        unclipped = sum(cause.unclipped_hazard() for cause in causes)
        log_value += np.where(clipped_away, pull * (unclipped - floor), 0.0)
    return _Chance(log_value, pull, clipped_away)


@dataclass(frozen=True)
class _Cause:
    """The heads of one cause, evaluated at the observed times.

    Attributes
    ----------
    mixture, parameters
        The heads of the cause.
    observed : Observed
        What was observed.
    event : array of shape (n,)
        1.0 where an event of this cause was observed, and 0.0 elsewhere.
    exposure : list of Evaluation
        Cumulative hazards over the time under observation without event, ``(entry, lower]``; log-hazards at its end.
    between : list of Evaluation
        For the rows whose event lies in an interval, cumulative hazards over ``(lower, upper]``, and log-hazards at the
        end.
    unclipped : list of Evaluation
        The same before clipping; the very same without negative weights.
    interval_hazard : array
        For these rows, the hazard of the cause accumulated over the interval.
    """

    mixture: Mixture
    parameters: Parameters
    observed: Observed
    event: Array
    exposure: list[Evaluation]
    between: list[Evaluation]
    unclipped: list[Evaluation]
    interval_hazard: Array

    @property
    def may_clip(self) -> Mask:
        """Which of the intervals have negative weights."""
        negative: Mask = np.any(self.parameters.weight[:, self.observed.between] < 0.0, axis=0)
        return negative

    def unclipped_hazard(self) -> Array:
        """The integral of the unclipped hazard over the intervals, which may be negative."""
        parameters = self.parameters.rows(self.observed.between)
        hazard: Array = (parameters.weight * _cumulative(parameters, self.unclipped)).sum(axis=0)
        return hazard

    def loss(self, chance: _Chance | None, order: int) -> RowLoss:
        """The cause's part of the loss; of the log-chance of intervals, which all causes share, only the slopes."""
        parameters, event = self.parameters, self.event
        cumulative = _cumulative(parameters, self.exposure)
        log_hazard = log_hazard_and_slopes(self.mixture, parameters, log_hazards(self.exposure))
        mass = parameters.weight * cumulative
        value = mass.sum(axis=0) - event * log_hazard.value
        if not parameters.all_positive:
            dead, background = ~parameters.weight.any(axis=0), self.mixture.background
            value = np.where(dead, background * self.observed.exposure - event * np.log(background), value)
        if order == VALUE:
            return RowLoss(value)
        responsibility = event * log_hazard.responsibility
        # In the weights themselves where they may be negative, in their logarithms elsewhere.
        weight_slope = (
            mass - responsibility if log_hazard.weight_slope is None else cumulative - event * log_hazard.weight_slope
        )
        effort = np.abs(mass) + np.abs(responsibility)
        until = [] if chance is None else self._until_events(chance)
        if chance is not None:
            rows = self.observed.between
            inside = _cumulative(parameters.rows(rows), until)
            expected = parameters.weight[:, rows] * inside
            weight_slope[:, rows] -= chance.pull * (expected if log_hazard.weight_slope is None else inside)
            effort[:, rows] += np.abs(expected) * (1.0 + chance.pull)
        gradient, curvature = self._in_parameters(responsibility, chance, until, order)
        gradient[self.mixture.first_weight_score :] = parameters.pull_back(weight_slope)
        if order == CURVATURE:
            curvature[self.mixture.first_weight_score :] = parameters.bend_back(effort)
        return RowLoss(value, gradient, curvature)

    def _until_events(self, chance: _Chance) -> list[Evaluation]:
        """Cumulative hazards over the intervals, before clipping where that leaves nothing."""
        if not chance.clipped_away.any():
            return self.between
        return [_choose(chance.clipped_away, *pair) for pair in zip(self.unclipped, self.between, strict=True)]

    def _in_parameters(
        self, responsibility: Array, chance: _Chance | None, until: list[Evaluation], order: int
    ) -> tuple[Array, Array]:
        """Gradient and curvature, of shape (scores, n), filled for the parameters of the heads."""
        mixture, parameters, rows = self.mixture, self.parameters, self.observed.between
        shape = (mixture.n_scores, responsibility.shape[1])
        gradient = np.empty_like(responsibility, shape=shape)
        curvature = np.empty_like(responsibility, shape=shape if order == CURVATURE else (0, 0))
        for number, block in enumerate(mixture.blocks):
            at, weight, r = self.exposure[number], parameters.weight[block.heads], responsibility[block.heads]
            size = np.abs(weight) if mixture.weight_activation.signed else weight
            for p, one in enumerate(parameters.activated[number]):
                pulled, slope = r * at.log_hazard_slopes[p], gradient[block.scores(p)]
                np.subtract(weight * at.cumulative_slopes[p], pulled, out=slope)
                if chance is not None:
                    slope[:, rows] -= weight[:, rows] * chance.pull * until[number].cumulative_slopes[p]
                if one.slope is not None:
                    slope *= one.slope
                if order < CURVATURE:
                    continue
                bend = curvature[block.scores(p)]
                np.add(size * at.cumulative_paths[p], np.abs(pulled), out=bend)
                if chance is not None:
                    bend[:, rows] += size[:, rows] * (1.0 + chance.pull) * until[number].cumulative_paths[p]
                if one.slope is not None:
                    bend *= steepness(one.slope)
        return gradient, curvature


def _evaluate_cause(mixture: Mixture, scores: Array, observed: Observed, event: Array, order: int) -> _Cause:
    """Evaluate the heads of one cause at the times of the rows; at entry and at the end of an interval where needed."""
    parameters = mixture.parameters(scores)
    at_lower = _evaluate(mixture, parameters, observed.log_lower, order)
    if observed.ends_at_zero is not None:  # H(0) = 0, which the smallest time does not give for very small shapes
        at_lower = [_zero(one, observed.ends_at_zero) for one in at_lower]
    exposure, late = at_lower, observed.late
    if len(late):
        at_entry = _evaluate(mixture, parameters.rows(late), observed.log_entry, order)
        exposure = [_since(end, late, start, slice(None)) for end, start in zip(at_lower, at_entry, strict=True)]
    between, unclipped, hazard = _evaluate_intervals(mixture, parameters, observed, at_lower, order)
    return _Cause(mixture, parameters, observed, event, exposure, between, unclipped, hazard)


def _evaluate_intervals(
    mixture: Mixture, parameters: Parameters, observed: Observed, at_lower: list[Evaluation], order: int
) -> tuple[list[Evaluation], list[Evaluation], Array]:
    """Cumulative hazards of the heads over the intervals, clipped and unclipped, and the weighted sum of the former."""
    rows = observed.between
    if not len(rows):
        return [], [], np.empty(0)
    parameters = parameters.rows(rows)
    at_upper = _evaluate(mixture, parameters, observed.log_upper, order)
    between = [_since(end, slice(None), start, rows) for end, start in zip(at_upper, at_lower, strict=True)]
    unclipped = between
    if mixture.weight_activation.signed:
        start, end = (
            mixture.evaluate(parameters, log_t, order) for log_t in (observed.log_lower[rows], observed.log_upper)
        )
        start = [_zero(one, observed.from_zero) for one in start]
        unclipped = [_since(last, slice(None), first, slice(None)) for first, last in zip(start, end, strict=True)]
    # A difference below rounding error counts as the rounding error, so that its logarithm and slope are finite.
    hazard = (parameters.weight * _cumulative(parameters, between)).sum(axis=0)
    rounding = ROUNDING * (np.abs(parameters.weight) * _cumulative(parameters, at_upper)).sum(axis=0)
    dead = ~parameters.weight.any(axis=0)
    return between, unclipped, np.where(dead, mixture.background * observed.length, np.maximum(hazard, rounding))


def _evaluate(mixture: Mixture, parameters: Parameters, log_t: Array, order: int) -> list[Evaluation]:
    """Evaluate the heads at one time for each row, with the hazard clipped at zero."""
    evaluations = mixture.evaluate(parameters, log_t, order)
    return (
        clip_cumulatives(mixture, parameters, log_t, evaluations) if mixture.weight_activation.signed else evaluations
    )


def _cumulative(parameters: Parameters, evaluations: list[Evaluation]) -> Array:
    """``H_j`` of all heads, zero for the dead ones."""
    return parameters.only_alive(cumulatives(evaluations))


def _since(end: Evaluation, rows: Indices | slice, start: Evaluation, start_rows: Indices | slice) -> Evaluation:
    """Cumulative hazards since an earlier time, in some rows; log-hazards stay those at the end.

    ``start_rows`` are the positions of these rows in the evaluation at the earlier time.
    """

    def rise(at_end: Array, at_start: Array) -> Array:
        risen = at_end.copy()
        risen[:, rows] -= at_start[:, start_rows]
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
        return np.where(where, one, other)

    return no._replace(
        cumulative=choose(yes.cumulative, no.cumulative),
        cumulative_slopes=tuple(map(choose, yes.cumulative_slopes, no.cumulative_slopes)),
    )


def _zero(evaluation: Evaluation, rows: Mask) -> Evaluation:
    """The evaluation with cumulative hazards set to zero in some rows."""

    def clear(values: Array) -> Array:
        return np.where(rows, 0.0, values)

    return evaluation._replace(
        cumulative=clear(evaluation.cumulative),
        cumulative_slopes=tuple(map(clear, evaluation.cumulative_slopes)),
        cumulative_paths=tuple(map(clear, evaluation.cumulative_paths)),
    )


class LogHazard(NamedTuple):
    """``log h(t)`` of each row, with slopes in its heads.

    Attributes
    ----------
    value : array of shape (n,)
        ``log h(t)``; with negative weights continued below the floor, and 0 without an active head.
    responsibility : array of shape (heads, n)
        ``d log h / d log h_j``; ``w_j h_j / h`` without negative weights.
    weight_slope : array of shape (heads, n), or None
        ``d log h / d w_j`` where weights may be negative. Elsewhere the slope in ``log w_j`` is the responsibility.
    """

    value: Array
    responsibility: Array
    weight_slope: Array | None = None


def log_hazard_and_slopes(mixture: Mixture, parameters: Parameters, log_hazard: Array) -> LogHazard:
    r"""Logarithm of the summed hazard, defined for negative weights too.

    .. math:: \lambda(h) = \log h \text{ down to the floor } f, \text{ then its tangent there, } \log f + h / f - 1 .

    Without negative weights the logarithm is exact, however small the hazard. With them, an event at a time where the
    hazard is clipped to zero has a finite loss whose gradient increases the hazard; the floor is the background hazard.
    Rows without an active head have no gradient.
    """
    total = sum_hazards(parameters.weight, log_hazard)
    some = np.isfinite(total.log_total)
    log_total = np.where(some, total.log_total, 0.0)
    if not mixture.weight_activation.signed:
        return LogHazard(log_total, total.share)
    positive = total.balance > 0.0
    log_h = np.where(positive, log_total + np.log(np.where(positive, total.balance, 1.0)), -np.inf)
    log_floor = np.where((parameters.weight < 0.0).any(axis=0), np.log(mixture.background), -np.inf)
    log_divisor = np.where(some, np.maximum(log_h, log_floor), 0.0)  # the slope of lambda is one over this
    short = np.where(some & (log_h < log_floor), total.balance * _bounded_exp(log_total - log_divisor) - 1.0, 0.0)
    weight_slope = parameters.only_alive(np.where(some, _bounded_exp(log_hazard - log_divisor), 0.0))
    return LogHazard(log_divisor + short, parameters.weight * weight_slope, weight_slope)


def _bounded_exp(exponent: Array) -> Array:
    return np.exp(np.minimum(exponent, MAX_EXPONENT))
