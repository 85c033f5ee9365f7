"""Trees of the folds, and what they say of the subjects that were held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from hazboost.data.sample import Sample
from hazboost.engines.base import Trees
from hazboost.training.cross_validation import likely_index, mean_curve
from hazboost.utils.arrays import Array


class Predicted(NamedTuple):
    """Held-out subjects of a fold, and their scores.

    Attributes
    ----------
    held : Sample
        The subjects.
    start, grown : arrays of shape (n, scores)
        Before the first tree, and with all trees.
    """

    held: Sample
    start: Array
    grown: Array


class Member(NamedTuple):
    """The model of one fold: its trees, its best round, the course of its training, and how many subjects judged it."""

    trees: Trees
    best: int
    train_loss: list[float]
    held_out_loss: list[float]
    subjects: float

    @property
    def rounds_made(self) -> int:
        """Number of rounds until training stopped."""
        return len(self.held_out_loss) - 1

    def rounds_kept(self, rounds: int) -> int:
        """How many of the rounds that were made a model of so many rounds keeps: the best ones if it had stopped."""
        return rounds if rounds <= self.rounds_made else self.best


@dataclass(frozen=True)
class Ensemble:
    """The models of the folds, or of the first of them, with trees of one depth."""

    depth: int
    members: tuple[Member, ...] = ()

    @property
    def loss(self) -> Array:
        """Held-out mean loss after each number of rounds, from zero on.

        A fold that has stopped keeps its best round, and so its best loss.
        """
        curves = [member.held_out_loss for member in self.members]
        return mean_curve(curves, [member.held_out_loss[member.best] for member in self.members])

    @property
    def rounds(self) -> int:
        """The best number of rounds, on average."""
        return likely_index(self.loss, sum(member.subjects for member in self.members))

    def without(self, number: int) -> Ensemble:
        """The models of all folds but one."""
        return replace(self, members=(*self.members[:number], *self.members[number + 1 :]))
