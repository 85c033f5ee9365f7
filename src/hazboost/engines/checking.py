"""Whether trees that come from elsewhere can be read by XGBoost, which believes every number that it is given.

A child that is not there, or a feature that no row has, would let it read memory that is not its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.engines.dialect import feature_names, feature_types
from hazboost.engines.features import Features
from hazboost.utils.arrays import Indices

#: XGBoost reads trees of versions before this in another way.
OLDEST = 3
#: XGBoost holds codes of categories in single precision, which counts up to here.
MOST_CATEGORIES = 2**24
#: Bits in which it may hold the categories of all splits.
MOST_BITS = 2**30
#: Written for the parent of the root, by trees with one and with several values in each leaf.
NO_PARENT = (2**31 - 1, -1)
#: What is stored for each node.
BY_NODE = ("left_children", "right_children", "parents", "split_indices", "default_left", "split_type")
FLOATS_BY_NODE = ("split_conditions", "sum_hessian", "loss_changes")


def check_ensemble(stored: Any, features: Features, n_outputs: int) -> None:
    """Refuse an ensemble that is not one of trees for these features and so many outputs, or is not whole."""
    learner = _mapping(stored, "learner")
    version = _whole(_list(stored, "version"), "version")
    if len(version) != 3 or version[0] < OLDEST:
        raise ValueError("trees are of a version that is not known")
    model = _mapping(_mapping(learner, "gradient_booster"), "model")
    _check_names(learner, features)
    _check_sizes(learner, features.n, n_outputs)
    if any(len(_list(_mapping(model, "cats"), name)) for name in model.get("cats", {})):
        raise ValueError("categories have names in the trees")
    trees = _list(model, "trees")
    counts = _mapping(model, "gbtree_model_param")
    if _count(counts, "num_trees") != len(trees) or _count(counts, "num_parallel_tree") != 1:
        raise ValueError("trees are missing")
    sizes = [_check_tree(tree, features.n) for tree in trees]
    _check_rounds(model, sizes, n_outputs)


def _check_names(learner: Mapping[str, Any], features: Features) -> None:
    """It is XGBoost's usual model of trees; its features have the names and types of these, or none without trees."""
    kinds = [_mapping(learner, "gradient_booster").get("name"), _mapping(learner, "objective").get("name")]
    if kinds != ["gbtree", "reg:squarederror"]:
        raise ValueError("it is another kind of model")
    for name, known in {"feature_names": feature_names(features), "feature_types": feature_types(features)}.items():
        if _list(learner, name) not in ([], known):
            raise ValueError(f"{name} does not fit the features")


def _check_sizes(learner: Mapping[str, Any], n_features: int, n_outputs: int) -> None:
    """Numbers of features and outputs; every output starts at zero."""
    sizes = _mapping(learner, "learner_model_param")
    if _count(sizes, "num_feature") != n_features:
        raise ValueError("the number of features is another")
    if _count(sizes, "num_target") != n_outputs or _count(sizes, "num_class") != 0:
        raise ValueError("the number of scores is another")
    start = str(sizes.get("base_score")).strip("[]").split(",")
    if len(start) != n_outputs or any(float(one) != 0.0 for one in start):
        raise ValueError("trees do not start at zero")


