"""Heads, given the covariates.

Heads are chosen without covariates. Given the covariates a hazard has another shape: subjects at high risk leave first,
so that the hazard of all falls where that of no one does. So where a regression seems not to need its LogLogistic head,
held-out subjects decide; and where its curves are off, heads are added once more, now given its linear predictor, if
held-out subjects are clearly better with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hazboost.boosting.observed import Observed
from hazboost.data.features import Schema
from hazboost.data.folds import split_folds
from hazboost.data.sample import Sample
from hazboost.data.ties import are_coarse, spread_ties
from hazboost.hazards.distribution import Distribution
from hazboost.prediction.regression import LinearStart
from hazboost.training.diagnostics import largest_gap
from hazboost.training.heads import (
    BURST,
    SECOND,
    Chosen,
    HeadsFit,
    add_heads,
    fit_heads,
    possible_heads,
    price_of_head,
)
from hazboost.training.linear import TOLERANCE, first_start, fit_linear_path
from hazboost.training.linear_selection import row_losses
from hazboost.training.marginal import MarginalLoss, before_entry
from hazboost.training.plan import Plan
from hazboost.training.policy import Policy
from hazboost.training.single import drawn_for_linear
from hazboost.training.state import State
from hazboost.utils.arrays import Array

#: Heads are compared in at most so many folds.
FOLDS = 5
#: A search of a regression that is only compared with another ends when a step gains less than this of the mean loss.
ENOUGH_TO_COMPARE = 1e-8


@dataclass(frozen=True)
class LossGivenShifts(MarginalLoss):
    """The mean loss as a function of the intercept of a regression, whose linear predictors are known.

    Attributes
    ----------
    shift : array of shape (n, causes)
        Linear predictors of the log-hazard of each cause.
    """

    shift: Array

    def scores(self, logs: Array) -> Array:
        """Scores of each row, of shape (scores, n)."""
        return logs[:, None] + self.mixture.scales.T @ self.shift.T


def fit_regression(
    chosen: Chosen,
    sample: Sample,
    schema: Schema,
    policy: Policy,
    near: LinearStart | None = None,
    tolerance: float = TOLERANCE,
) -> LinearStart:
    """A regression with a middling ridge. The search begins at one of other subjects, or without covariates."""
    first = first_start(chosen.mixture, chosen.logs, sample, schema, policy, near)
    return next(fit_linear_path(first, sample.X, sample.target, [policy.ridge_for_heads], policy, tolerance=tolerance))


@dataclass(frozen=True)
class Trial:
    """Heads, and how well regressions with them describe subjects.

    Attributes
    ----------
    chosen : Chosen
        The heads.
    sample : Sample
        The subjects of all folds.
    folds : sequence of pairs of Sample
        Subjects that a regression is fitted to, and others.
    schema, policy : Schema, Policy
        How features are read, and constants of the automatic fit.
    """

    chosen: Chosen
    sample: Sample
    folds: Sequence[tuple[Sample, Sample]]
    schema: Schema
    policy: Policy

    @cached_property
    def regression(self) -> LinearStart:
        """The regression of all subjects."""
        return fit_regression(self.chosen, self.sample, self.schema, self.policy)

    @cached_property
    def is_off(self) -> bool:
        """Whether the mean curve of the regression is off."""
        curves = Distribution(self.chosen.mixture, self.regression.margin(self.sample.X))
        gap = largest_gap(curves, self.sample.target)
        return bool(gap.error > self.policy.least_gap * gap.standard_error)  # a gap may be NaN, which is not large

    def is_enough(self, wider: Trial) -> bool:
        """Whether the additional head of another trial is not worth its parameters in a regression (BIC).

        The gain of each subject is limited, as in `better`.
        """
        target, mixture = self.sample.target, wider.chosen.mixture
        mine, its = (row_losses(one.regression, one.sample) for one in (self, wider))
        gain = target.limited_change(mine, its, self.policy.largest_difference).sum()
        return float(gain) <= price_of_head(target, mixture.n_causes)

    @cached_property
    def losses(self) -> list[Array]:
        """Losses of the held-out rows of each fold.

        Nothing but a decision depends on them, so that these fits begin at that of all subjects and end early.
        """
        fits = (
            fit_regression(self.chosen, kept, self.schema, self.policy, self.regression, ENOUGH_TO_COMPARE)
            for kept, _ in self.folds
        )
        return [row_losses(fit, held) for fit, (_, held) in zip(fits, self.folds, strict=True)]

    def better(self, other: Trial, least: float = 0.0) -> Trial:
        """The other, if all held-out subjects together gain more than so much with it; the gain of each is limited."""
        gain = 0.0
        for (_, held), mine, its in zip(self.folds, self.losses, other.losses, strict=True):
            gain -= held.target.limited_change(its, mine, self.policy.largest_difference).sum()
        return other if gain > least else self


def choose_heads(state: State) -> State:
    """The heads, as far as they are to be chosen, and their fit without covariates, where the start is fitted.

    The heads are those with which a regression describes held-out subjects best; then more, where its curves are off.
    """
    plan, seed, policy = state.plan, state.plan.search.seed, state.plan.search.policy
    if not plan.has_fitted_start:
        return state
    mixture, sample = plan.objective.mixture, drawn_for_linear(plan, state.sample)
    if plan.given.heads:
        return state.with_heads(fit_heads(mixture, sample.target).chosen(mixture))
    possible = possible_heads(mixture, sample.target, policy)
    if not plan.has_linear_start:
        return state.with_heads(possible[-1])
    some = sample.draw(policy.subjects_for_heads, np.random.default_rng(seed)).in_memory()
    return state.with_heads(compare_heads(possible, some, plan, min(state.folds, FOLDS)))


def compare_heads(possible: Sequence[Chosen], sample: Sample, plan: Plan, folds: int) -> Chosen:
    """The heads with which a regression describes held-out subjects best; then more, where its curves are off.

    Of the possible ones, those with fewer heads than the last are considered only if the additional head is not worth
    its parameters in a regression. There are no more where recorded times are coarse.
    """
    policy = plan.search.policy
    # A head at a time that many events share would describe the rounding.
    coarse, sample = are_coarse(sample.target), replace(sample, target=spread_ties(sample.target))
    rows = split_folds(sample.target, folds, plan.search.seed, sample.group)
    parts = [(sample.rows(kept), sample.rows(held)) for kept, held in rows]

    def trial(chosen: Chosen) -> Trial:
        return Trial(chosen, sample, parts, plan.schema, policy)

    *fewer, most = [trial(chosen) for chosen in possible]
    best = next((one.better(most) for one in fewer if one.is_enough(most)), most)
    for wider in wider_heads(best) if best.is_off and not coarse else []:
        best = best.better(trial(wider), policy.least_advantage)
    return best.chosen


def wider_heads(trial: Trial) -> list[Chosen]:
    """The same with more heads, added one at a time by the likelihood given the linear predictor of a regression."""
    mixture, regression, policy = trial.chosen.mixture, trial.regression, trial.policy
    sample, target = trial.sample, trial.sample.target
    observed, unseen = Observed.of(target, mixture.n_causes), before_entry(target, mixture)
    shift = regression.design.predict(sample.X, regression.coefficient)
    loss = LossGivenShifts(mixture.with_log_link, target, observed, float(target.mass.sum()), unseen, shift)
    fit = HeadsFit(loss, loss.minimise(regression.log_intercept))
    most = max(policy.most_added // mixture.n_causes, 1)  # a step adds a head to each cause
    _, *wider = add_heads(fit, [SECOND, BURST], most, policy.least_gain, policy.least_mean_gain)
    return [one.chosen(mixture) for one in wider]
