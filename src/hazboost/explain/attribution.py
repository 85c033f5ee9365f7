"""The raw scores of a model, divided among the features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hazboost.engines.base import Matrix, Trees
from hazboost.explain.sums import add_up
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.model import Model
from hazboost.utils.arrays import Array

#: Numbers of contributions to scores held at a time, and of rows and times evaluated, by each thread.
BLOCK, BLOCK_OF_TIMES = 2**18, 2**15


@dataclass(frozen=True)
class Attribution:
    """Scores of some rows, of all models that are averaged: ``scores = base + values.sum(axis=-1)``.

    Attributes
    ----------
    base : array of shape (scores,)
        What all rows share.
    values : array of shape (n, scores, features)
        What each feature adds.
    scores : array of shape (n, scores)
        The scores themselves.
    """

    base: Array
    values: Array
    scores: Array

    def mean_over_models(self, mixture: Mixture) -> Attribution:
        """The means over the models, which are the mean scores, of one model's scores."""

        def mean(values: Array, axis: int) -> Array:
            parts = [values.take(own, axis) for own in mixture.scores_of_models]
            return np.asarray(np.mean(parts, axis=0))

        return Attribution(mean(self.base, 0), mean(self.values, 1), mean(self.scores, 1))


def attribute(model: Model, encoded: Any) -> Attribution:
    """Divide the scores of some rows, those of all models: of their starts and of their shrunken trees."""
    starts = [start.contributions(encoded) for start in model.starts]
    grown, join = _of_trees(model, encoded, model.engine.contributions), model.mixture.join_models
    base = join([(own + trees[0, :, -1])[None] for (own, _), trees in zip(starts, grown, strict=True)])[0]
    values = join([own + trees[..., :-1] for (_, own), trees in zip(starts, grown, strict=True)])
    scores = model.scores(encoded)
    # Trees are in single precision; rounding errors are divided like what they are errors of.
    return Attribution(base, add_up(values, scores - base, np.zeros_like(values)), scores)


def attribute_pairs(model: Model, encoded: Any) -> Array:
    """What each pair of features adds to the mean scores of the models, of shape (n, scores, features, features).

    The linear start has no interactions: what a feature adds to it is on the diagonal.
    """
    grown = _of_trees(model, encoded, model.engine.interactions)
    pairs: Array = np.mean(grown, axis=0)[..., :-1, :-1]
    diagonal = np.arange(encoded.shape[1])
    pairs[..., diagonal, diagonal] += np.mean([start.contributions(encoded)[1] for start in model.starts], axis=0)
    return pairs


def rows_at_a_time(model: Model, width: int, n_times: int = 1) -> int:
    """Rows that are worked on at a time: with ``width`` contributions to each score, and evaluated at some times."""
    return max(1, min(BLOCK // (model.mixture.n_scores * width), BLOCK_OF_TIMES // n_times))


def _of_trees(model: Model, encoded: Any, divide: Callable[[Trees, Matrix], Array]) -> list[Array]:
    """What an engine says of the trees of each model, as they count in it; without the start."""
    matrix = model.engine.matrix(encoded, np.zeros((encoded.shape[0], len(model.shrinkage))))
    made = [divide(trees, matrix) for trees in model.boosters]
    return [one * model.shrinkage.reshape(-1, *([1] * (one.ndim - 2))) for one in made]
