"""Trees as one node of the operator ``TreeEnsemble``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hazboost.engines.structure import NO_CHILD, Tree
from hazboost.onnx.graph import onnx_package
from hazboost.onnx.tracing import TracedArray

#: Modes of a split: below a threshold, and a member of a list.
BELOW, MEMBER = 1, 6
#: Values of leaves are added up, and nothing is done with the sums.
SUM, NO_TRANSFORM = 1, 0


class _Ensemble:
    """The attributes of the operator, filled tree by tree.

    Leaves have numbers of their own. A split of categories is true for those that are listed, which go to the right.
    """

    def __init__(self) -> None:
        self.roots: list[int] = []
        self.features: list[int] = []
        self.modes: list[int] = []
        self.splits: list[float] = []
        self.members: list[float] = []
        self.missing_true: list[int] = []
        self.children: dict[bool, list[int]] = {True: [], False: []}
        self.is_leaf: dict[bool, list[int]] = {True: [], False: []}
        self.leaf_scores: list[int] = []
        self.leaf_values: list[float] = []

    def add(self, tree: Tree) -> None:
        """Add a tree of two nodes or more."""
        inner = np.flatnonzero(tree.left != NO_CHILD).tolist()
        number = {node: len(self.features) + place for place, node in enumerate(inner)}
        self.roots.append(number[0])
        for node in inner:
            listed = tree.categories.get(node)
            ways = (tree.left[node], tree.right[node]) if listed is None else (tree.right[node], tree.left[node])
            self.features.append(int(tree.feature[node]))
            self.modes.append(BELOW if listed is None else MEMBER)
            self.splits.append(float(tree.threshold[node]) if listed is None else 0.0)
            self.missing_true.append(int(tree.missing_left[node] == (listed is None)))
            if listed is not None:
                self.members += [*listed.tolist(), np.nan]  # which ends the list
            for way, child in zip((True, False), map(int, ways), strict=True):
                self.is_leaf[way].append(int(child not in number))
                self.children[way].append(number[child] if child in number else self._leaf(tree, child))

    def _leaf(self, tree: Tree, node: int) -> int:
        self.leaf_scores.append(tree.score)
        self.leaf_values.append(float(tree.threshold[node]))
        return len(self.leaf_scores) - 1


def sum_trees(features: TracedArray, trees: Iterable[Tree], n_scores: int) -> TracedArray:
    """Sums of all trees for each score, of shape (n, scores).

    Trees compare in single precision, and are added up in double precision.
    """
    ensemble, constant = _Ensemble(), np.zeros(n_scores)
    for tree in trees:
        if tree.left[0] == NO_CHILD:  # a tree of one leaf, which the operator does not know
            constant[tree.score] += tree.threshold[0]
        else:
            ensemble.add(tree)
    if not ensemble.roots:
        return constant
    onnx = onnx_package()

    def numbers(name: str, values: list[float]) -> Any:
        return onnx.numpy_helper.from_array(np.array(values, dtype=np.float64), name)

    modes = onnx.numpy_helper.from_array(np.array(ensemble.modes, dtype=np.uint8), "modes")
    rounded = features.astype(np.float32).astype(np.float64)
    members = {"membership_values": numbers("members", ensemble.members)} if ensemble.members else {}
    sums = rounded.node(
        "TreeEnsemble",
        domain="ai.onnx.ml",
        aggregate_function=SUM,
        post_transform=NO_TRANSFORM,
        n_targets=n_scores,
        tree_roots=ensemble.roots,
        nodes_featureids=ensemble.features,
        nodes_modes=modes,
        nodes_splits=numbers("splits", ensemble.splits),
        nodes_truenodeids=ensemble.children[True],
        nodes_trueleafs=ensemble.is_leaf[True],
        nodes_falsenodeids=ensemble.children[False],
        nodes_falseleafs=ensemble.is_leaf[False],
        nodes_missing_value_tracks_true=ensemble.missing_true,
        leaf_targetids=ensemble.leaf_scores,
        leaf_weights=numbers("leaves", ensemble.leaf_values),
        **members,
    )
    return sums + constant
