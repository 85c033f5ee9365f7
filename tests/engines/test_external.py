"""Training data on disk: the same trees as from data in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import xgboost as xgb
from scipy.sparse import csr_matrix, issparse

from hazboost.engines import Features, LocalEngine, external, monotone_engine
from hazboost.engines.external import BatchedFeatures, pages

SETTINGS = {"tree_method": "hist", "max_bin": 16, "max_depth": 3, "learning_rate": 0.5, "seed": 1, "nthread": 1}
RNG = np.random.default_rng(0)
N = 300
X = np.round(RNG.normal(size=(N, 4)), 1)
X[RNG.random((N, 4)) < 0.1] = np.nan
X[:, 3] = RNG.integers(0, 5, N)
START = RNG.normal(size=(N, 3))
GOAL = np.column_stack([np.nan_to_num(X[:, 0]), X[:, 3] == 2, X[:, 3] * np.nan_to_num(X[:, 1])])
COLUMNS = {
    "lower": RNG.random(N),
    "upper": RNG.random(N) + 1.0,
    "weight": RNG.random(N) + 0.5,
    "entry": RNG.random(N),
    "portion": RNG.random(N),
}
FEATURES = Features(4, ("a", "b", "c", "d"), frozenset({3}))


class Parts:
    """Rows of an array in pieces."""

    def __init__(self, X, size, cache):
        self.X, self.size, self.cache, self.shape = X, size, cache, X.shape

    def parts(self):
        for first in range(0, self.shape[0], self.size):
            yield self.X[first : first + self.size]

    def __getitem__(self, key):
        return Parts(self.X[key], self.size, self.cache)


def grow(engine, X, like=None, rounds=4):
    """Squared error towards a known goal. Data in batches are given data in memory, whose bins they use."""
    matrix = engine.matrix(X, START, COLUMNS, like)
    trees = engine.no_trees(matrix)
    for _ in range(rounds):
        trees = engine.grow(trees, matrix, engine.scores(trees, matrix) - START - GOAL, np.ones((N, 3)))
    return matrix, trees


@pytest.fixture(params=[240, 10**6], ids=["small pages", "one page"])
def page_size(request, monkeypatch):
    monkeypatch.setattr(external, "VALUES_OF_PAGE", request.param)
    return request.param // 4


@pytest.mark.parametrize("size", [7, 150, N])
@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_pages_have_all_rows_in_their_order(tmp_path, container, size, page_size):
    data = container(np.nan_to_num(X))
    found = list(pages(Parts(data, size, tmp_path)))
    assert {page.shape[0] for page in found[:-1]} <= {page_size}
    joined = np.concatenate([page.toarray() if issparse(page) else page for page in found])
    np.testing.assert_array_equal(joined, np.nan_to_num(X).astype(np.float32))


@pytest.mark.parametrize("size", [7, 150, N])
@pytest.mark.parametrize("share", [1.0, 0.5], ids=["all", "sampled"])
@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_trees_and_columns_are_those_of_data_in_memory(tmp_path, container, share, size, page_size):
    data = container(X)
    engine = LocalEngine({**SETTINGS, "subsample": share, "colsample_bytree": share}, 3, FEATURES)
    batched = Parts(data, size, tmp_path)
    assert isinstance(batched, BatchedFeatures)
    assert not isinstance(data, BatchedFeatures)
    reference, expected = grow(engine, data)
    matrix, trees = grow(engine, batched, reference)
    np.testing.assert_array_equal(engine.scores(trees, matrix), engine.scores(expected, reference))
    for name, values in engine.columns(reference).items():
        np.testing.assert_array_equal(engine.columns(matrix)[name], values)
    later = engine.matrix(data, START)
    np.testing.assert_array_equal(engine.scores(trees, later), engine.scores(expected, later))


def test_constrained_scores_are_grown_on_their_own_features(tmp_path):
    features = Features(4, directions=(1, 0, 0, 0))
    engine = monotone_engine(lambda some, n: LocalEngine(SETTINGS, n, some), features, np.array([True, False, False]))
    reference, expected = grow(engine, X)
    matrix, trees = grow(engine, Parts(X, 40, tmp_path), reference)
    np.testing.assert_array_equal(engine.scores(trees, matrix), engine.scores(expected, reference))


def test_bins_are_on_disk_as_long_as_they_are_needed(tmp_path):
    engine = LocalEngine(SETTINGS, 3, FEATURES)
    matrix, trees = grow(engine, Parts(X, 50, tmp_path))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) >= X.size
    trees = engine.truncate(trees, 4)
    del matrix
    assert not list(tmp_path.iterdir())
    assert engine.rounds(trees) == 4


def test_scores_of_a_round_are_known_without_reading_the_bins(tmp_path, monkeypatch):
    """Else a round would read all bins once more, and take the longer the more trees there are."""
    monkeypatch.setattr(external, "VALUES_OF_PAGE", 240)
    cache, elsewhere = tmp_path / "cache", tmp_path / "elsewhere"
    cache.mkdir()
    engine = LocalEngine(SETTINGS, 3, FEATURES)
    reference, expected = grow(engine, X)
    matrix, trees = grow(engine, Parts(X, 50, cache), reference)
    cache.rename(elsewhere)
    np.testing.assert_array_equal(engine.scores(trees, matrix), engine.scores(expected, reference))
    with pytest.raises(xgb.core.XGBoostError):  # those of other rounds are not
        engine.scores(trees, matrix, (0, 2))
    elsewhere.rename(cache)  # XGBoost removes the files at the end


class Broken(Parts):
    def parts(self):
        yield self.X[:100]
        raise ValueError("row 100 is torn")


def test_an_error_while_reading_comes_through(tmp_path):
    with pytest.raises(ValueError, match="row 100 is torn"):
        LocalEngine(SETTINGS, 3, FEATURES).matrix(Broken(X, 100, Path(tmp_path)), START, COLUMNS)
