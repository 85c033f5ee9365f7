"""Predictions of held-out subjects, by models that have not seen them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hazboost.boosting.objective import Objective
from hazboost.data.sample import Sample
from hazboost.hazards.mixture import shrink
from hazboost.utils.arrays import Array


class Weights(NamedTuple):
    """How much each of three models counts in the scores of a blend; together one.

    Attributes
    ----------
    regression : float
        The regression alone.
    corrected : float
        The regression with trees that correct it.
    alone : float
        Trees that begin without covariates.
    """

    regression: float = 0.0
    corrected: float = 1.0
    alone: float = 0.0

    @property
    def trees(self) -> float:
        """The two with trees."""
        return self.corrected + self.alone


class Predicted(NamedTuple):
    """Held-out subjects of a fold, and their scores.

    Attributes
    ----------
    held : Sample
        The subjects.
    start, grown : arrays of shape (n, scores)
        Before the first tree, and with all trees.
    alone : Predicted, optional
        The same by trees that begin without covariates; not of every fold.
    """

    held: Sample
    start: Array
    grown: Array
    alone: Predicted | None = None

    def shrunk(self, trust: Array) -> Array:
        """Scores with the trees' contribution multiplied by ``trust``."""
        return shrink(self.start, self.grown, trust)

    def blended(self, weights: Weights, trust: Array) -> Array:
        """The weighted mean of the start, of the start with shrunken trees, and of trees alone.

        Where there are no trees alone, those that correct the start stand in for them.
        """
        begin = self.start
        if self.alone is not None:
            begin = (1.0 - weights.alone) * begin + weights.alone * self.alone.start
        return begin + self.added(weights, trust)

    def added(self, weights: Weights, trust: Array) -> Array:
        """What shrunken trees of both kinds add to the scores of such a mean."""
        if self.alone is None:
            return weights.trees * trust * (self.grown - self.start)
        corrected, alone = self.grown - self.start, self.alone.grown - self.alone.start
        return trust * (weights.corrected * corrected + weights.alone * alone)

    def change(self, objective: Objective, trust: Array, limit: float) -> Array:
        """By how much trees, shrunk by ``trust``, change the loss of each subject, or group of them; limited."""
        rows, target = objective.observe(self.held.target), self.held.target
        at_start, at_end = (objective.losses(one, rows) for one in (self.start, self.shrunk(trust)))
        return self.held.by_group(target.limited_change(at_end, at_start, limit))


def masses(parts: Sequence[Predicted]) -> Array:
    """The weight of each held-out subject, or group of them."""
    return np.concatenate([part.held.by_group(part.held.target.subject_mass) for part in parts])


def changes(objective: Objective, parts: Sequence[Predicted], trust: Array, limit: float) -> Array:
    """By how much trees, shrunk by ``trust``, change the loss of each held-out subject, or group of them; limited."""
    return np.concatenate([part.change(objective, trust, limit) for part in parts])
