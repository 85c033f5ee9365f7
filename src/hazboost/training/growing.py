"""Trees of the folds: how many rounds, and how deep."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from hazboost.boosting.callbacks import HeldOut, limited_loss
from hazboost.engines.base import Engine
from hazboost.hazards.mixture import shrink
from hazboost.prediction.model import Start
from hazboost.training.cross_validation import CrossValidation, Fold, is_significant
from hazboost.training.ensemble import Ensemble, Member, Predicted
from hazboost.training.plan import Plan, Stopping
from hazboost.training.single import grow, training_matrix
from hazboost.training.state import State
from hazboost.utils.arrays import Array
from hazboost.utils.progress import FoldProgress


def choose_depth(state: State, growing: Growing | None = None) -> State:
    """Trees of the first depth; deeper ones where events can fill their leaves, as long as they are clearly better.

    Often the subjects that the first fold has held out can tell. Only where they cannot, trees of both depths are grown
    in all folds. Where rows are elsewhere, it has to be given what grows trees there.
    """
    growing = growing or Growing.of(state)
    depth, *deeper_ones = growing.depths
    best = growing.complete(Ensemble(depth), 1 if deeper_ones else 0)
    for deeper in deeper_ones:
        candidate = growing.complete(Ensemble(deeper), 1)
        gain, mass = growing.gain(best, candidate)
        if gain.sum() <= 0.0:
            break
        if not growing.is_significant(gain, mass):
            best, candidate = growing.complete(best), growing.complete(candidate)
            if not growing.is_significant(*growing.gain(best, candidate)):
                break
        best = candidate
    return state.add(trees=best)


def grow_trees(state: State, growing: Growing | None = None) -> State:
    """Trees in all folds; held-out loss chooses the number of rounds."""
    growing = growing or Growing.of(state)
    trees = growing.complete(state.trees or Ensemble(growing.depths[0]))
    return state.add({"round_loss": trees.loss.tolist()}, trees=trees)


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
    shrinkage : array of shape (scores,)
        Shrinkage of the trees. Held-out losses are those of shrunken trees, which are nearly the ones of the final
        model.
    events : float
        Weighted number of events.
    together : int
        Number of folds whose trees are grown at the same time, which share the threads of the fit.
    """

    plan: Plan
    cv: CrossValidation
    starts: tuple[Start, ...]
    shrinkage: Array
    events: float
    together: int = 1

    @classmethod
    def of(cls, state: State) -> Growing:
        """Trees on top of the starts that were fitted."""
        return cls(state.plan, state.cv.for_trees, state.starts, state.usual_shrinkage, float(state.events.sum()))

    @property
    def depths(self) -> tuple[int, ...]:
        """Depths to try in turn."""
        given = self.plan.given.depth
        return self.plan.search.policy.depths_for(self.events) if given is None else (given,)

    def complete(self, trees: Ensemble, most: int | None = None) -> Ensemble:
        """The same trees in all folds, or in so many; those that are there already are kept."""
        missing = range(len(trees.members), len(self.cv.folds) if most is None else most)
        if not missing:
            return trees
        stages, made = [f"trees of depth {trees.depth}"], len(trees.members)
        progress = FoldProgress(len(self.cv.folds), stages, draw=self.plan.search.verbose, done=made)
        members = (*trees.members, *self.grow_folds(trees.depth, progress, missing))
        progress.close()
        return replace(trees, members=members)

    def gain(self, before: Ensemble, after: Ensemble) -> tuple[Array, Array]:
        """What each held-out subject, or group of them, gains in log-likelihood by other trees, and their weights.

        The gain of each is limited. The subjects are those of the folds in which both were grown.
        """
        objective, limit = self.plan.objective, self.plan.search.policy.largest_difference
        gains, masses = [], []
        for one, other in zip(self.predict(before), self.predict(after), strict=False):
            target, rows = one.held.target, objective.observe(one.held.target)
            at_start, *ends = (
                objective.losses(scores, rows)
                for scores in (one.start, *(shrink(each.start, each.grown, self.shrinkage) for each in (one, other)))
            )
            old, new = (target.limited_change(end, at_start, limit) for end in ends)
            gains.append(one.held.by_group(old - new))
            masses.append(one.held.by_group(target.subject_mass))
        return np.concatenate(gains), np.concatenate(masses)

    def is_significant(self, gain: Array, mass: Array) -> bool:
        """Whether a gain exceeds its standard errors."""
        return is_significant(gain, mass, self.plan.search.policy.clear_gain, self.cv.share)

    def grow_folds(self, depth: int, progress: FoldProgress, only: Collection[int]) -> list[Member]:
        """The models of some of the folds, which share the threads of the fit."""
        sharing = replace(self, together=min(self.cv.workers, len(only)))
        return self.cv.map(lambda fold: sharing.grow_fold(fold, depth, progress), progress, only)

    def grow_fold(self, fold: Fold, depth: int, progress: FoldProgress) -> Member:
        """The model of a fold, grown until its held-out loss has not improved for long.

        Each fold samples rows and columns in its own way.
        """
        search, objective = self.plan.search, replace(self.plan.objective, n_threads=self.threads)
        engine, start = self.engine(fold, depth), self.starts[fold.number]
        rate = engine.learning_rate
        most, patience = ceil(search.policy.max_rounds / rate), ceil(search.policy.patience_for(self.events) / rate)
        # Held-out rows know the training rows: binned by themselves, the same value could fall elsewhere.
        train = training_matrix(engine, fold.kept, start)
        begin = start.margin(fold.held.X)
        loss = limited_loss(objective, fold.held.target, begin, self.shrinkage, search.policy.largest_difference)
        held_out = HeldOut(training_matrix(engine, fold.held, start, like=train), {"loss": loss})
        stopping, bar = Stopping("loss", patience), progress.bar(fold.number, most, patience)
        trees, best, history = grow(engine, objective, train, most, held_out, stopping, bar)
        return Member(
            trees, best, history["train_loss"], history["validation_loss"], float(fold.held.target.mass.sum())
        )

    def engine(self, fold: Fold, depth: int) -> Engine:
        """The engine of a fold."""
        seed = self.plan.search.seed + fold.number
        return self.plan.engine.with_settings(max_depth=depth, nthread=self.threads, seed=seed)

    @property
    def threads(self) -> int:
        """Threads of each fold."""
        return max(1, self.plan.objective.n_threads // self.together)

    def predict(self, ensemble: Ensemble) -> list[Predicted]:
        """Scores of the held-out subjects of each fold, or of the first ones if there are no more members."""
        kept = [member.rounds_kept(ensemble.rounds) for member in ensemble.members]
        return self.predict_rounds(ensemble, kept)

    def predict_unseen(self, ensemble: Ensemble) -> list[Predicted]:
        """The same, with as many rounds in each fold as are best for the other folds, or all that it made.

        The best number of rounds of all folds is best for the very subjects on whom it is then judged.
        """
        if len(ensemble.members) == 1:  # there are no others
            return self.predict(ensemble)
        best = (ensemble.without(number).rounds for number in range(len(ensemble.members)))
        kept = [min(rounds, member.rounds_made) for rounds, member in zip(best, ensemble.members, strict=True)]
        return self.predict_rounds(ensemble, kept)

    def predict_rounds(self, ensemble: Ensemble, kept: Sequence[int]) -> list[Predicted]:
        """The same, with so many rounds in each fold."""
        parts = zip(ensemble.members, self.cv.folds, kept, strict=False)
        return [self.predict_fold(member, fold, ensemble.depth, rounds) for member, fold, rounds in parts]

    def predict_fold(self, member: Member, fold: Fold, depth: int, rounds: int) -> Predicted:
        """Scores of the held-out subjects of a fold, with trees of such a depth."""
        held, start = fold.held, self.starts[fold.number].margin(fold.held.X)
        if rounds == 0:  # there are no trees to ask
            return Predicted(held, start, start)
        engine = self.engine(fold, depth)
        return Predicted(held, start, engine.scores(member.trees, engine.matrix(held.X, start), (0, rounds)))
