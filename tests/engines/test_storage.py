"""Trees as bytes: exact, the same for the same trees, and checked before XGBoost sees them."""

from __future__ import annotations

import json

import numpy as np
import pytest
import xgboost as xgb

from hazboost.engines import Features, LocalEngine
from hazboost.engines.checking import check_ensemble
from hazboost.engines.divided import DividedEngine, Part
from hazboost.engines.storage import restore_trees, store_trees
from hazboost.engines.ubjson import decode

N, WIDTH, OUTPUTS = 120, 3, 2
SETTINGS = {"learning_rate": 0.3, "max_depth": 3, "max_bin": 16, "nthread": 1, "device": "cpu"}
WITH_CATEGORIES = Features(WIDTH, ("a", "b", "c"), frozenset({2}))
KINDS = {
    "hist": {"tree_method": "hist"},
    "pruned": {"tree_method": "exact", "gamma": 3.0},
    "approx": {"tree_method": "approx"},
    "vector leaves": {"tree_method": "hist", "multi_strategy": "multi_output_tree"},
    "stumps": {"tree_method": "hist", "min_child_weight": 1e9},
}
#: XGBoost 3.1 stores vectors in another way; this library grows them with newer versions only.
if xgb.__version__.startswith("3.1."):
    del KINDS["vector leaves"]


def simulate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, WIDTH))
    X[:, 2] = rng.integers(0, 5, N)
    X[::9, 0] = np.nan
    return X, np.column_stack([X[:, 2] * (X[:, 1] > 0), rng.normal(size=N)])


def grow(features, rounds=4, n_scores=OUTPUTS, **settings):
    """An engine, its trees, and data to predict for."""
    X, goal = simulate()
    engine = LocalEngine({**SETTINGS, **settings}, n_scores, features)
    start = np.zeros((N, n_scores))
    matrix = engine.matrix(X, start, {"weight": np.ones(N)})
    trees = engine.no_trees(matrix)
    for _ in range(rounds):
        trees = engine.grow(trees, matrix, engine.scores(trees, matrix) - goal[:, :n_scores], np.ones((N, n_scores)))
    return engine, engine.truncate(trees, rounds), engine.matrix(X, start)


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("rounds", [0, 4])
@pytest.mark.parametrize("n_scores", [1, OUTPUTS])
def test_trees_are_the_same_after_storage(settings, rounds, n_scores):
    engine, trees, matrix = grow(Features(WIDTH), rounds, n_scores, **settings)
    stored = store_trees(engine, trees)
    restored = restore_trees(engine, stored)
    assert engine.rounds(restored) == rounds
    assert np.array_equal(engine.scores(restored, matrix), engine.scores(trees, matrix))
    assert store_trees(engine, restored) == stored


def test_splits_of_categories_are_stored():
    engine, trees, matrix = grow(WITH_CATEGORIES, tree_method="hist")
    (stored,) = store_trees(engine, trees)
    assert any(len(tree["categories"]) for tree in decode(stored)["learner"]["gradient_booster"]["model"]["trees"])
    restored = restore_trees(engine, (stored,))
    assert np.array_equal(engine.scores(restored, matrix), engine.scores(trees, matrix))
    assert (restored.feature_names, restored.feature_types) == (trees.feature_names, trees.feature_types)


def test_pruned_trees_have_deleted_nodes():
    """The check knows nodes that XGBoost has deleted, and this kind of trees has some."""
    _, trees, _ = grow(Features(WIDTH), **KINDS["pruned"])
    counts = [tree["tree_param"]["num_deleted"] for tree in parts(trees)["trees"]]
    assert any(count != "0" for count in counts)


def test_parts_of_a_divided_engine_are_stored_one_by_one():
    engine, trees, _ = grow(Features(WIDTH), tree_method="hist")
    scores, features = np.arange(OUTPUTS), np.arange(WIDTH)
    divided = DividedEngine((Part(engine, scores, features), Part(engine, scores + OUTPUTS, features)))
    stored = store_trees(divided, (trees, trees))
    assert len(stored) == 2
    assert len(restore_trees(divided, stored)) == 2
    with pytest.raises(ValueError, match="not as many ensembles as parts"):
        restore_trees(divided, stored[:1])


def parts(trees):
    return decode(bytes(trees.save_raw("ubj")))["learner"]["gradient_booster"]["model"]


# Decoding


