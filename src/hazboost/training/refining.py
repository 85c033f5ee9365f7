"""More heads where a regression does not describe the data.

Heads are chosen without covariates. Given the covariates a hazard has another shape: subjects at high risk leave first,
so that the hazard of all falls where that of no one does. Where the curves of a regression are clearly off, heads are
added once more, now given its linear predictor.
"""

from __future__ import annotations

from dataclasses import dataclass

from hazboost.boosting.observed import Observed
from hazboost.data.design import learn_design
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.ties import are_coarse
from hazboost.hazards.distribution import Distribution
from hazboost.training.diagnostics import largest_gap
from hazboost.training.heads import BURST, SECOND, Chosen, HeadsFit, add_heads
from hazboost.training.linear import LinearStart, fit_linear_path
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
    design = learn_design(sample.X, schema, target.mass, policy.skewness, policy.farthest)
    first = LinearStart.constant(mixture, chosen.logs, design, policy.largest_shift)
    (regression,) = fit_linear_path(first, sample.X, target, [policy.ridge_for_heads], policy)
    gap = largest_gap(Distribution(mixture, regression.margin(sample.X)), target)
    # A burst at a time that many events share would describe the rounding. No gap is NaN, and not clear.
    if not gap.error > policy.clear_gap * gap.standard_error or are_coarse(target):
        return chosen
    observed, shift = Observed.of(target, mixture.n_causes), design.predict(sample.X, regression.coefficient)
    loss = LossGivenShifts(mixture.in_logs, target, observed, float(target.mass.sum()), shift)
    fit = HeadsFit(loss, loss.minimise(regression.log_intercept))
    wider = add_heads(fit, [SECOND, BURST], policy.most_added)
    return chosen if wider is fit else wider.chosen(mixture)
