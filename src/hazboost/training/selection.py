"""Choices by cross-validated likelihood: the ridge of the linear start, the number of rounds and the trees' depth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from hazboost.data.condense import events_by_cause
from hazboost.data.folds import split_folds
from hazboost.data.sample import Sample
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.model import Start
from hazboost.training.blending import Blend, blend
from hazboost.training.calibration import calibrate
from hazboost.training.cross_validation import CrossValidation, Fold
from hazboost.training.growing import Ensemble, Growing, Member
from hazboost.training.linear_selection import Starts, choose_linear_start
from hazboost.training.plan import Plan
from hazboost.training.policy import Policy
from hazboost.training.predicted import Weights
from hazboost.training.single import Regression, fit_constant_start
from hazboost.training.trust import trust_in_trees
from hazboost.utils.arrays import Array
from hazboost.utils.progress import FoldProgress


class Averaged(NamedTuple):
    """Models of the folds that are averaged: how many rounds each keeps, and their weight in the blend."""

    members: tuple[Member, ...]
    rounds: int
    weight: float


@dataclass(frozen=True)
class Choice:
    """What was chosen.

    Attributes
    ----------
    regression : Regression or None
        How the linear start is fitted; None without one.
    rounds, depth : int
        Number of rounds and depth of the trees.
    trust : array of shape (scores,)
        Shrinkage: what the trees add to each score is multiplied by this.
    results : dict
        Held-out mean losses: ``ridges`` and ``ridge_loss``, the same of adaptive ones, and ``round_loss`` from zero
        rounds on; ``trust`` in what trees add to the level of each cause; ``weights``; ``calibration`` and
        ``shape_calibration``.
    averaged : tuple of Averaged
        Models of the folds, or that of the hold-out; empty where trees are grown on all rows instead.
    weights : Weights
        How much the regression, its trees, and trees alone count.
    start : Start, optional
        The start that was fitted to drawn subjects, where there are many; elsewhere the start is fitted to all rows.
    shift : array of shape (scores,), optional
        What is added to the start, so that it is calibrated for held-out subjects.
    unseen : tuple of pairs (Sample, array of shape (n, scores))
        With folds: the held-out subjects of each, and their scores by models that have not seen them, calibrated.
    """

    regression: Regression | None
    rounds: int
    depth: int
    trust: Array
    results: dict[str, list[float]]
    averaged: tuple[Averaged, ...] = ()
    weights: Weights = field(default_factory=Weights)
    start: Start | None = None
    shift: Array | None = None
    unseen: tuple[tuple[Sample, Array], ...] = ()

    @property
    def shares(self) -> Array:
        """The part of each ensemble of trees in all that trees add, of shape (ensembles,)."""
        if not self.averaged:
            return np.ones(1)
        parts = np.concatenate([np.full(len(one.members), one.weight / len(one.members)) for one in self.averaged])
        shares: Array = parts / parts.sum()
        return shares


class Found(NamedTuple):
    """What was best for held-out subjects: starts, and trees, with what has grown them; and the events by cause."""

    starts: Starts
    growing: Growing
    best: Ensemble
    events: Array


def choose(plan: Plan, sample: Sample) -> Choice:
    """Choose what is open: the ridge, the number of rounds and the depth of the trees.

    With few subjects by cross-validation, and the models of the folds are averaged. With many, some are held out once,
    and what can be chosen on some of the rows is chosen on these.
    """
    policy = plan.search.policy
    share = policy.hold_out_of(sample.target.n_subjects)
    events = events_by_cause(sample.target, plan.objective.mixture.n_causes)
    if plan.chooses_rounds:
        return choose_rounds(plan, sample, share, events)
    trust = trust_in_trees(plan, events)
    if not plan.has_linear_start:
        return Choice(None, plan.given.rounds or 0, plan.first_depth, trust, {})
    if share is not None:  # a ridge needs neither all rows nor a part of all
        sample = sample.draw(policy.subjects_for_choices, np.random.default_rng(plan.search.seed)).in_memory()
        share = policy.hold_out
    return choose_start(plan, sample, share, trust)


def choose_rounds(plan: Plan, sample: Sample, hold_out: float | None, events: Array) -> Choice:
    """The ridge, the depth and the number of rounds, by folds or with such a share of the subjects held out."""
    everything = divide(plan, sample, hold_out)
    if hold_out is None:
        return keep(find_best(plan, everything, events), None)
    drawn = everything.draw(plan.search.policy.subjects_for_choices, plan.search.seed)
    found = find_best(plan, drawn, events)
    if drawn.n_kept < everything.n_kept:
        found = found._replace(best=replace(found.growing, cv=everything).grow_all(found.best.depth))
    return keep(found, hold_out)


def find_best(plan: Plan, cv: CrossValidation, events: Array) -> Found:
    """Choose the ridge, then, with the linear starts of that ridge, the number of rounds and the depth of the trees.

    Parameters
    ----------
    plan : Plan
        How to train.
    cv : CrossValidation
        The folds.
    events : array of shape (causes,)
        Weighted number of events of each cause among all rows.
    """
    # The starts come first: trees are grown from those of the folds, so their number depends on them.
    stages = [*["ridge"] * plan.has_linear_start, "rounds"]
    progress = FoldProgress(len(cv.folds), stages, draw=plan.search.verbose)
    if plan.has_linear_start:
        starts = choose_linear_start(plan, cv, progress)
    else:
        starts = Starts(tuple(fit_constant_start(plan, fold.kept) for fold in cv.folds))
    growing = Growing(plan, cv, starts.of_folds, trust_in_trees(plan, events))
    return Found(starts, growing, growing.choose_depth(float(events.sum()), progress), events)


def keep(found: Found, hold_out: float | None) -> Choice:
    """What was found; with the trees, unless they have not seen many of the rows, of which a share was held out.

    Trees that are not kept are grown again on all rows. With folds, held-out subjects also decide the weights of the
    blend, and its calibration. Of many subjects so few are held out that these would add more noise than trees have
    bias.
    """
    growing, best, starts = found.growing, found.best, found.starts
    policy, mixture = growing.plan.search.policy, growing.plan.objective.mixture
    made = blend_folds(found) if hold_out is None else Blend([], growing.trust)
    averaged = average(best, made)
    trust = made.trust * (sum(one.weight for one in averaged) or 1.0)
    rounds = max((one.rounds for one in averaged), default=0)
    results = {**starts.losses, "round_loss": best.loss.tolist()}
    choice = Choice(starts.regression, rounds, best.depth, trust, results, weights=made.weights)
    if hold_out is None:
        choice = calibrated(choice, mixture, made, policy)
    of_levels = [float(choice.trust[scores][0]) for scores in mixture.scales]
    choice = replace(choice, results={**choice.results, "trust": of_levels})
    if rounds == 0 or (hold_out is not None and hold_out > policy.small_hold_out):
        return choice
    return replace(choice, averaged=averaged, start=None if hold_out is None else growing.starts[0])


def calibrated(choice: Choice, mixture: Mixture, made: Blend, policy: Policy) -> Choice:
    """The same with a start and trees as the held-out subjects of a blend ask for."""
    found = calibrate(mixture, made, policy)
    results = {"weights": list(made.weights), "calibration": found.hazard.tolist()}
    return replace(
        choice,
        trust=found.factor * choice.trust,
        results={**choice.results, **results, "shape_calibration": found.shapes.tolist()},
        shift=found.shift,
        unseen=tuple((part.held, found.scores(part, made)) for part in made.parts),
    )


def blend_folds(found: Found) -> Blend:
    """Weights of regression and trees. Without a regression nothing but trees tells subjects apart."""
    growing, regression = found.growing, found.starts.regression
    if regression is None:
        return Blend(growing.predict(found.best), growing.trust)
    both = growing.plan.objective.mixture.has_log_scores and not regression.accelerates
    return blend(growing, found.best, found.events, with_trees_alone=both)


def average(best: Ensemble, made: Blend) -> tuple[Averaged, ...]:
    """The ensembles of trees that count; one without rounds adds nothing, and its start is in that of the model."""
    weights, alone = made.weights, made.alone
    found = [(best, weights.corrected), *([] if alone is None else [(alone, weights.alone)])]
    return tuple(
        Averaged(tuple(ensemble.members), ensemble.rounds, weight)
        for ensemble, weight in found
        if weight > 0.0 and ensemble.rounds > 0
    )


def choose_start(plan: Plan, sample: Sample, hold_out: float | None, trust: Array) -> Choice:
    """The linear start of given rounds, by folds or with such a share of the subjects held out."""
    cv = divide(plan, sample, hold_out)
    found = choose_linear_start(plan, cv, FoldProgress(len(cv.folds), ["ridge"], draw=plan.search.verbose))
    start = None if hold_out is None else found.of_folds[0]
    return Choice(found.regression, plan.given.rounds or 0, plan.first_depth, trust, dict(found.losses), start=start)


def divide(plan: Plan, sample: Sample, hold_out: float | None) -> CrossValidation:
    """The folds, or one hold-out of such a share of the subjects."""
    search = plan.search
    rows = split_folds(sample.target, search.folds, search.seed, sample.group, hold_out)
    folds = tuple(
        Fold(number, sample.rows(kept), sample.rows(held).in_memory()) for number, (kept, held) in enumerate(rows)
    )
    # Stratification spreads events over the folds, but few events or few groups may end up in one of them.
    if not all(fold.kept.target.has_events for fold in folds):
        raise ValueError(
            f"n_folds={search.folds}: all events are in one fold, and there is none to learn from when it is held out; "
            "use more data, or give n_estimators and an init other than 'linear', which need no folds."
        )
    return CrossValidation(folds, plan.objective.n_threads)
