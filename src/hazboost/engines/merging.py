"""The weighted mean of several ensembles of trees as a single one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
import xgboost as xgb

from hazboost.engines.base import Engine, Trees
from hazboost.engines.divided import DividedEngine, Part
from hazboost.engines.local import LocalEngine
from hazboost.engines.packing import MIN_OUTPUTS
from hazboost.engines.storage import from_bytes
from hazboost.utils.arrays import Array, Indices

#: Numbers that belong to outputs: means of the rows in each node, and leaves that have a number for each output.
VALUES = frozenset({"base_weights", "leaf_weights"})


def merge(engine: Engine, ensembles: Sequence[Trees], shares: Array, kept: Indices) -> tuple[Engine, Trees]:
    r"""An engine for some of the scores, by position, and one ensemble that adds the mean of several to them.

    .. math:: \sum_e s_e \sum_r T_{er} = \sum_r \Bigl(\sum_e s_e T_{er}\Bigr)

    Its round :math:`r` has the trees of this round of all ensembles, with leaves multiplied by the shares :math:`s_e`.
    """
    if isinstance(engine, DividedEngine):
        parts, merged = [], []
        for number, part in enumerate(engine.parts):
            mine = np.flatnonzero(np.isin(part.scores, kept))
            own, trees = merge(part.engine, [one[number] for one in ensembles], shares, mine)
            parts.append(Part(own, np.searchsorted(kept, part.scores[mine]), part.features))
            merged.append(trees)
        return DividedEngine(tuple(parts)), tuple(merged)
    if not isinstance(engine, LocalEngine):
        raise TypeError(f"the trees of {type(engine).__name__} cannot be merged.")
    if len(ensembles) == 1 and len(kept) == engine.n_scores:
        return engine, ensembles[0]
    others = np.setdiff1d(np.arange(engine.n_scores), kept)
    outputs = np.append(kept, others)[: max(len(kept), MIN_OUTPUTS)]  # what is not kept may stay as an idle output
    return replace(engine, n_scores=len(kept)), _merge(engine, ensembles, shares, outputs)


def _merge(engine: LocalEngine, ensembles: Sequence[xgb.Booster], shares: Array, outputs: Indices) -> xgb.Booster:
    """One booster with some of the outputs."""
    documents = [json.loads(one.save_raw("json")) for one in ensembles]
    models = [one["learner"]["gradient_booster"]["model"] for one in documents]
    trees: list[dict[str, Any]] = []
    scores: list[int] = []
    ends = [0]
    for places in zip_longest(*(pairwise(one["iteration_indptr"]) for one in models), fillvalue=(0, 0)):
        for model, share, place in zip(models, shares.tolist(), places, strict=True):
            made = [_scaled(tree, share) for tree in _of_outputs(model["trees"][slice(*place)], outputs)]
            trees += made
            scores += range(len(made))
        ends.append(len(trees))
    trees = [{**tree, "id": number} for number, tree in enumerate(trees)]
    whole, sizes = models[0], documents[0]["learner"]["learner_model_param"]
    whole["gbtree_model_param"]["num_trees"] = str(len(trees))
    sizes.update(num_target=str(len(outputs)), base_score=json.dumps([0.0] * len(outputs)))
    whole.update(trees=trees, tree_info=scores, iteration_indptr=ends)
    return from_bytes(engine, json.dumps(documents[0], separators=(",", ":")).encode())


def _scaled(tree: dict[str, Any], share: float) -> dict[str, Any]:
    """A tree with leaves, and means of inner nodes, multiplied by a share; thresholds stay."""
    is_leaf = np.asarray(tree["left_children"]) == -1
    values = np.asarray(tree["split_conditions"], dtype=np.float64)
    scaled = {**tree, "split_conditions": np.where(is_leaf, share * values, values).tolist()}
    for name in VALUES & set(tree):
        scaled[name] = (share * np.asarray(tree[name], dtype=np.float64)).tolist()
    return scaled


def _of_outputs(trees: list[dict[str, Any]], outputs: Indices) -> list[dict[str, Any]]:
    """Of the trees of a round, one for each output or one for all, what some of the outputs need."""
    if len(trees) != 1:
        return [trees[output] for output in outputs] if trees else []
    width, kept = int(trees[0]["tree_param"]["size_leaf_vector"]), dict(trees[0])
    for name in VALUES & set(kept):
        kept[name] = np.asarray(kept[name]).reshape(-1, width)[:, outputs].ravel().tolist()
    return [{**kept, "tree_param": {**kept["tree_param"], "size_leaf_vector": str(len(outputs))}}]
