"""Trees as plain arrays say what XGBoost predicts."""

from __future__ import annotations

import numpy as np
import pytest
import xgboost as xgb

from hazboost.engines import Features, LocalEngine
from hazboost.engines.divided import DividedEngine, Part
from hazboost.engines.nodes import read_nodes


def walk(tree, row):
    """The leaf of a row, by the rules that `Tree` states."""
    node = 0
    while tree.left[node] != -1:
        value = row[tree.feature[node]]
        if np.isnan(value):
            left = tree.missing_left[node]
        elif node in tree.categories:
            left = value not in tree.categories[node]
        else:
            left = value < tree.threshold[node]
        node = (tree.left if left else tree.right)[node]
    return tree.values[node]


def sums(engine, trees, X, n_scores):
    total = np.zeros((len(X), n_scores))
    for tree in read_nodes(engine, trees):
        for i, row in enumerate(X.astype(np.float32)):
            total[i, tree.scores] += walk(tree, row)
    return total


def grow(X, y, types, **settings):
    data = xgb.DMatrix(X, y, feature_types=types, enable_categorical=True)
    outputs = {"num_target": y.shape[1], "base_score": [0.0] * y.shape[1]}
    booster = xgb.Booster({"max_depth": 4, "tree_method": "hist", **outputs, **settings}, cache=[data])
    for i in range(5):
        gradient = booster.predict(data, output_margin=True).reshape(y.shape) - y
        booster.boost(data, iteration=i, grad=gradient, hess=np.ones_like(gradient))
    return booster, booster.predict(data, output_margin=True).reshape(y.shape)


@pytest.mark.parametrize("vectors", [False, True])
def test_sums_of_leaves_are_the_predictions(vectors):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    types = ["q", "q", "q" if vectors else "c"]
    X[:, 2] = rng.integers(0, 7, 200)
    X[rng.random(X.shape) < 0.1] = np.nan
    known = np.nan_to_num(X)
    y = np.column_stack([known[:, 0] + (known[:, 2] % 3 == 1), known[:, 1] * known[:, 0]])
    booster, predicted = grow(X, y, types, **({"multi_strategy": "multi_output_tree"} if vectors else {}))
    engine = LocalEngine({}, 2, Features(3))
    trees = list(read_nodes(engine, booster))
    assert len(trees) == (5 if vectors else 10)
    assert any(tree.categories for tree in trees) != vectors
    assert np.allclose(sums(engine, booster, X, 2), predicted, atol=1e-5)


def test_parts_of_an_engine_name_the_scores_and_features_of_the_model():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    first, of_first = grow(X, np.column_stack([X[:, 2], np.zeros(150)]), None)
    second, of_second = grow(X[:, [0, 2]], np.column_stack([X[:, 0], X[:, 2]]), None)
    parts = (
        Part(LocalEngine({}, 1, Features(3)), np.array([2]), np.arange(3)),
        Part(LocalEngine({}, 2, Features(2)), np.array([0, 3]), np.array([0, 2])),
    )
    total = sums(DividedEngine(parts), (first, second), X, 4)
    assert np.allclose(total[:, 2], of_first[:, 0], atol=1e-5)
    assert np.allclose(total[:, [0, 3]], of_second, atol=1e-5)
    assert not total[:, 1].any()