def plain(value):
    """Arrays as lists, to compare with JSON."""
    if isinstance(value, np.ndarray):
        return [float(f"{one:.8g}") if value.dtype.kind == "f" else int(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{np.float32(value):.8g}") if isinstance(value, float) else value


@pytest.mark.parametrize("settings", KINDS.values(), ids=KINDS)
def test_what_is_decoded_is_what_json_says(settings):
    _, trees, _ = grow(Features(WIDTH), **settings)
    assert plain(decode(bytes(trees.save_raw("ubj")))) == rounded(json.loads(trees.save_raw("json")))


LENGTH = (2).to_bytes(8, "big")
BAD = {
    "nothing": b"",
    "cut": b"{L" + LENGTH,
    "after the end": b"ZZ",
    "unknown": b"?",
    "no text": b"SL" + LENGTH + b"\xff\xff",
    "nested": b"[#L" + (1).to_bytes(8, "big") * 1 + b"[#L\0\0\0\0\0\0\0\1" * 40,
    "a list without length": b"[Z]",
    "a long list": b"[#L" + (2**62).to_bytes(8, "big"),
    "a long array": b"[$d#L" + (2**62).to_bytes(8, "big"),
    "an array without type": b"[$Z#L" + LENGTH,
    "twice": b"{L" + LENGTH + b"aaZL" + LENGTH + b"aaZ}",
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_bad_bytes_are_refused(data):
    with pytest.raises(ValueError, match=r"\w"):
        decode(data)


# Checks: every change of a number that XGBoost believes is noticed.


def ensemble():
    """A decoded ensemble whose arrays can be changed."""
    _, trees, _ = grow(WITH_CATEGORIES, tree_method="hist")

    def copy(value):
        if isinstance(value, dict):
            return {key: copy(one) for key, one in value.items()}
        if isinstance(value, list):
            return [copy(one) for one in value]
        return value.copy() if isinstance(value, np.ndarray) else value

    return copy(decode(bytes(trees.save_raw("ubj"))))


def tree_of(stored):
    """The first tree with a split of categories."""
    return next(t for t in stored["learner"]["gradient_booster"]["model"]["trees"] if len(t["categories"]))


def put(name, place, value):
    """Change one number of a tree."""
    return lambda stored: tree_of(stored)[name].__setitem__(place, value)


def write(*keys_and_value):
    """Change a value of the ensemble, by its keys."""
    *keys, last, value = keys_and_value

    def change(stored):
        for key in keys:
            stored = stored[key]
        stored[last] = value

    return change


MODEL = ("learner", "gradient_booster", "model")
CHANGES = {
    "a child behind the end": put("left_children", 0, 99),
    "a child before the beginning": put("right_children", 0, -2),
    "a circle": put("left_children", 1, 0),
    "a node of two parents": put("left_children", 0, 2),
    "another parent": put("parents", 1, 2),
    "a parent that is not there": put("parents", 1, 77),
    "a root with a parent": put("parents", 0, 1),
    "a feature that is not there": put("split_indices", 0, WIDTH),
    "a negative feature": put("split_indices", 0, -1),
    "an unknown kind of split": put("split_type", 0, 2),
    "an unknown way of missing values": put("default_left", 0, 2),
    "a negative category": put("categories", 0, -1),
    "a huge category": put("categories", 0, 2**30),
    "categories of a leaf": put("categories_nodes", 0, 6),
    "categories elsewhere": put("categories_segments", 0, 5),
    "fewer categories": put("categories_sizes", 0, 0),
    "another number of nodes": lambda stored: tree_of(stored)["tree_param"].update(num_nodes="8"),
    "nodes that were deleted": lambda stored: tree_of(stored)["tree_param"].update(num_deleted="1"),
    "vectors in leaves": lambda stored: tree_of(stored)["tree_param"].update(size_leaf_vector="2"),
    "no sizes": lambda stored: tree_of(stored).pop("tree_param"),
    "numbers for positions": lambda stored: tree_of(stored).update(parents=np.zeros(7)),
    "positions for numbers": lambda stored: tree_of(stored).update(split_conditions=np.zeros(7, dtype=int)),
    "fewer numbers": lambda stored: tree_of(stored).update(sum_hessian=np.zeros(3, dtype=np.float32)),
    "another booster": write("learner", "gradient_booster", "name", "dart"),
    "another objective": write("learner", "objective", "name", "survival:aft"),
    "more features": write("learner", "learner_model_param", "num_feature", "4"),
    "more outputs": write("learner", "learner_model_param", "num_target", "3"),
    "classes": write("learner", "learner_model_param", "num_class", "2"),
    "another start": write("learner", "learner_model_param", "base_score", "[1E0,0E0]"),
    "no start": write("learner", "learner_model_param", "base_score", "[]"),
    "too few names": write("learner", "feature_names", ["a"]),
    "other names": write("learner", "feature_names", ["a", "b", "d"]),
    "a name that is none": write("learner", "feature_names", ["a", "b", 1]),
    "other types": write("learner", "feature_types", ["q", "c", "q"]),
    "unknown types": write("learner", "feature_types", ["q", "q", "str"]),
    "fewer trees": write(*MODEL, "gbtree_model_param", "num_trees", "1"),
    "a forest": write(*MODEL, "gbtree_model_param", "num_parallel_tree", "2"),
    "another order": write(*MODEL, "tree_info", [1, 0] * 4),
    "other rounds": write(*MODEL, "iteration_indptr", [0, 1, 2, 3, 8]),
    "names of categories": write(*MODEL, "cats", "enc", [1]),
    "an old version": write("version", [1, 0, 0]),
    "no version": write("version", []),
    "no trees": write(*MODEL, "trees", 5),
}


def test_an_ensemble_as_it_is_passes():
    check_ensemble(ensemble(), WITH_CATEGORIES, OUTPUTS)


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_ensemble_is_refused(change):
    stored = ensemble()
    change(stored)
    with pytest.raises(ValueError, match=r"\w"):
        check_ensemble(stored, WITH_CATEGORIES, OUTPUTS)


def test_restored_trees_predict_with_one_thread():
    engine, trees, _ = grow(Features(WIDTH), tree_method="hist")
    restored = restore_trees(engine, store_trees(engine, trees))
    assert json.loads(restored.save_config())["learner"]["generic_param"]["nthread"] == "1"
    assert isinstance(restored, xgb.Booster)