def _check_rounds(model: Mapping[str, Any], sizes: Sequence[int], n_outputs: int) -> None:
    """Each round has a tree for each output, or one whose leaves have a number for each; as often for merged ones."""
    outputs, ends = (_whole(_list(model, name), name) for name in ("tree_info", "iteration_indptr"))
    vectors = bool(sizes) and sizes[0] > 1
    by_round = 1 if vectors else n_outputs
    if len(set(sizes)) > 1 or (vectors and sizes[0] != n_outputs):
        raise ValueError("leaves have another number of scores")
    if len(ends) < 1 or ends[0] != 0 or ends[-1] != len(sizes):
        raise ValueError("rounds are not complete")
    if (np.diff(ends) <= 0).any() or (ends % by_round).any():
        raise ValueError("rounds are not complete")
    if not np.array_equal(outputs, np.tile(np.arange(by_round), len(sizes) // by_round)):
        raise ValueError("trees belong to other scores")


def _check_tree(tree: Any, n_features: int) -> int:
    """Refuse a tree that does not hold together; the number of values in each of its leaves."""
    sizes = _mapping(tree, "tree_param")
    nodes, values = _count(sizes, "num_nodes"), _count(sizes, "size_leaf_vector")
    if nodes < 1 or values < 1 or _count(sizes, "num_feature") != n_features:
        raise ValueError("a tree has no size")
    columns = {name: _whole(_list(tree, name), name) for name in BY_NODE}
    if any(len(column) != nodes for column in columns.values()):
        raise ValueError("a tree is not complete")
    if any(_floats(tree, name).size != nodes for name in FLOATS_BY_NODE if values == 1 or name in tree):
        raise ValueError("a tree is not complete")
    if _floats(tree, "base_weights").size != nodes * values:
        raise ValueError("a tree is not complete")
    left, right = columns["left_children"], columns["right_children"]
    inner = left != -1
    _check_children(np.flatnonzero(inner), left[inner], right[inner], columns["parents"])
    if ((columns["split_indices"][inner] < 0) | (columns["split_indices"][inner] >= n_features)).any():
        raise ValueError("a tree splits a feature that is not there")
    if any((columns[name] & ~1).any() for name in ("default_left", "split_type")):
        raise ValueError("a tree splits in an unknown way")
    deleted = columns["split_indices"] == np.iinfo(np.int32).max
    if int(deleted.sum()) != _count(sizes, "num_deleted"):
        raise ValueError("a tree has other nodes than it says")
    _check_leaves(tree, right[~inner], values)
    _check_categories(tree, np.flatnonzero(columns["split_type"] == 1), inner)
    return values


def _check_children(inner: Indices, left: Indices, right: Indices, parents: Indices) -> None:
    """Every node but the root is the child of one node at most, its parent, so that no way leads in a circle."""
    nodes, children = len(parents), np.concatenate([left, right])
    if ((children < 1) | (children >= nodes)).any() or np.bincount(children).max(initial=0) > 1:
        raise ValueError("a tree has children that are not there")
    if parents[0] not in NO_PARENT or ((parents[1:] < 0) | (parents[1:] >= nodes)).any():
        raise ValueError("a tree has parents that are not there")
    if (parents[left] != inner).any() or (parents[right] != inner).any():
        raise ValueError("a tree has children of other parents")


def _check_leaves(tree: Mapping[str, Any], place: Indices, values: int) -> None:
    """Leaves with several values have a place in a list of them; those with one have it in the node."""
    if values == 1:
        wrong = (place != -1).any()
    else:
        rows, rest = divmod(_floats(tree, "leaf_weights").size, values)
        wrong = rest or ((place < 0) | (place >= rows)).any()
    if wrong:
        raise ValueError("a tree has leaves without a value")


def _check_categories(tree: Mapping[str, Any], nodes: Indices, inner: npt.NDArray[np.bool_]) -> None:
    """Splits of categories list those that go one way, one after the other."""
    categories, found, first, count = (
        _whole(_list(tree, name), name)
        for name in ("categories", "categories_nodes", "categories_segments", "categories_sizes")
    )
    if not (len(nodes) or len(found) or len(first) or len(count) or len(categories)):
        return
    if not np.array_equal(found, nodes) or not inner[nodes].all() or len(first) != len(nodes):
        raise ValueError("splits of categories are not where they are said to be")
    if len(count) != len(nodes) or (count < 0).any() or not np.array_equal(first, np.cumsum(count) - count):
        raise ValueError("splits of categories are not complete")
    if int(count.sum()) != len(categories) or ((categories < 0) | (categories >= MOST_CATEGORIES)).any():
        raise ValueError("splits of categories are not complete")
    if len(nodes) * (int(categories.max(initial=0)) + 1) > MOST_BITS:
        raise ValueError("splits have too many categories")


def _mapping(owner: Any, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = _part(owner, name, Mapping)
    return found


def _list(owner: Any, name: str) -> Any:
    return _part(owner, name, (list, np.ndarray))


def _part(owner: Any, name: str, kind: Any) -> Any:
    found = owner.get(name) if isinstance(owner, Mapping) else None
    if found is None or not isinstance(found, kind):
        raise ValueError(f"{name} is missing")
    return found


def _count(owner: Mapping[str, Any], name: str) -> int:
    """A whole number, which XGBoost writes as text."""
    found = owner.get(name)
    if not isinstance(found, str) or not found.isascii() or not found.isdigit() or len(found) > 10:
        raise ValueError(f"{name} is no number")
    return int(found)


def _whole(values: Any, name: str) -> Indices:
    """Whole numbers, of an array or of a list."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return values.astype(np.int64)
    if isinstance(values, list) and all(type(one) is int for one in values):
        return np.array(values, dtype=np.int64)
    raise ValueError(f"{name} has other values than whole numbers")


def _floats(tree: Any, name: str) -> npt.NDArray[np.floating[Any]]:
    """Numbers in single precision."""
    found = _list(tree, name)
    if not isinstance(found, np.ndarray) or found.dtype.kind != "f":
        raise ValueError(f"{name} has other values than numbers")
    return found
