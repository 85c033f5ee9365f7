"""Features in batches stand in the place of an array of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix, issparse
from sklearn.base import BaseEstimator

from hazboost import Batches, Surv
from hazboost.data.batches import read_batches

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(20, 3)), 1) * (RNG.random((20, 3)) < 0.7)
Y = Surv.right(np.ones(20, dtype=bool), np.arange(1.0, 21.0))


def lazy(X=X, size=6):
    source = [(X[first : first + size], Y[first : first + size]) for first in range(0, 20, size)]
    return read_batches(Batches(source), BaseEstimator())[1].X


@pytest.mark.parametrize("size", [1, 6, 20])
@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_loading_gives_the_array(container, size):
    features = lazy(container(X), size)
    assert features.shape == (20, 3)
    loaded = features.load()
    assert issparse(loaded) == (container is csr_matrix)
    np.testing.assert_array_equal(loaded.toarray() if issparse(loaded) else loaded, X)
    np.testing.assert_array_equal(features.highest, X.max(axis=0))


@pytest.mark.parametrize("rows", [[0, 3, 19], [7, 8], [0], np.arange(20) % 3 == 1, np.zeros(20, dtype=bool)])
def test_rows_are_those_of_the_array(rows):
    rows = np.array(rows)
    chosen = lazy()[rows]
    assert chosen.shape == X[rows].shape
    np.testing.assert_array_equal(chosen.load(), X[rows])


def test_rows_of_rows_and_columns_of_columns():
    chosen = lazy()[X[:, 0] > 0.0][np.array([0, 2])][:, np.array([2, 0])][:, np.array([1])]
    np.testing.assert_array_equal(chosen.load(), X[X[:, 0] > 0.0][[0, 2]][:, [0]])
    np.testing.assert_array_equal(chosen.highest, X[:, [0]].max(axis=0))


def test_rows_in_another_order_are_refused():
    with pytest.raises(ValueError, match="in their own order"):
        lazy()[np.array([3, 1])]
    with pytest.raises(TypeError, match="at the same time"):
        lazy()[np.array([1, 3]), np.array([0])]


def passes(*sizes_of_each):
    """A source whose passes have batches of different sizes."""
    remaining = iter(sizes_of_each)

    def read():
        first = 0
        for size in next(remaining):
            yield X[first : first + size], Y[first : first + size]
            first += size

    return Batches(read)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ((10, 7), "batches: batch 1: X had 8 rows when it was read first, and has 7 now"),
        ((10, 8, 2), "batches: batch 2: X had 0 rows when it was read first, and has 2 now"),
        ((10,), "there were 18 rows when they were read first, and 10 now. Every pass must give the same batches"),
        ((), "there were 18 rows when they were read first, and 0 now.*pass a function that begins to read anew"),
    ],
)
def test_a_pass_that_differs_from_the_first_is_refused(second, message):
    features = read_batches(passes((10, 8), second), BaseEstimator())[1].X
    with pytest.raises(ValueError, match=message):
        features.load()
