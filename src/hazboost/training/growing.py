"""Trees of the folds, and how much they may say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

import numpy as np

from hazboost.boosting.callbacks import HeldOut, limited_loss
from hazboost.engines.base import Engine, Trees
from hazboost.prediction.model import Start
from hazboost.training.cross_validation import CrossValidation, Fold, is_clear, mean_curve
from hazboost.training.plan import Plan, Stopping
from hazboost.training.predicted import Predicted, changes, masses
from hazboost.training.single import grow, training_matrix
from hazboost.utils.arrays import Array
from hazboost.utils.progress import FoldProgress


class Member(NamedTuple):
    """The model of one fold: its trees, its best round, and the course of its training."""

    trees: Trees
    best: int
    train_loss: list[float]
    held_out_loss: list[float]

    @property
    def rounds_made(self) -> int:
        """Number of rounds until training stopped."""
        return len(self.held_out_loss) - 1

    def rounds_kept(self, rounds: int) -> int:
        """How many of the rounds that were made a model of so many rounds keeps: the best ones if it had stopped."""
        return rounds if rounds <= self.rounds_made else self.best


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

    def without(self, number: int) -> Ensemble:
        """The models of all folds but one."""
        return replace(self, members=[*self.members[:number], *self.members[number + 1 :]])


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

    def grow_folds(self, depth: int, progress: FoldProgress, only: Iterable[int] | None = None) -> list[Member]:
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
        """Scores of the held-out subjects of each fold, or of the first ones if there are no more members."""
        kept = [member.rounds_kept(ensemble.rounds) for member in ensemble.members]
        return self.predict_rounds(ensemble, kept)

    def predict_unseen(self, ensemble: Ensemble) -> list[Predicted]:
        """The same, with as many rounds in each fold as are best for the other folds, or all that it made.

        The best number of rounds of all folds is best for the very subjects on whom it is then judged.
        """
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

    def changes(self, parts: Sequence[Predicted]) -> Array:
        """By how much the shrunken trees change the loss of each held-out subject, or group of them."""
        return changes(self.plan.objective, parts, self.trust, self.plan.search.policy.largest_difference)
