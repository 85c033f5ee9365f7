"""Heads, given the covariates.

Heads are chosen without covariates. Given the covariates a hazard has another shape: subjects at high risk leave first,
so that the hazard of all falls where that of no one does. So where a LogLogistic head seems not to be needed, held-out
subjects decide; and where the curves of a regression are clearly off, heads are added once more, now given its linear
predictor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hazboost.boosting.observed import Observed
from hazboost.data.design import learn_design
from hazboost.data.features import Schema
from hazboost.data.folds import split_folds
from hazboost.data.sample import Sample
from hazboost.data.ties import are_coarse
from hazboost.hazards.distribution import Distribution
from hazboost.training.diagnostics import largest_gap
from hazboost.training.heads import BURST, SECOND, Chosen, HeadsFit, add_heads
from hazboost.training.linear import LinearStart, fit_linear_path
from hazboost.training.linear_selection import row_losses
from hazboost.training.marginal import MarginalLoss
from hazboost.training.policy import Policy
from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class LossGivenShifts(MarginalLoss):
    """The same as a function of the intercept of a regression, whose linear predictors are known.

    Attributes
    ----------
    shift : array of shape (n, causes)
        Linear predictors of the log-hazard of each cause.
    """

    shift: Array

    def scores(self, logs: Array) -> Array:
        """Scores of each row, of shape (scores, n)."""
        return logs[:, None] + self.mixture.scales.T @ self.shift.T


def fit_regression(chosen: Chosen, sample: Sample, schema: Schema, policy: Policy) -> LinearStart:
    """A regression with a middling ridge."""
    design = learn_design(sample.X, schema, sample.target.mass, policy.skewness, policy.farthest)
    first = LinearStart.constant(chosen.mixture, chosen.logs, design, policy.largest_shift)
    return fit_linear_path(first, sample.X, sample.target, [policy.ridge_for_heads], policy)[0]


def best_heads(
    possible: Sequence[Chosen], sample: Sample, schema: Schema, policy: Policy, folds: int, seed: int
) -> Chosen:
    """The heads with which a regression describes held-out subjects best; differences of one of them are limited.

    Parameters
    ----------
    possible : sequence of Chosen
        Heads to choose from.
    sample : Sample
        Some of the data, in the mixture's unit of time.
    schema : Schema
        How features are read.
    policy : Policy
        Constants of the automatic fit.
    folds, seed : int
        Number of folds, and the seed of the shuffling.
    """
    if len(possible) == 1:
        return possible[0]
    worse = np.zeros(len(possible))
    for kept, held in split_folds(sample.target, folds, seed, sample.group):
        fitted, new = sample.rows(kept), sample.rows(held)
        losses = [row_losses(fit_regression(one, fitted, schema, policy), new) for one in possible]
        limited = [new.target.limited_change(loss, losses[0], policy.largest_difference) for loss in losses]
        worse += np.sum(limited, axis=1)
    return possible[int(np.argmin(worse))]


def refine_heads(chosen: Chosen, sample: Sample, schema: Schema, policy: Policy) -> Chosen:
    """Add heads given the linear predictor of a regression, if its curves are clearly off.

    Parameters
    ----------
    chosen : Chosen
        Heads that were chosen without covariates.
    sample : Sample
        Some of the data, in the mixture's unit of time.
    schema : Schema
        How features are read.
    policy : Policy
        Constants of the automatic fit.
    """
    mixture, target = chosen.mixture, sample.target
    regression = fit_regression(chosen, sample, schema, policy)
    gap = largest_gap(Distribution(mixture, regression.margin(sample.X)), target)
    # A burst at a time that many events share would describe the rounding. No gap is NaN, and not clear.
    if not gap.error > policy.clear_gap * gap.standard_error or are_coarse(target):
        return chosen
    observed, shift = Observed.of(target, mixture.n_causes), regression.design.predict(sample.X, regression.coefficient)
    loss = LossGivenShifts(mixture.in_logs, target, observed, float(target.mass.sum()), shift)
    fit = HeadsFit(loss, loss.minimise(regression.log_intercept))
    wider = add_heads(fit, [SECOND, BURST], policy.most_added)
    return chosen if wider is fit else wider.chosen(mixture)
