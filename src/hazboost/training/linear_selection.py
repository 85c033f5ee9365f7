"""Choices of the linear start by held-out likelihood: its ridges, and whether features act on the hazard or on time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.sample import Sample
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import VALUE
from hazboost.prediction.model import Start
from hazboost.training.cross_validation import CrossValidation, Fold, is_clear
from hazboost.training.diagnostics import largest_gap
from hazboost.training.linear import LinearStart
from hazboost.training.plan import Plan
from hazboost.training.single import Regression, adapt, fit_linear_start, fit_linear_starts
from hazboost.utils.arrays import Array
from hazboost.utils.progress import FoldProgress


class Starts(NamedTuple):
    """The start of each fold; of linear ones how they are fitted, and the losses of all that were compared."""

    of_folds: tuple[Start, ...]
    regression: Regression | None = None
    losses: Mapping[str, list[float]] = MappingProxyType({})


def choose_linear_start(plan: Plan, cv: CrossValidation, progress: FoldProgress) -> Starts:
    """The linear start of each fold: with the best ridge, and with features that act on time if that is clearly better.

    The ridge is the best for proportional hazards, and the same for both. With folds it then adapts to the features, if
    that is better; where many subjects are held out once, they are enough for every feature.
    """
    policy = plan.search.policy
    ridges = policy.ridges
    most = policy.subjects_for_linear if len(cv.folds) > 1 else policy.subjects_for_ridge
    paths = cv.map(lambda fold: fit_linear_starts(plan, fold.kept, ridges, most), progress)
    comparison = Comparison(cv, [path[0].without_features() for path in paths], policy.largest_difference)
    losses = [comparison.mean([path[i] for path in paths]) for i in range(len(ridges))]
    # Of equal losses the first is taken, which is that of the strongest ridge.
    best = int(np.argmin(losses))
    starts, ridge = [path[best] for path in paths], ridges[best]
    faster = accelerate_folds(plan, comparison, starts, ridge, most) if plan.may_accelerate else None
    regression, starts = Regression(ridge, faster is not None), faster or starts
    compared = {"ridges": list(ridges), "ridge_loss": losses}
    if len(cv.folds) == 1:
        return Starts((fit_linear_start(plan, cv.folds[0].kept, regression),), regression, compared)
    return adapt_folds(plan, comparison, starts, regression, compared)


def adapt_folds(
    plan: Plan,
    comparison: Comparison,
    starts: Sequence[LinearStart],
    regression: Regression,
    compared: Mapping[str, list[float]],
) -> Starts:
    """The same starts with adaptive ridges, fitted again as often as held-out subjects are better for it.

    The first is a strong ridge, which may only pay with the second; from then on, the first that is worse is the last.
    """
    cv, progress = comparison.cv, FoldProgress(len(comparison.cv.folds), ["adaptive ridge"], draw=False)
    ridges = [regression.ridge * step for step in plan.search.policy.adaptive_steps]
    tried, losses = [list(starts)], [comparison.mean(starts)]

    def fit_again(fold: Fold, before: Sequence[LinearStart], ridge: float) -> LinearStart:
        return adapt(plan, fold.kept, before[fold.number], ridge)

    for ridge in ridges:
        tried.append(cv.map(partial(fit_again, before=tried[-1], ridge=ridge), progress))
        losses.append(comparison.mean(tried[-1]))
        if len(tried) > 2 and losses[-1] >= losses[-2]:
            break
    # Of equal losses the first is taken, with the fewest fits.
    best = int(np.argmin(losses))
    regression = regression._replace(adaptive=tuple(ridges[:best]))
    adapted = {"adaptive_ridges": ridges[: len(tried) - 1], "adaptive_loss": losses[1:]}
    return Starts(tuple(tried[best]), regression, {**compared, **adapted})


def accelerate_folds(
    plan: Plan, comparison: Comparison, starts: Sequence[LinearStart], ridge: float, most: int
) -> list[LinearStart] | None:
    """The same starts with features that act on time; None unless held-out subjects are clearly better with them.

    One fold is enough to see that they are worse. Where features nearly determine the time, densities can be more
    likely although curves are poor; then the hazard is the better choice.
    """
    cv = comparison.cv
    numbers, progress = range(len(cv.folds)), FoldProgress(len(cv.folds), ["effect"], draw=False)

    def fit(fold: Fold, near: LinearStart | None = None) -> LinearStart:
        return fit_linear_starts(plan, fold.kept, [ridge], most, accelerates=True, near=near)[0]

    faster = cv.map(fit, progress, numbers[:1])
    if comparison.changes(faster).sum() >= comparison.changes(starts[:1]).sum():
        return None
    faster += cv.map(partial(fit, near=faster[0]), progress, numbers[1:])
    gain = comparison.changes(starts) - comparison.changes(faster)
    if not is_clear(gain, comparison.masses, plan.search.policy.clear_gain):
        return None
    before, after = (mean_severity(cv, one) for one in (starts, faster))
    return None if after > max(1.0, before) else faster  # False where curves are not comparable


def mean_severity(cv: CrossValidation, starts: Sequence[LinearStart]) -> float:
    """How far curves are from Kaplan-Meier for the subjects they were fitted to, as a mean over folds; 1 is poor."""
    severities = []
    for start, fold in zip(starts, cv.folds, strict=True):
        curves = Distribution(start.mixture, start.margin(fold.kept.X))
        severities.append(largest_gap(curves, fold.kept.target).severity)
    return float(np.mean(severities))


@dataclass(frozen=True)
class Comparison:
    """Held-out losses of linear starts, one for each fold.

    Attributes
    ----------
    cv : CrossValidation
        The folds.
    without : sequence of LinearStart
        The starts of the folds without covariates.
    limit : float
        The loss of a subject counts as at most so much larger or smaller than without covariates.
    """

    cv: CrossValidation
    without: Sequence[LinearStart]
    limit: float

    @cached_property
    def references(self) -> list[Array]:
        """Loss of each row without covariates."""
        return self._losses(self.without)

    @cached_property
    def masses(self) -> Array:
        """The weight of each held-out subject, or group of them."""
        return np.concatenate([fold.held.by_group(fold.held.target.subject_mass) for fold in self.cv.folds])

    def mean(self, starts: Sequence[LinearStart]) -> float:
        """The mean over folds of the mean loss."""
        parts = zip(self.cv.folds, self._losses(starts), self.references, strict=True)
        return float(np.mean([fold.held.target.limited_mean(at, before, self.limit) for fold, at, before in parts]))

    def changes(self, starts: Sequence[LinearStart]) -> Array:
        """By how much the loss of each held-out subject, or group of them, differs from that without covariates.

        The starts may be those of the first folds only.
        """
        parts = zip(self.cv.folds, self._losses(starts), self.references, strict=False)
        changes = [(fold.held, fold.held.target.limited_change(at, before, self.limit)) for fold, at, before in parts]
        return np.concatenate([held.by_group(change) for held, change in changes])

    def _losses(self, starts: Sequence[LinearStart]) -> list[Array]:
        return [row_losses(start, fold.held) for start, fold in zip(starts, self.cv.folds, strict=False)]


def row_losses(start: LinearStart, held: Sample) -> Array:
    """Loss of each row, of shape (n,)."""
    observed = Observed.of(held.target, start.mixture.n_causes)
    return row_loss(start.mixture, start.margin(held.X).T, observed, VALUE).value
