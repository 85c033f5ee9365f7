"""What is known while a model is fitted: each step of `hazboost.training.pipeline` adds to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from hazboost.data.folds import units
from hazboost.data.sample import Sample
from hazboost.prediction.model import Start
from hazboost.prediction.regression import LinearStart
from hazboost.training.cross_validation import CrossValidation
from hazboost.training.ensemble import Ensemble, Predicted
from hazboost.training.heads import Chosen
from hazboost.training.plan import Plan
from hazboost.training.policy import Policy
from hazboost.training.single import Regression
from hazboost.utils.arrays import Array


class Calibration(NamedTuple):
    """What held-out subjects favour.

    Attributes
    ----------
    shift : array of shape (scores,)
        What is added to the start.
    shrinkage : array of shape (scores,)
        What trees are multiplied by; zero where there are none.
    unseen : tuple of Predicted
        The held-out subjects, by trees whose number they have not chosen.
    """

    shift: Array
    shrinkage: Array
    unseen: tuple[Predicted, ...] = ()

    @property
    def has_trees(self) -> bool:
        """Whether trees count at all."""
        return bool(self.shrinkage.any())

    def scores(self, part: Predicted) -> Array:
        """Calibrated scores of held-out subjects, of shape (n, scores)."""
        return part.start + self.shrinkage * (part.grown - part.start) + self.shift


@dataclass(frozen=True)
class State:
    """What is known so far.

    Attributes
    ----------
    plan : Plan
        How to train; its heads are those that were chosen.
    sample : Sample
        The training data, in the model's unit of time.
    events : array of shape (causes,)
        Weighted number of events of each cause.
    cv : CrossValidation
        The folds.
    starts : tuple of Start
        The start of each fold.
    baselines : tuple of LinearStart
        The regressions of the folds without their features, to which losses are compared.
    regression : Regression, optional
        How the linear start is fitted; None without one.
    trees : Ensemble, optional
        The trees of the folds.
    calibration : Calibration, optional
        What is added to each score, and how much its trees count.
    results : mapping of str to list of float
        What `FPBoost.cv_results_` documents.
    """

    plan: Plan
    sample: Sample
    events: Array
    cv: CrossValidation = field(default_factory=lambda: CrossValidation((), 1))
    starts: tuple[Start, ...] = ()
    baselines: tuple[LinearStart, ...] = ()
    regression: Regression | None = None
    trees: Ensemble | None = None
    calibration: Calibration | None = None
    results: Mapping[str, list[float]] = field(default_factory=dict)

    def add(self, results: Mapping[str, list[float]] = MappingProxyType({}), **known: Any) -> State:
        """The same with something added."""
        return replace(self, results={**self.results, **results}, **known)

    @property
    def folds(self) -> int:
        """Number of folds, as given, or at most as many as there are subjects or groups with an event."""
        target = self.sample.target
        possible = len(np.unique(units(target, self.sample.group)[target.event | target.interval]))
        return self.plan.search.folds or min(self.policy.folds_for(float(self.events.sum())), max(possible, 2))

    @property
    def linear_starts(self) -> tuple[LinearStart, ...]:
        """The start of each fold, where these are regressions."""
        return tuple(start for start in self.starts if isinstance(start, LinearStart))

    @property
    def policy(self) -> Policy:
        """The constants of the automatic fit."""
        return self.plan.search.policy

    def with_heads(self, chosen: Chosen) -> State:
        """The same with heads that were chosen."""
        return replace(self, plan=self.plan.with_heads(chosen.mixture, chosen.logs))

    @property
    def calibrated(self) -> Calibration:
        """What was calibrated; without that the usual shrinkage, and no shift."""
        if self.calibration is not None:
            return self.calibration
        return Calibration(np.zeros(self.plan.objective.mixture.n_scores), self.usual_shrinkage)

    @property
    def averages_folds(self) -> bool:
        """Whether the model is the mean of those of the folds: where their trees help."""
        return self.trees is not None and self.trees.rounds > 0 and self.calibrated.has_trees

    @property
    def rounds(self) -> int:
        """The number of rounds, as given or chosen."""
        if self.trees is not None and self.averages_folds:
            return self.trees.rounds
        return self.plan.given.rounds or 0

    @property
    def depth(self) -> int:
        """Depth of the trees, as given or chosen."""
        return self.plan.first_depth if self.trees is None else self.trees.depth

    @property
    def usual_shrinkage(self) -> Array:
        """What trees are multiplied by before anything is calibrated, of shape (scores,); see `usual_shrinkage`."""
        return usual_shrinkage(self.plan, self.events)


def usual_shrinkage(plan: Plan, events: Array) -> Array:
    r"""Shrinkage of the trees of causes with so many events, of shape (scores,).

    .. math:: \frac{E}{E + h}

    The chosen round is the minimum of a noisy curve, which on average lies too late: the fewer events, the more of what
    was learned by then is noise. Rounds that were given are not shrunk, except for causes without an event, of which
    trees could learn only that there was none.
    """
    mixture = plan.objective.mixture
    half = plan.search.policy.shrinkage_events if plan.chooses_rounds else 0.0
    shares = np.divide(events, events + half, out=np.zeros_like(events), where=events > 0.0)
    return mixture.join_causes([np.full(mixture.n_scores // mixture.n_causes, share) for share in shares])
