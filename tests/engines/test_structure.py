"""Trees read node by node predict what XGBoost predicts."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.engines import ExactEngine, Features, LocalEngine, monotone_engine
from hazboost.engines.cuda import HAS_VECTOR_LEAVES
from hazboost.engines.structure import NO_CHILD, highest_values, read_trees

SETTINGS = {"learning_rate": 0.3, "max_depth": 3, "max_bin": 64, "reg_lambda": 0.0, "tree_method": "hist", "nthread": 1}


def walk(tree, row):
    """The value of the leaf of a row."""
    node = 0
    while tree.left[node] != NO_CHILD:
        value = np.float32(row[tree.feature[node]])
        if np.isnan(value):
            left = tree.missing_left[node]
        elif node in tree.categories:
            left = int(value) not in tree.categories[node]
        else:
            left = value < tree.threshold[node]
        node = (tree.left if left else tree.right)[node]
    return tree.threshold[node]


def engines():
    features = Features(3, categorical=frozenset({1}))
    yield "local", LocalEngine(SETTINGS, 3, features)
    yield "idle outputs", LocalEngine(SETTINGS, 1, features)
    yield "exact", ExactEngine({**SETTINGS, "tree_method": "exact"}, 3, Features(3))
    rising = Features(3, categorical=frozenset({1}), directions=(1, 0, 0))
    scales = np.array([False, True, False])
    yield "divided", monotone_engine(lambda some, n: LocalEngine(SETTINGS, n, some), rising, scales)
    if HAS_VECTOR_LEAVES:
        yield "vectors", LocalEngine({**SETTINGS, "multi_strategy": "multi_output_tree"}, 3, features)


@pytest.mark.parametrize(("name", "engine"), list(engines()))
def test_leaves_of_all_trees_add_up_to_the_scores(name, engine):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=80), rng.integers(0, 5, 80), rng.normal(size=80)])
    X[rng.random(X.shape) < 0.1] = np.nan
    n_scores = 1 if name == "idle outputs" else 3
    start, columns = np.zeros((80, n_scores)), {"weight": np.ones(80)}
    matrix = engine.matrix(X, start, columns)
    trees = engine.no_trees(matrix)
    for _ in range(3):
        trees = engine.grow(trees, matrix, rng.normal(size=(80, n_scores)), np.ones((80, n_scores)))
    added = np.zeros((80, n_scores))
    for tree in read_trees(engine, trees):
        added[:, tree.score] += [walk(tree, row) for row in X]
    assert added == pytest.approx(engine.scores(trees, engine.matrix(X, start)), abs=1e-6)
    assert added.std() > 0.1


def test_largest_values_of_all_features():
    limited = Features(3, directions=(1, 0, 0), highest=(2.0, np.inf, 5.0))
    divided = monotone_engine(lambda some, n: LocalEngine(SETTINGS, n, some), limited, np.array([False, True, False]))
    assert highest_values(LocalEngine(SETTINGS, 3, limited), 3).tolist() == [2.0, np.inf, 5.0]
    assert highest_values(divided, 3).tolist() == [2.0, np.inf, 5.0]
    assert highest_values(LocalEngine(SETTINGS, 3, Features(3)), 3).tolist() == [np.inf] * 3
