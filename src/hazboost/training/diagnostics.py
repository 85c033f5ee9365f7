r"""How well a fitted model describes the subjects of the training data.

**Events.** For every kind of data the level of the hazard has the likelihood equation *expected = observed*,

.. math:: \sum_i w_i \left[H_i(l_i) - H_i(a_i)\right] = \sum_i w_i \left([l_i = u_i] +
          [l_i < u_i < \infty] \frac{D_i}{e^{D_i} - 1}\right), \qquad D_i = H_i(u_i) - H_i(l_i) .

**Survival.** The Kaplan-Meier curve is compared with the curve that the model expects *of the same people while they
are under observation*. In the period between two times, with E events expected in a total time at risk of T, their mean
hazard is E / T, and

.. math:: S(t) = \exp\left(-\sum_{\text{periods until } t} \text{length} \cdot E / T\right) .

The mean of the predicted survival curves would not do: it is the survival of everybody if nobody were censored, from
which Kaplan-Meier differs without any fault of the model where censoring depends on the features. Time at risk also
accounts for delayed entry and for several rows of one subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hazboost.data.nonparametric import at_risk, kaplan_meier
from hazboost.data.sample import Sample
from hazboost.data.target import Target, join_targets
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import Block, Mixture, columns, cumulatives, log_time
from hazboost.prediction.model import Model, Start
from hazboost.prediction.regression import ConstantStart, LinearStart
from hazboost.training.expected import censor_at_hazard, count_events
from hazboost.training.marginal import marginal_at_bound
from hazboost.training.plan import Plan
from hazboost.utils.arrays import Array, Indices

#: At most so many subjects, drawn at random, and so many times are compared, so that the cost is small.
MOST_SUBJECTS, MOST_TIMES = 5_000, 40
#: A held-out subject counts until its cumulative hazard is this, which one of 22,000 outlives if the model is right.
MOST_HAZARD = 10.0
#: Survival is compared while so many subjects are at risk.
ENOUGH_AT_RISK = 10
#: Distances of survival up to this, or up to so many standard errors of Kaplan-Meier, are no sign of a poor fit.
SMALL_ERROR, STANDARD_ERRORS = 0.05, 3.0
#: A head with a smaller share in the expected events of its cause may be anywhere.
SMALL_SHARE = 0.05

Diagnostics = dict[str, Any]


def diagnose(plan: Plan, model: Model, sample: Sample, unseen: Sequence[tuple[Sample, Array]] = ()) -> Diagnostics:
    """What `FPBoost.diagnostics_` documents, from the training data in the model's unit of time.

    Where folds have held subjects out, ``unseen`` has these and their scores by models that have not seen them.
    """
    sides = sum(start_at_bound(plan, start, sample.target) for start in model.starts)
    at_bound = np.where(2 * np.abs(sides) > len(model.starts), np.sign(sides), 0)  # of most models that are averaged
    target, distribution = describe(plan, model, sample, unseen)
    observed, expected = count_events(distribution, target)
    gap = largest_gap(distribution, target)
    return {
        "subjects_compared": target.n_subjects,
        "observed_events": observed,
        "expected_events": expected,
        "survival_error": gap.error,
        "survival_error_time": gap.time * model.unit,
        "kaplan_meier": gap.observed,
        "expected_survival": gap.expected,
        "standard_error": gap.standard_error,
        "at_bounds": name_bounds(distribution, target, at_bound, model.unit),
    }


def describe(
    plan: Plan, model: Model, sample: Sample, unseen: Sequence[tuple[Sample, Array]]
) -> tuple[Target, Distribution]:
    """Subjects of the training data, and their distributions.

    A model tells apart those it has seen better than others. By it those who are at risk for long have too little
    hazard, and the curve that it expects of them is too high, though that of new subjects is not. So where folds have
    held subjects out, each is described by the models that have not seen it, and counts until its cumulative hazard is
    `MOST_HAZARD`, as one who outlives a prediction by far would decide for all.
    """
    if not unseen:
        sample = sample.draw(MOST_SUBJECTS, np.random.default_rng(plan.search.seed)).in_memory()
        return sample.target, Distribution(model.mixture, model.scores(sample.X, plan.objective.n_threads))
    distribution = Distribution(model.mixture.one_model, np.concatenate([scores for _, scores in unseen]))
    target = join_targets([part.target for part, _ in unseen])
    return censor_at_hazard(distribution, target, MOST_HAZARD), distribution


class Gap(NamedTuple):
    """Where the survival that the model expects is farthest from Kaplan-Meier.

    Attributes
    ----------
    error : float
        Their distance; zero within a jump of Kaplan-Meier.
    time : float
        When that is.
    observed, expected : float
        Kaplan-Meier, at the end of the jump that is closer, and the survival that the model expects.
    standard_error : float
        Of Kaplan-Meier, from the events that were observed or expected, whichever are more.
    """

    error: float
    time: float
    observed: float
    expected: float
    standard_error: float

    @property
    def severity(self) -> float:
        """The distance in units of what is no sign of a poor fit: from 1 on it is one."""
        return self.error / max(SMALL_ERROR, STANDARD_ERRORS * self.standard_error)


NO_GAP = Gap(np.nan, np.nan, np.nan, np.nan, np.nan)


def largest_gap(distribution: Distribution, target: Target) -> Gap:
    """Compare Kaplan-Meier with the survival that the model expects; NaN where they are not comparable.

    Distances count in units of what is no sign of a poor fit, so that those at times with few subjects at risk, which
    are often large by chance, do not hide others.
    """
    if target.interval.any() or target.has_recurrent_events:
        return NO_GAP
    steps = _kaplan_meier_steps(target)
    if steps is None:
        return NO_GAP
    edges = np.concatenate([[steps.begin], steps.time])
    hazard, variance = expected_hazard(distribution.on_host(), target, edges)
    expected = np.exp(-hazard)
    observed = np.clip(expected, steps.after, steps.before)  # within a jump there is no error
    error = np.abs(expected - observed)
    # After few events the variance that they estimate may be far too small, and that of the model may not.
    standard_error = steps.before * np.sqrt(np.maximum(steps.variance, variance))
    worst = int(np.argmax(error / np.maximum(SMALL_ERROR, STANDARD_ERRORS * standard_error)))
    return Gap(*(float(one[worst]) for one in (error, steps.time, observed, expected, standard_error)))


def expected_hazard(distribution: Distribution, target: Target, edges: Array) -> tuple[Array, Array]:
    """Cumulative hazard since the first of some times that the model expects at the others, given who was at risk when.

    The second array is the variance of its nonparametric estimate, if the model is right.
    """
    during = np.clip(edges, target.entry[:, None], target.lower[:, None])
    events, time_at_risk = (
        target.weight @ np.diff(values) for values in (distribution.cumulative_hazard(during), during)
    )
    risen, number_at_risk = np.diff(edges) * events / time_at_risk, time_at_risk / np.diff(edges)
    spread = float(target.weight @ target.weight / target.weight.sum())  # 1 for weights of one
    return np.cumsum(risen), np.cumsum(spread * risen / number_at_risk)


class _Steps(NamedTuple):
    """Kaplan-Meier, counted from ``begin``, just before and at some times; the variance of the cumulative hazard."""

    begin: float
    time: Array
    before: Array
    after: Array
    variance: Array


def _kaplan_meier_steps(target: Target) -> _Steps | None:
    """Kaplan-Meier at times that divide the events evenly, and at the end of follow-up, with enough subjects at risk.

    Where entry was delayed, it is counted from the last event before there were enough.
    """
    weight = target.weight / target.weight.mean()
    seen = target.event
    time, place = np.unique(target.lower[seen], return_inverse=True)
    events, squares = (np.bincount(place.ravel(), weight[seen] ** power) for power in (1, 2))
    risk = at_risk(target, time) / target.weight.mean()
    few = risk < ENOUGH_AT_RISK
    if few.all():
        return None
    first = int(np.argmin(few))
    last = first + int(np.argmax(np.append(few[first:], True)))
    part = slice(first, last)
    begin = float(time[first - 1]) if first else -np.inf
    since = replace(target, entry=np.maximum(target.entry, begin))[target.lower > begin]
    survival = kaplan_meier(since)[1][: last - first]
    before = np.concatenate([[1.0], survival[:-1]])
    # Nelson and Aalen's variance, which unlike Greenwood's is finite where survival reaches zero.
    variance = np.cumsum(squares[part] / risk[part] ** 2)
    passed = np.cumsum(events[part])
    chosen = np.unique(np.searchsorted(passed, np.linspace(0.0, passed[-1], MOST_TIMES + 1)[1:] * (1.0 - 1e-9)))
    columns = [values[chosen] for values in (time[part], before, survival, variance)]
    end = np.sort(target.lower)[-ENOUGH_AT_RISK]
    if last == len(time) and end > time[-1]:  # nobody has the event from the last one until there
        tail = end, survival[-1], survival[-1], variance[-1]
        columns = [np.append(column, value) for column, value in zip(columns, tail, strict=True)]
    return _Steps(max(begin, 0.0), *columns)


def start_at_bound(plan: Plan, start: Start, target: Target) -> Indices:
    """1 for each score whose start was fitted and is at its upper bound, -1 at its lower bound, 0 elsewhere."""
    if isinstance(start, LinearStart):
        return start.at_bound
    mixture = plan.objective.mixture
    if isinstance(start, ConstantStart) and plan.given.init == "marginal":
        return marginal_at_bound(mixture, target, start.intercept)
    return np.zeros(mixture.n_scores, dtype=np.intp)


def name_bounds(distribution: Distribution, target: Target, at_bound: Indices, unit: float) -> list[str]:
    """Parameters at a bound, of heads that matter: ``shape k of weibull_1 at its upper bound 12.2``."""
    if not at_bound.any():
        return []
    averaged, texts = distribution.mixture, []
    mixture = averaged.one_model
    shares = _head_shares(averaged, distribution.scores, target)[averaged.heads_of_models].sum(axis=0)
    matters = shares > SMALL_SHARE
    for block in mixture.blocks:
        for p, parameter in enumerate(block.head.parameters):
            sides = np.where(matters[block.heads], at_bound[block.scores(p)], 0)
            for i in np.flatnonzero(sides):
                side = "upper" if sides[i] > 0 else "lower"
                of = f"{parameter.role} {parameter.name} of {mixture.head_names[block.first_head + i]}"
                cause = f" of cause {block.cause}" if mixture.n_causes > 1 else ""
                texts.append(f"{of}{cause} at its {side} bound{_bound_value(block, p, side, unit)}")
    return texts


def _bound_value(block: Block, parameter: int, side: str, unit: float) -> str:
    """The bound of a shape in the user's unit of time. That of a scale depends on the shape, and says nothing."""
    one = block.head.parameters[parameter]
    if one.role == "scale":
        return ""
    logs = [np.zeros(1) for _ in block.head.parameters]
    logs[parameter] += one.log_bounds[1 if side == "upper" else 0]
    return f" {np.exp(block.head.change_time_unit(float(np.log(unit)), *logs)[parameter][0]):.3g}"


def _head_shares(mixture: Mixture, scores: Array, target: Target) -> Array:
    """Share of each head in the expected events of its cause."""
    parameters = mixture.parameters(columns(scores))
    cumulative = cumulatives(mixture.evaluate(parameters, log_time(target.lower), VALUE))
    mass = np.abs(parameters.weight * cumulative) @ target.weight  # the weight of a dead head is zero
    by_cause = np.bincount(mixture.head_causes, mass)[mixture.head_causes]
    return mass / np.maximum(by_cause, np.finfo(float).tiny)
