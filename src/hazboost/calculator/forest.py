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

from hazboost.engines.structure import NO_CHILD, Tree, read_trees
from hazboost.prediction.model import Model

#: Number types, by the name of the array that reads them in JavaScript.
KINDS = {"Uint8": "<u1", "Uint16": "<u2", "Uint32": "<u4", "Float32": "<f4"}

#: The mark of a leaf; questions are numbered from 1.
LEAF = 0
#: What is asked in a node: the feature, the threshold or the categories that go right, and where missing values go.
Question = tuple[int, float, tuple[int, ...] | None, bool]


def encode_forest(model: Model) -> dict[str, Any]:
    """The trees of all models, an ensemble for each, as JSON with packed arrays."""
    questions: dict[Question, int] = {}
    nodes: list[int] = []
    leaves: list[float] = []
    ensembles = []
    for trees in model.boosters:
        scores = []
        for tree in read_trees(model.engine, trees):
            scores.append(tree.score)
            for node in _in_order(tree):
                if tree.left[node] == NO_CHILD:
                    nodes.append(LEAF)
                    leaves.append(tree.threshold[node])
                else:
                    nodes.append(1 + questions.setdefault(_question(tree, node), len(questions)))
        ensembles.append(pack_positions(scores))
    sets: dict[tuple[int, ...], int] = {}
    for _, _, categories, _ in questions:
        if categories is not None:
            sets.setdefault(categories, len(sets) + 1)
    return {
        "ensembles": ensembles,
        "nodes": pack_positions(nodes),
        "leaves": pack(leaves, "Float32"),
        "feature": pack_positions([feature for feature, *_ in questions]),
        "threshold": pack([threshold for _, threshold, *_ in questions], "Float32"),
        "missingLeft": pack([left for *_, left in questions], "Uint8"),
        "set": pack_positions([0 if one is None else sets[one] for _, _, one, _ in questions]),
        "sets": [list(one) for one in sets],
    }


def pack(values: npt.ArrayLike, kind: str) -> dict[str, str]:
    """Numbers as text; an error if the type does not hold them exactly."""
    packed = np.asarray(values).astype(KINDS[kind])
    if not np.array_equal(packed, values):
        raise ValueError(f"values must be numbers that {kind} holds exactly.")
    return {"kind": kind, "data": b64encode(packed.tobytes()).decode("ascii")}


def pack_positions(values: list[int]) -> dict[str, str]:
    """Whole numbers from 0 on as text, in two bytes each or, where one of them needs more, in four."""
    return pack(values, "Uint16" if max(values, default=0) < 2**16 else "Uint32")


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
        if tree.left[node] != NO_CHILD:
            waiting += [int(tree.right[node]), int(tree.left[node])]
