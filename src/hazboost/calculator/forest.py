"""All trees of a model in a few arrays, small enough to be part of a page.

Trees of one model ask few different questions: each one, a feature with its threshold, is written once. A tree is the
list of its nodes, each before its left and then its right branch, with the number of a question or the mark of a leaf.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.engines.nodes import Tree, read_nodes
from hazboost.prediction.model import Model

#: Number types, by the name of the array that reads them in JavaScript.
KINDS = {"Uint8": "<u1", "Uint16": "<u2", "Uint32": "<u4", "Float32": "<f4"}

#: What is asked in a node: the feature, the threshold or the categories that go right, and where missing values go.
Question = tuple[int, float, tuple[int, ...] | None, bool]


def encode_forest(model: Model) -> dict[str, Any]:
    """The trees, as JSON with packed arrays."""
    questions: dict[Question, int] = {}
    nodes: list[int] = []
    leaves: list[npt.NDArray[np.float32]] = []
    ensembles = []
    for trees in model.boosters:
        scores = []
        for tree in read_nodes(model.engine, trees):
            kept = np.flatnonzero(tree.scores < model.mixture.n_scores)  # others are idle
            if not len(kept):
                continue
            scores.append(tree.scores[kept].tolist())
            for node in _in_order(tree):
                inner = tree.left[node] != -1
                nodes.append(questions.setdefault(_question(tree, node), len(questions)) if inner else -1)
                if not inner:
                    leaves.append(tree.values[node, kept])
        ensembles.append(scores)
    sets: dict[tuple[int, ...], int] = {}
    for _, _, categories, _ in questions:
        if categories is not None:
            sets.setdefault(categories, len(sets) + 1)
    features = [feature for feature, *_ in questions]
    return {
        "ensembles": [_scores(one) for one in ensembles],
        "nodes": pack(np.array(nodes, dtype=np.int64) + 1, "Uint16" if len(questions) < 2**16 - 1 else "Uint32"),
        "leaves": pack(np.concatenate([np.empty(0, np.float32), *leaves]), "Float32"),
        "feature": pack(features, "Uint16" if max(features, default=0) < 2**16 else "Uint32"),
        "threshold": pack([threshold for _, threshold, *_ in questions], "Float32"),
        "missingLeft": pack([left for *_, left in questions], "Uint8"),
        "set": pack([0 if one is None else sets[one] for _, _, one, _ in questions], "Uint16"),
        "sets": [list(one) for one in sets],
    }


def pack(values: npt.ArrayLike, kind: str) -> dict[str, str]:
    """Numbers as text."""
    return {"kind": kind, "data": b64encode(np.asarray(values).astype(KINDS[kind]).tobytes()).decode("ascii")}


def _scores(of_trees: list[list[int]]) -> dict[str, Any]:
    """The scores that each tree of an ensemble adds to; the same number of them for all of its trees."""
    width = len(of_trees[0]) if of_trees else 1
    return {"trees": len(of_trees), "width": width, "scores": pack(np.ravel(of_trees), "Uint16")}


def _question(tree: Tree, node: int) -> Question:
    categories, feature, left = tree.categories.get(node), int(tree.feature[node]), bool(tree.missing_left[node])
    if categories is None:
        return feature, float(tree.threshold[node]), None, left
    return feature, 0.0, tuple(categories.tolist()), left


def _in_order(tree: Tree) -> Iterator[int]:
    """The nodes, each before its left and then its right branch."""
    waiting = [0]
    while waiting:
        node = waiting.pop()
        yield node
        if tree.left[node] != -1:
            waiting += [int(tree.right[node]), int(tree.left[node])]
