"""The nodes of trees, for whoever reads them without XGBoost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hazboost.engines.base import Engine, Trees
from hazboost.engines.divided import DividedEngine
from hazboost.engines.local import LocalEngine
from hazboost.engines.storage import store_trees
from hazboost.engines.ubjson import decode
from hazboost.utils.arrays import Array, Indices, Mask

#: What XGBoost writes for the children of a leaf.
NO_CHILD = -1


@dataclass(frozen=True)
class Tree:
    """A tree that adds to one score; node 0 is the root.

    A row goes to the left if its feature is below the threshold or, in a split of categories, if its category is not
    listed. Features and thresholds are compared in single precision.

    Attributes
    ----------
    score : int
        Position of the score.
    left, right : arrays of int
        Children of each node; -1 for a leaf.
    feature : array of int
        Position of the feature that a node splits.
    threshold : array
        Threshold of a node, or value of a leaf.
    missing_left : array of bool
        Whether a missing value goes to the left.
    categories : dict
        For each node that splits categories, the codes of those that go to the right.
    """

    score: int
    left: Indices
    right: Indices
    feature: Indices
    threshold: Array
    missing_left: Mask
    categories: dict[int, Indices]


def read_trees(engine: Engine, trees: Trees) -> Iterator[Tree]:
    """All trees of an ensemble; scores and features by their position in the model."""
    if isinstance(engine, DividedEngine):
        for part, one in zip(engine.parts, store_trees(engine, trees), strict=True):
            yield from _read_ensemble(one, part.scores, part.features)
    elif isinstance(engine, LocalEngine) and engine.features is not None:
        yield from _read_ensemble(
            store_trees(engine, trees)[0], np.arange(engine.n_scores), np.arange(engine.features.n)
        )
    else:
        raise ValueError(f"model: the trees of {type(engine).__name__} cannot be read; use an engine of this library.")


def highest_values(engine: Engine, width: int) -> Array:
    """The largest value of each of so many features in training, to which larger ones are set; infinite if unknown."""
    highest = np.full(width, np.inf)
    if isinstance(engine, DividedEngine):
        for part in engine.parts:
            highest[part.features] = highest_values(part.engine, len(part.features))
    elif isinstance(engine, LocalEngine) and engine.features is not None and engine.features.highest is not None:
        highest[:] = engine.features.highest
    return highest


def _read_ensemble(stored: bytes, scores: Indices, features: Indices) -> Iterator[Tree]:
    model = decode(stored)["learner"]["gradient_booster"]["model"]
    for found, output in zip(model["trees"], np.asarray(model["tree_info"]).tolist(), strict=True):
        if int(found["tree_param"]["size_leaf_vector"]) > 1:
            yield from _one_for_each_score(found, scores, features)
        elif output < len(scores):  # beyond are idle outputs
            yield _read_tree(found, int(scores[output]), features, np.asarray(found["split_conditions"]))


def _one_for_each_score(found: dict[str, Any], scores: Indices, features: Indices) -> Iterator[Tree]:
    """A tree whose leaves have a value for each score, as several trees with the same splits."""
    width = int(found["tree_param"]["size_leaf_vector"])
    left, place = (np.asarray(found[name]).astype(np.intp) for name in ("left_children", "right_children"))
    values = np.asarray(found["leaf_weights"]).reshape(-1, width)
    for output, score in enumerate(scores.tolist()):
        threshold = np.array(found["split_conditions"], dtype=np.float64)
        threshold[left == NO_CHILD] = values[place[left == NO_CHILD], output]
        yield _read_tree(found, score, features, threshold)


def _read_tree(found: dict[str, Any], score: int, features: Indices, threshold: Array) -> Tree:
    left = np.asarray(found["left_children"]).astype(np.intp)
    feature = np.asarray(found["split_indices"]).astype(np.intp)
    inner = left != NO_CHILD
    segments = (np.asarray(found[f"categories_{name}"]).tolist() for name in ("nodes", "segments", "sizes"))
    codes = np.asarray(found["categories"]).astype(np.intp)
    return Tree(
        score,
        left,
        np.where(inner, np.asarray(found["right_children"]), NO_CHILD),
        np.where(inner, features[np.where(inner, feature, 0)], 0),
        np.asarray(threshold, dtype=np.float64),
        np.asarray(found["default_left"]).astype(bool),
        {node: codes[first : first + size] for node, first, size in zip(*segments, strict=True)},
    )
