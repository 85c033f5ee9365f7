"""Trees as plain arrays, for whoever reads them without XGBoost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hazboost.engines.base import Engine, Trees
from hazboost.engines.divided import DividedEngine
from hazboost.engines.storage import store_trees
from hazboost.engines.ubjson import decode
from hazboost.utils.arrays import Indices, Mask


class Tree(NamedTuple):
    """One tree; its root is node 0.

    A number below the threshold of a node goes left, any other right. Of categories, those that are listed for the node
    go right. A missing value goes left where ``missing_left`` is true.

    Attributes
    ----------
    scores : array of int
        The scores that it adds to, by position.
    left, right : arrays of int of shape (nodes,)
        Children of each node; -1 for leaves.
    feature : array of int of shape (nodes,)
        The feature that is asked for, by position.
    threshold : array of float32 of shape (nodes,)
        The threshold, in the precision in which features are compared with it.
    missing_left : array of bool of shape (nodes,)
        Where missing values go.
    categories : mapping of int to array
        For each node that splits categories, the codes of those that go right.
    values : array of float32 of shape (nodes, scores)
        Of leaves, what they add.
    """

    scores: Indices
    left: Indices
    right: Indices
    feature: Indices
    threshold: npt.NDArray[np.float32]
    missing_left: Mask
    categories: Mapping[int, Indices]
    values: npt.NDArray[np.float32]


def read_nodes(engine: Engine, trees: Trees) -> Iterator[Tree]:
    """The trees of an ensemble, in the order in which they are added up; scores and features are those of the model."""
    parts = engine.parts if isinstance(engine, DividedEngine) else None
    for number, stored in enumerate(store_trees(engine, trees)):
        learner = decode(stored)["learner"]
        model = learner["gradient_booster"]["model"]
        outputs = int(learner["learner_model_param"]["num_target"])
        for tree, output in zip(model["trees"], np.asarray(model["tree_info"]).tolist(), strict=True):
            width = int(tree["tree_param"]["size_leaf_vector"])
            read = _read(tree, np.arange(outputs) if width > 1 else np.array([output]), width)
            if parts is None:
                yield read
            elif output < len(parts[number].scores):  # others are idle
                part = parts[number]
                yield read._replace(scores=part.scores[read.scores], feature=part.features[read.feature])


def _read(tree: Mapping[str, Any], scores: Indices, width: int) -> Tree:
    left, right = _whole(tree, "left_children"), _whole(tree, "right_children")
    inner = left != -1
    threshold = np.asarray(tree["split_conditions"], dtype=np.float32)
    values = threshold[:, None]
    if width > 1:
        weights = np.asarray(tree["leaf_weights"], dtype=np.float32).reshape(-1, width)
        values = np.zeros((len(left), width), dtype=np.float32)
        values[~inner] = weights[right[~inner]]  # the right child of such a leaf is its place in the list
    first, count = _whole(tree, "categories_segments"), _whole(tree, "categories_sizes")
    codes, nodes = _whole(tree, "categories"), _whole(tree, "categories_nodes")
    return Tree(
        scores=scores,
        left=left,
        right=np.where(inner, right, -1),
        feature=np.where(inner, _whole(tree, "split_indices"), 0),
        threshold=threshold,
        missing_left=_whole(tree, "default_left") == 1,
        categories={int(node): codes[begin : begin + n] for node, begin, n in zip(nodes, first, count, strict=True)},
        values=values,
    )


def _whole(tree: Mapping[str, Any], name: str) -> Indices:
    return np.asarray(tree[name], dtype=np.intp)
