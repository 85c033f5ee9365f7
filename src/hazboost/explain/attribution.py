"""The raw scores of a model, divided among the features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hazboost.engines.base import Matrix, Trees
from hazboost.explain.sums import add_up
from hazboost.prediction.model import Model
from hazboost.utils.arrays import Array

#: Numbers of contributions to scores held at a time, and of rows and times evaluated, by each thread.
BLOCK, BLOCK_OF_TIMES = 2**18, 2**15


@dataclass(frozen=True)
class Attribution:
    """Scores of some rows: ``scores = base + values.sum(axis=-1)``.

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


def attribute(model: Model, encoded: Any) -> Attribution:
    """Divide the scores of some rows: those of the start, and the trees' shrunken mean over all ensembles."""
    base, values = model.start.contributions(encoded)
    grown = _of_trees(model, encoded, model.engine.contributions)
    base = base + grown[0, :, -1]
    values = values + grown[..., :-1]
    scores = model.scores(encoded)
    # Trees are in single precision; rounding errors are divided like what they are errors of.
    return Attribution(base, add_up(values, scores - base, np.zeros_like(values)), scores)


def attribute_pairs(model: Model, encoded: Any) -> Array:
    """What each pair of features adds to the scores, of shape (n, scores, features, features).

    The linear start has no interactions: what a feature adds to it is on the diagonal.
    """
    pairs = _of_trees(model, encoded, model.engine.interactions)[..., :-1, :-1]
    diagonal = np.arange(encoded.shape[1])
    pairs[..., diagonal, diagonal] += model.start.contributions(encoded)[1]
    return pairs


def rows_at_a_time(model: Model, width: int, n_times: int = 1) -> int:
    """Rows that are worked on at a time: with ``width`` contributions to each score, and evaluated at some times."""
    return max(1, min(BLOCK // (model.mixture.n_scores * width), BLOCK_OF_TIMES // n_times))


def _of_trees(model: Model, encoded: Any, divide: Callable[[Trees, Matrix], Array]) -> Array:
    """What an engine says of each ensemble, as it counts in the model; without the start."""
    matrix = model.engine.matrix(encoded, np.zeros((encoded.shape[0], model.mixture.n_scores)))
    mean = model.mean_of_ensembles(lambda trees: divide(trees, matrix))
    shrunken: Array = mean * model.trust.reshape(-1, *([1] * (mean.ndim - 2)))
    return shrunken
