"""The fit without covariates: one value for each score, the same for every subject, of maximum likelihood."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.condense import as_if_only, condense, join_rows
from hazboost.data.target import Target
from hazboost.hazards.heads.base import GRADIENT, USUAL_LOG_SHAPE
from hazboost.hazards.mixture import Block, Mixture
from hazboost.training.descent import QuasiNewton, differences
from hazboost.utils.arrays import Array, Indices

#: A fit without covariates uses at most so many distinct times of events, and of censoring.
ENOUGH_TIMES = 2_000
#: The search for the maximum ends when a step gains less than this of the mean loss.
TOLERANCE = 1e-12
#: The shape of a burst of risk before it is fitted.
FIRST_BURST = 4.0
#: How far the level of the weights may be from 1, in logarithms.
LEVEL_REACH = 4.0
#: Nobody is seen before the first entry, and the likelihood knows no hazard there. It is as if this share of the
#: subjects had been seen, without an event: enough to decide where nothing else does.
UNSEEN = 0.02
#: A value this close to its bound, relative to its size, is at it.
CLOSE = 1e-6


def marginal_start(mixture: Mixture, target: Target, rng: np.random.Generator, first: Array | None = None) -> Array:
    """Maximise the likelihood without covariates, from log-parameters ``first`` or else shapes between 1/2 and 2.

    Parameters are fitted as logarithms and weights as scores of their own activation, inside bounds that leave every
    head a part in the hazard: one that starts with none has no gradient and never learns.
    """
    loss = MarginalLoss.of(mixture, target)
    return mixture.scores_of_logs(loss.minimise(loss.guess() if first is None else first))


@dataclass(frozen=True)
class MarginalLoss:
    """The mean loss without covariates, as a function of log-parameters and scores of weights, with its gradient.

    Attributes
    ----------
    mixture : Mixture
        The heads, with log-parameters as scores.
    target : Target
        What was observed, with few distinct times.
    observed : Observed
        The same, as likelihoods read it.
    subjects : float
        Weighted number of subjects.
    unseen : Observed or None
        The time before the first entry; see `before_entry`.
    """

    mixture: Mixture
    target: Target
    observed: Observed
    subjects: float
    unseen: Observed | None

    @classmethod
    def of(cls, mixture: Mixture, target: Target, size: int = ENOUGH_TIMES) -> MarginalLoss:
        """The loss of some subjects, with at most so many distinct times of events, and of censoring."""
        unseen, target = before_entry(target, mixture), condense(join_rows(target), size)
        # A delayed entry is a row of negative weight in the condensed data: it does not count as a subject.
        subjects = float(target.weight[target.weight > 0.0].sum())
        return cls(mixture.with_log_link, target, Observed.of(target, mixture.n_causes), subjects, unseen)

    def __call__(self, logs: Array) -> tuple[float, Array]:
        """The penalised loss and its gradient."""
        loss = row_loss(self.mixture, self.scores(logs), self.observed, GRADIENT)
        penalty, slope = penalise(self.mixture, logs, self.unseen)
        weight, n = self.target.weight, self.subjects
        return (float(loss.value @ weight) + penalty) / n, (loss.gradient @ weight + slope) / n

    def scores(self, logs: Array) -> Array:
        """Scores of each row, of shape (scores, n)."""
        return for_all(logs, len(self.target))

    @cached_property
    def rates(self) -> Array:
        """Events of each cause over the time under observation."""
        return _rates(self.mixture, self.target)

    def guess(self) -> Array:
        """Where to begin if nothing is known."""
        return guess(self.mixture, self.rates, self.target)

    def minimise(self, first: Array, tolerance: float = TOLERANCE) -> Array:
        """The minimum that is reached from somewhere, by a search that ends when a step gains less than this."""
        bounds = np.array(_bounds(self.mixture, self.rates))
        first = np.clip(first, *bounds.T)
        hessian = differences(self, first, self(first)[1], np.arange(len(first)))
        return QuasiNewton(bounds, 0.5 * (hessian + hessian.T), tolerance).minimise(self, first)


def guess(mixture: Mixture, rates: Array, target: Target) -> Array:
    """Log-parameters before anything was fitted, and equal weights."""
    logs = [_first_guess(block, rates, target) for block in mixture.blocks]
    return lay_out(mixture.with_log_link, logs, equal_weights(mixture))


def before_entry(target: Target, mixture: Mixture) -> Observed | None:
    """A share of the subjects without an event until the first entry; None where somebody was seen from zero on.

    Also none for single heads, which the times after the first entry determine: the fit is that of maximum likelihood.
    """
    first = target.entry.min(keepdims=True)
    if first[0] == 0.0 or mixture.heads_per_cause == 1:
        return None
    share = UNSEEN * target.mass.sum(keepdims=True)
    return Observed.of(Target.of(first, np.full(1, np.inf), share), mixture.n_causes)


def penalise(mixture: Mixture, logs: Array, unseen: Observed | None) -> tuple[float, Array]:
    """What a fit pays for steep shapes, and for hazard before the first entry, with the slope."""
    penalty, slope = penalise_shapes(mixture, logs)
    if unseen is None:
        return penalty, slope
    loss = row_loss(mixture, logs[:, None], unseen, GRADIENT)
    weight = 1.0 if unseen.weight is None else unseen.weight
    return penalty + unseen.total(loss.value), slope + (loss.gradient * weight).sum(axis=1)


def penalise_shapes(mixture: Mixture, logs: Array) -> tuple[float, Array]:
    r"""The penalty :math:`(\log k - 2)_+^2` of all shapes, with its slope.

    Otherwise the likelihood of a few events at nearly the same time would favour a spike of the hazard there. It counts
    once, so that many events allow any shape, and up to 7 there is none: the fit is the maximum of the likelihood.
    """
    excess = np.where(mixture.of_role("shape"), np.maximum(logs - USUAL_LOG_SHAPE, 0.0), 0.0)
    return float(excess @ excess), 2.0 * excess


def for_all(start: Array, n: int) -> Array:
    """The same scores for n rows, of shape (scores, n)."""
    return np.repeat(start[:, None], n, axis=1)


def marginal_at_bound(mixture: Mixture, target: Target, scores: Array) -> Indices:
    """Where a `marginal_start` is at a bound; see `at_bound`."""
    bounds = np.array(_bounds(mixture, _rates(mixture, target)))
    return at_bound(scores, mixture.scores_of_logs(bounds))


def at_bound(values: Array, bounds: npt.ArrayLike) -> Indices:
    """1 where a value is at its upper bound, -1 where it is at its lower one, 0 inside, and where the two are equal."""
    low, high = np.asarray(bounds, dtype=np.float64).T
    near = CLOSE * np.maximum(1.0, np.abs(values))
    return np.where(low < high, (values > high - near).astype(np.intp) - (values < low + near), 0)


def _first_guess(block: Block, rates: Array, target: Target) -> list[Array]:
    """Log-parameters: scales at the event rate of the cause; shapes of several heads spread between 1/2 and 2.

    Bursts of risk, heads with a bounded cumulative hazard, are spread over the times of the events.
    """
    if block.head.cumulative_limit < np.inf:
        shares = (np.arange(block.count) + 1.0) / (block.count + 1.0)
        return [-FIRST_BURST * np.log(burst_times(target, shares)), np.full(block.count, np.log(FIRST_BURST))]
    spread = np.linspace(-np.log(2.0), np.log(2.0), block.count) if block.count > 1 else np.zeros(1)
    # With the longest follow-up as the unit of time, in which all families rise about as much.
    log_longest = float(np.log(target.longest))
    scale = np.full(block.count, np.log(rates[block.cause - 1]) + log_longest)
    logs = [scale if parameter.role == "scale" else spread for parameter in block.head.parameters]
    return list(block.head.change_time_unit(log_longest, *logs))


def burst_times(target: Target, shares: Iterable[float]) -> Array:
    """Times at which bursts may be: by which these shares of the events have happened."""
    return np.array([target.event_quantile(one) if target.has_events else one * target.longest for one in shares])


def _rates(mixture: Mixture, target: Target) -> Array:
    """Events of each cause over the time under observation; half an event where there was none."""
    causes = [as_if_only(target, cause, mixture.n_causes) for cause in range(1, mixture.n_causes + 1)]
    events = np.array([one.event_mass for one in causes])
    exposure = float((causes[0].weight * (causes[0].lower - causes[0].entry)).sum())
    return np.where(events > 0.0, events, 0.5) / exposure


def _bounds(mixture: Mixture, rates: Array) -> list[tuple[float, float]]:
    """Bounds of log-parameters and weight scores: scales around the mean rates and 1, weights around equal ones."""
    bounds = []
    for block in mixture.blocks:
        log_rate = float(np.log(rates[block.cause - 1]))
        for parameter in block.head.parameters:
            # Where the unit of time is that of the events a scale is near 1, however long the longest follow-up is.
            least, most = sorted((log_rate, 0.0)) if parameter.role == "scale" else (0.0, 0.0)
            low, high = parameter.log_bounds
            bounds += [(least + low, most + high)] * block.count
    if mixture.learns_weights:
        equal = mixture.weight_activation.inverse_of_equal_weights(mixture.heads_per_cause)
        # A positive score is that of an activation that may reach zero, and stays positive.
        weights = [(0.3 * equal if equal > 0.0 else equal - 1.0, equal + 1.0)] * (
            mixture.n_weight_scores // mixture.n_causes
        )
        if mixture.weight_activation.has_level:  # which no head can be without
            weights[0] = (equal - LEVEL_REACH, equal + LEVEL_REACH)
        bounds += weights * mixture.n_causes
    return bounds


def equal_weights(mixture: Mixture) -> Array:
    """Scores with which all heads of a cause have the same weight; none where weights are not learned."""
    if not mixture.learns_weights:
        return np.empty(0)
    equal = mixture.weight_activation.inverse_of_equal_weights(mixture.heads_per_cause)
    return np.full(mixture.n_weight_scores, equal)


def lay_out(mixture: Mixture, logs: Sequence[Sequence[Array]], weight_scores: Array) -> Array:
    """Scores from log-parameters, given block by block and parameter by parameter, and from scores of the weights."""
    scores = np.empty(mixture.n_scores)
    for block, parameters in zip(mixture.blocks, logs, strict=True):
        for p, log_values in enumerate(parameters):
            scores[block.scores(p)] = mixture.parameter_activation.inverse(log_values)
    scores[mixture.first_weight_score :] = weight_scores[: mixture.n_weight_scores]
    return scores
