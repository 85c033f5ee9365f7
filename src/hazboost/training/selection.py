"""Choices by cross-validated likelihood: the ridge of the linear start, the number of rounds and the trees' depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

import numpy as np

from hazboost.boosting.callbacks import HeldOut, limited_loss
from hazboost.data.condense import events_by_cause
from hazboost.data.folds import split_folds
from hazboost.data.sample import Sample
from hazboost.engines.base import Engine, Trees
from hazboost.prediction.model import Start
from hazboost.training.calibration import Predicted, changes, level_shift, masses, trust_by_evidence
from hazboost.training.cross_validation import CrossValidation, Fold, is_clear, mean_curve
from hazboost.training.linear_selection import Starts, choose_linear_start
from hazboost.training.plan import Plan, Stopping
from hazboost.training.single import (
    fit_constant_start,
    grow,
    training_matrix,
)
from hazboost.utils.arrays import Array
from hazboost.utils.progress import FoldProgress


class Member(NamedTuple):
    """The model of one fold: its trees, its best round, and the course of its training."""

    trees: Trees
    best: int
    train_loss: list[float]
    held_out_loss: list[float]

    def rounds_kept(self, rounds: int) -> int:
        """How many of the rounds that were made a model of so many rounds keeps: the best ones if it had stopped."""
        made = len(self.held_out_loss) - 1
        return rounds if rounds <= made else self.best


@dataclass(frozen=True)
class Choice:
    """What was chosen.

    Attributes
    ----------
    ridge : float or None
        Strength of the ridge; None without a linear start.
    accelerates : bool
        Whether the linear predictor acts on time instead of the hazard.
    rounds, depth : int
        Number of rounds and depth of the trees.
    trust : array of shape (scores,)
        Shrinkage: what the trees add to each score is multiplied by this.
    results : dict
        Held-out mean losses: ``ridges`` and ``ridge_loss``, and ``round_loss`` from zero rounds on; ``trust``, for
        each cause.
    members : tuple of Member
        Models of the folds, to be averaged, or that of the hold-out; empty where trees are grown on all rows instead.
    start : Start, optional
        The start that was fitted to drawn rows, where there are many; elsewhere the start is fitted to all rows.
    shift : array of shape (scores,), optional
        What is added to the start, so that as many events are expected of held-out subjects as were observed.
    """

    ridge: float | None
    rounds: int
    depth: int
    trust: Array
    results: dict[str, list[float]]
    members: tuple[Member, ...] = ()
    start: Start | None = None
    shift: Array | None = None
    accelerates: bool = False


class Found(NamedTuple):
    """What was best for held-out subjects: starts, and trees, with what has grown them; and the number of events."""

    starts: Starts
    growing: Growing
    best: Ensemble
    events: float


def choose(plan: Plan, sample: Sample) -> Choice:
    """Choose what is open: the ridge, the number of rounds and the depth of the trees.

    With few subjects by cross-validation, and the models of the folds are averaged. With many, some are held out once,
    and what can be chosen on some of the rows is chosen on these.
    """
    policy, share = plan.search.policy, plan.search.policy.hold_out_of(sample.target.n_subjects)
    events = events_by_cause(sample.target, plan.objective.mixture.n_causes)
    if plan.chooses_rounds:
        return choose_rounds(plan, sample, share, events)
    trust = trust_in_trees(plan, events)
    if not plan.has_linear_start:
        return Choice(None, plan.given.rounds or 0, plan.first_depth, trust, {})
    if share is not None:  # a ridge needs neither all rows nor a part of all
        sample = sample.draw(policy.rows_for_choices, np.random.default_rng(plan.search.seed)).in_memory()
        share = policy.hold_out
    return choose_start(plan, sample, share, trust)


def choose_rounds(plan: Plan, sample: Sample, hold_out: float | None, events: Array) -> Choice:
    """The ridge, the depth and the number of rounds, by folds or with such a share of the subjects held out."""
    everything = divide(plan, sample, hold_out)
    if hold_out is None:
        return keep(find_best(plan, everything, events), None)
    drawn = everything.draw(plan.search.policy.rows_for_choices, plan.search.seed)
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
    growing, total = Growing(plan, cv, starts.of_folds, trust_in_trees(plan, events)), float(events.sum())
    return Found(starts, growing, growing.choose_depth(total, progress), total)


def keep(found: Found, hold_out: float | None) -> Choice:
    """What was found; with the trees, unless they have not seen many of the rows, of which a share was held out.

    Trees that are not kept are grown again on all rows. There are none at all if held-out subjects are hardly better
    with them, although there are many events.
    """
    growing, best = found.growing, found.best
    plan, trust, shift = growing.plan, growing.trust, None
    policy, parts, rounds = plan.search.policy, growing.predict(best), best.rounds
    # The one-standard-error rule: with few events, or a single hold-out, a small gain says little. Without a regression
    # nothing would be left that tells subjects apart.
    if hold_out is None and plan.has_linear_start and are_doubtful(growing, parts, found.events):
        parts, rounds = [part._replace(grown=part.start) for part in parts], 0
    # Of many subjects so few are held out that counting their events adds more noise than the trees have bias.
    if hold_out is None:
        trust = trust_by_evidence(plan.objective, parts, trust, policy)
        shift = level_shift(plan.objective.mixture, parts, trust, policy.largest_difference)
    by_cause = [float(part[0]) for part in plan.objective.mixture.by_cause(trust)]
    results = {**found.starts.losses, "round_loss": best.loss.tolist(), "trust": by_cause}
    if shift is not None:
        results["calibration"] = np.exp(plan.objective.mixture.scales @ shift).tolist()
    ridge, accelerates = found.starts.ridge, found.starts.accelerates
    choice = Choice(ridge, rounds, best.depth, trust, results, shift=shift, accelerates=accelerates)
    if rounds == 0 or (hold_out is not None and hold_out > policy.small_hold_out):
        return choice
    return replace(choice, members=tuple(best.members), start=None if hold_out is None else found.growing.starts[0])


def are_doubtful(growing: Growing, parts: Sequence[Predicted], events: float) -> bool:
    """Whether trees hardly help held-out subjects, although so many events would show it if they did.

    Subjects of one group say the same, so that their events count by the number of groups.
    """
    policy, groups = growing.plan.search.policy, masses(parts)
    events *= len(groups) / sum(part.held.target.n_subjects for part in parts)
    return events >= policy.events_for_doubt and not is_clear(-growing.changes(parts), groups, policy.least_gain)


def choose_start(plan: Plan, sample: Sample, hold_out: float | None, trust: Array) -> Choice:
    """The linear start of given rounds, by folds or with such a share of the subjects held out."""
    cv = divide(plan, sample, hold_out)
    found = choose_linear_start(plan, cv, FoldProgress(len(cv.folds), ["ridge"], draw=plan.search.verbose))
    start = None if hold_out is None else found.of_folds[0]
    rounds, losses, accelerates = plan.given.rounds or 0, dict(found.losses), found.accelerates
    return Choice(found.ridge, rounds, plan.first_depth, trust, losses, start=start, accelerates=accelerates)


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


@dataclass(frozen=True)
class Ensemble:
    """The models of all folds, with trees of one depth."""

    depth: int
    members: list[Member]

    @property
    def loss(self) -> Array:
        """Held-out mean loss after each number of rounds, from zero on.

        A fold that has stopped keeps its best round, and so its best loss.
        """
        curves = [member.held_out_loss for member in self.members]
        return mean_curve(curves, [member.held_out_loss[member.best] for member in self.members])

    @property
    def rounds(self) -> int:
        """The best number of rounds."""
        return int(np.argmin(self.loss))


@dataclass(frozen=True)
class Growing:
    """Trees of the folds.

    Attributes
    ----------
    plan : Plan
        How to train.
    cv : CrossValidation
        The folds.
    starts : tuple of Start
        The start of each fold.
    trust : array of shape (scores,)
        Shrinkage of the trees. Held-out losses are those of shrunken trees, which are the ones of the final model.
    """

    plan: Plan
    cv: CrossValidation
    starts: tuple[Start, ...]
    trust: Array

    def choose_depth(self, events: float, progress: FoldProgress) -> Ensemble:
        """Trees of the given or the first depth; with so many events, deeper ones as long as they are clearly better.

        One fold is enough to see that deeper trees are worse.
        """
        policy, given = self.plan.search.policy, self.plan.given.depth
        first_depth, *deeper_ones = policy.depths_for(events) if given is None else (given,)
        best = Ensemble(first_depth, self.grow_folds(first_depth, progress))
        numbers = range(len(self.cv.folds))
        for deeper in deeper_ones:
            progress = FoldProgress(len(numbers), [f"depth {deeper}"], draw=self.plan.search.verbose)
            (first,) = self.grow_folds(deeper, progress, numbers[:1])
            if min(first.held_out_loss) >= min(best.members[0].held_out_loss):
                progress.close()
                break
            candidate = Ensemble(deeper, [first, *self.grow_folds(deeper, progress, numbers[1:])])
            # The same subjects are held out for both depths, so their losses are compared in pairs.
            before, after = self.predict(best), self.predict(candidate)
            gain = self.changes(before) - self.changes(after)
            if not is_clear(gain, masses(before), policy.clear_gain):
                break
            best = candidate
        return best

    def grow_all(self, depth: int) -> Ensemble:
        """Trees of one depth on all rows that are not held out."""
        progress = FoldProgress(len(self.cv.folds), ["rounds"], draw=self.plan.search.verbose)
        return Ensemble(depth, self.grow_folds(depth, progress))

    def grow_folds(self, depth: int, progress: FoldProgress, only: range | None = None) -> list[Member]:
        """The models of the folds, or of some of them."""
        return self.cv.map(lambda fold: self.grow_fold(fold, depth, progress), progress, only)

    def grow_fold(self, fold: Fold, depth: int, progress: FoldProgress) -> Member:
        """The model of a fold, grown until its held-out loss has not improved for long.

        Each fold samples rows and columns in its own way.
        """
        search, objective = self.plan.search, replace(self.plan.objective, n_threads=self.threads)
        engine, start = self.engine(fold, depth), self.starts[fold.number]
        rate = engine.learning_rate
        most, patience = ceil(search.policy.max_rounds / rate), ceil(search.pace.patience / rate)
        # Held-out rows know the training rows: binned by themselves, the same value could fall elsewhere.
        train = training_matrix(engine, fold.kept, start)
        begin = start.margin(fold.held.X)
        loss = limited_loss(objective, fold.held.target, begin, self.trust, search.policy.largest_difference)
        held_out = HeldOut(training_matrix(engine, fold.held, start, like=train), {"loss": loss})
        stopping, bar = Stopping("loss", patience), progress.bar(fold.number, most, patience)
        trees, best, history = grow(engine, objective, train, most, held_out, stopping, bar)
        trees = engine.truncate(trees, engine.rounds(trees))  # keeps all rounds, and releases the data of the fold
        return Member(trees, best, history["train_loss"], history["validation_loss"])

    def engine(self, fold: Fold, depth: int) -> Engine:
        """The engine of a fold."""
        seed = self.plan.search.seed + fold.number
        return self.plan.engine.with_settings(max_depth=depth, nthread=self.threads, seed=seed)

    @property
    def threads(self) -> int:
        """Threads of each fold: folds share those of the fit, and a single hold-out has all of them."""
        return max(1, self.plan.objective.n_threads // len(self.cv.folds))

    def predict(self, ensemble: Ensemble) -> list[Predicted]:
        """Scores of the held-out subjects of each fold."""
        return [self.predict_fold(*one, ensemble) for one in zip(ensemble.members, self.cv.folds, strict=True)]

    def predict_fold(self, member: Member, fold: Fold, ensemble: Ensemble) -> Predicted:
        """The same for one fold."""
        held, start = fold.held, self.starts[fold.number].margin(fold.held.X)
        kept = member.rounds_kept(ensemble.rounds)
        if kept == 0:  # there are no trees to ask
            return Predicted(held, start, start)
        engine = self.engine(fold, ensemble.depth)
        return Predicted(held, start, engine.scores(member.trees, engine.matrix(held.X, start), (0, kept)))

    def changes(self, parts: Sequence[Predicted]) -> Array:
        """By how much the shrunken trees change the loss of each held-out subject, or group of them."""
        return changes(self.plan.objective, parts, self.trust, self.plan.search.policy.largest_difference)


def trust_in_trees(plan: Plan, events: Array) -> Array:
    """Shrinkage of chosen rounds: ``E / (E + 100)`` for the scores of a cause with E events, of shape (scores,).

    The chosen round is the minimum of a noisy curve, which on average lies too late: the fewer events, the more of what
    was learned by then is noise. Rounds that were given are not shrunk, except for causes without an event, of which
    trees could learn only that there was none.
    """
    mixture = plan.objective.mixture
    half = plan.search.policy.events_for_half_trust if plan.chooses_rounds else 0.0
    shares = np.divide(events, events + half, out=np.zeros_like(events), where=events > 0.0)
    return mixture.join_causes([np.full(mixture.n_scores // mixture.n_causes, share) for share in shares])
