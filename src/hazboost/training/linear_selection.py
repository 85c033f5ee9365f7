"""Choices of the linear start by held-out likelihood: its ridges, and whether features act on the hazard or on time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.sample import Sample
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import VALUE
from hazboost.prediction.regression import LinearStart
from hazboost.training.cross_validation import CrossValidation, Fold, is_significant, likely_index
from hazboost.training.diagnostics import largest_gap
from hazboost.training.single import Regression, adapt, fit_constant_start, fit_linear_starts
from hazboost.training.state import State
from hazboost.utils.arrays import Array
from hazboost.utils.progress import FoldProgress


def choose_ridge(state: State) -> State:
    """The start of each fold: a regression with proportional hazards and the best ridge, or one for every subject."""
    plan, cv = state.plan, state.cv
    if not plan.has_linear_start:
        return state.add(starts=tuple(fit_constant_start(plan, fold.drawn) for fold in cv.folds))
    ridges, silent = state.policy.ridges, FoldProgress(len(cv.folds), ["begin"], draw=False)
    progress = FoldProgress(len(cv.folds), ["ridge"] * len(ridges), draw=plan.search.verbose)
    paths = cv.map(lambda fold: fit_linear_starts(plan, fold.drawn, ridges), silent)
    tried = [cv.map(lambda fold: next(paths[fold.number]), progress)]
    state = state.add(baselines=tuple(start.without_features() for start in tried[0]))
    comparison = Comparison.of(state)
    losses = [comparison.mean(tried[0])]
    # Losses that have risen twice rise further. With an outlier they may rise once, and fall again.
    while len(tried) < len(ridges) and not (len(tried) > 2 and losses[-1] > losses[-2] > losses[-3]):
        tried.append(cv.map(lambda fold: next(paths[fold.number]), progress))
        losses.append(comparison.mean(tried[-1]))
    progress.close()
    best = likely_index(np.array(losses), comparison.subjects)
    compared = {"ridges": list(ridges[: len(tried)]), "ridge_loss": losses}
    return state.add(compared, starts=tuple(tried[best]), regression=Regression(ridges[best]))


def choose_effect(state: State) -> State:
    """Regressions with features that act on time, with the same ridge, where that is clearly better.

    One fold is enough to see that they are worse. Where features nearly determine the time, densities can be more
    likely although curves are poor; then the hazard is the better choice.
    """
    plan, cv, regression = state.plan, state.cv, state.regression
    if regression is None or not plan.may_accelerate:
        return state
    comparison, starts = Comparison.of(state), state.linear_starts
    numbers, progress = range(len(cv.folds)), FoldProgress(len(cv.folds), ["effect"], draw=plan.search.verbose)

    def fit(fold: Fold, near: LinearStart | None = None) -> LinearStart:
        return next(fit_linear_starts(plan, fold.drawn, [regression.ridge], accelerates=True, near=near))

    faster = cv.map(fit, progress, numbers[:1])
    if comparison.changes(faster).sum() >= comparison.changes(starts[:1]).sum():
        progress.close()
        return state
    faster += cv.map(partial(fit, near=faster[0]), progress, numbers[1:])
    gain = comparison.changes(starts) - comparison.changes(faster)
    if not is_significant(gain, comparison.masses, state.policy.clear_gain, cv.share):
        return state
    before, after = (mean_severity(cv, one) for one in (starts, faster))
    if after > max(1.0, before):  # False where curves are not comparable
        return state
    return state.add(starts=tuple(faster), regression=regression._replace(accelerates=True))


def adapt_ridges(state: State) -> State:
    """The same starts with adaptive ridges, fitted again as often as held-out subjects are better for it.

    The first is a strong ridge, which may only pay with the second; from then on, the first that is worse is the last.
    """
    plan, cv, regression = state.plan, state.cv, state.regression
    if regression is None:
        return state
    comparison = Comparison.of(state)
    progress = FoldProgress(len(cv.folds), ["adaptive ridge"], draw=False)
    ridges = [regression.ridge * step for step in plan.search.policy.adaptive_steps]
    tried, losses = [list(state.linear_starts)], [comparison.mean(state.linear_starts)]

    def fit_again(fold: Fold, before: Sequence[LinearStart], ridge: float) -> LinearStart:
        return adapt(plan, fold.drawn, before[fold.number], ridge)

    for ridge in ridges:
        tried.append(cv.map(partial(fit_again, before=tried[-1], ridge=ridge), progress))
        losses.append(comparison.mean(tried[-1]))
        if len(tried) > 2 and losses[-1] >= losses[-2]:
            break
    # Of equal losses the first is taken, with the fewest fits.
    best = int(np.argmin(losses))
    adapted = {"adaptive_ridges": ridges[: len(tried) - 1], "adaptive_loss": losses[1:]}
    return state.add(adapted, starts=tuple(tried[best]), regression=regression._replace(adaptive=tuple(ridges[:best])))


def mean_severity(cv: CrossValidation, starts: Sequence[LinearStart]) -> float:
    """How far curves are from Kaplan-Meier for the subjects they were fitted to, as a mean over folds; 1 is poor."""
    severities = []
    for start, fold in zip(starts, cv.folds, strict=True):
        curves = Distribution(start.mixture, start.margin(fold.drawn.X))
        severities.append(largest_gap(curves, fold.drawn.target).severity)
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

    @classmethod
    def of(cls, state: State) -> Comparison:
        """Losses of the regressions of the folds of a fit."""
        return cls(state.cv, state.baselines, state.plan.search.policy.largest_difference)

    @cached_property
    def references(self) -> list[Array]:
        """Loss of each row without covariates."""
        return self._losses(self.without)

    @property
    def subjects(self) -> float:
        """Weighted number of held-out subjects."""
        return float(self.masses.sum())

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
