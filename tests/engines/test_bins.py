"""Bins: exact quantiles, however the weight of a value is divided between rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from hazboost.engines import Features, LocalEngine
from hazboost.engines.bins import bin_values, rows_with_bins

RNG = np.random.default_rng(0)


def cuts(X, weight=None, most=16, features=None, n_threads=1):
    """The thresholds of each feature that trees can have."""
    engine = LocalEngine({"tree_method": "hist", "max_bin": most, "nthread": n_threads}, 2, features)
    columns = {"lower": np.ones(X.shape[0])} | ({} if weight is None else {"weight": weight})
    first, ends = engine.matrix(X, np.zeros((X.shape[0], 2)), columns).get_quantile_cut()
    # Below the first threshold there is a number that depends on the version of XGBoost.
    return [part[1:] for part in np.split(ends, first[1:-1].astype(int))]


def normal(n, missing=0.0):
    X = RNG.normal(size=(n, 2)).astype(np.float32)
    X[RNG.random(X.shape) < missing] = np.nan
    return X


@pytest.mark.parametrize("n", [17, 100, 10_000])
@pytest.mark.parametrize("most", [2, 16])
def test_bins_hold_equal_shares(n, most):
    X = normal(n)
    for column, thresholds in zip(X.T, cuts(X, most=most), strict=True):
        shares = np.diff(np.searchsorted(np.sort(column), thresholds), prepend=0)
        assert len(shares) == most
        assert shares.sum() == n
        assert set(shares) <= {n // most, n // most + 1}


def test_values_that_are_no_more_than_bins_have_a_bin_each():
    X = np.repeat(normal(16), 50, axis=0)
    for column, thresholds in zip(X.T, cuts(X), strict=True):
        np.testing.assert_array_equal(thresholds[:-1], np.unique(column)[1:])


def split(X):
    share = RNG.random(len(X))
    return np.concatenate([X, X]), np.concatenate([share, 1.0 - share])


SAME = {
    "another order": lambda X: (X[RNG.permutation(len(X))], None),
    "a weight of one": lambda X: (X, np.ones(len(X))),
    "other weights of all": lambda X: (X, np.full(len(X), 1e-7)),
    "every row twice": lambda X: (np.concatenate([X, X]), None),
    "every row in two parts": split,
}


@pytest.mark.parametrize("n", [50, 400, 5000])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_only_the_weight_of_each_value_matters(change, missing, n):
    """XGBoost's own sketches differ for 400 rows, and those of its version 3.4 for 50."""
    X = normal(n, missing)
    np.testing.assert_array_equal(np.concatenate(cuts(*change(X))), np.concatenate(cuts(X)))


def test_a_weight_is_a_number_of_rows():
    X, weight = normal(300), RNG.integers(1, 5, 300)
    copies = np.repeat(X, weight, axis=0)
    np.testing.assert_array_equal(np.concatenate(cuts(X, weight.astype(float))), np.concatenate(cuts(copies)))


def test_a_sparse_matrix_has_the_bins_of_the_values_that_it_holds():
    X, weight = normal(400, missing=0.5), RNG.random(400)
    stored = csr_matrix(np.nan_to_num(X))
    for most in (16, 500):
        np.testing.assert_array_equal(np.concatenate(cuts(stored, weight, most)), np.concatenate(cuts(X, weight, most)))


def test_threads_do_not_matter(monkeypatch):
    monkeypatch.setattr("hazboost.engines.local.ROWS_FOR_A_THREAD", 10)
    X = normal(400)
    np.testing.assert_array_equal(np.concatenate(cuts(X, n_threads=2)), np.concatenate(cuts(X)))


def test_categories_have_a_bin_each_beside_numbers():
    X = np.column_stack([normal(300)[:, 0], RNG.permutation(np.arange(300) % 40)])
    _, categories = cuts(X, features=Features(2, categorical=frozenset({1})))
    assert len(categories) >= 39


def test_an_empty_column_is_no_obstacle():
    X = normal(100)
    X[:, 1] = np.nan
    assert len(cuts(X)[0]) == 16


def test_no_rows_are_needed_where_there_are_as_many_bins():
    assert rows_with_bins(normal(16), None, 16) is None
    assert rows_with_bins(normal(17), None, 16) is not None


@given(
    arrays(np.float32, st.integers(1, 60), elements=st.integers(-9, 9)),
    st.integers(2, 12),
    st.randoms(use_true_random=False),
)
def test_lower_ends_by_their_definition(values, most, random):
    """The k-th bin begins at the first value with at least k of ``most`` parts of all weight below it."""
    weight = np.array([random.randint(1, 8) for _ in values], dtype=float)
    distinct = np.unique(values)
    found = bin_values(values, weight, most)
    if len(distinct) <= most:
        np.testing.assert_array_equal(found, distinct)
        return
    below = np.array([weight[values < value].sum() for value in distinct])
    ends = [distinct[most * below >= k * weight.sum()][:1] for k in range(1, most)]
    np.testing.assert_array_equal(found, np.unique(np.concatenate([distinct[:1], *ends, distinct[-1:]])))


@pytest.mark.parametrize("largest", [3.0, 1000.0])
def test_missing_values_part_from_all_others(largest):
    """The largest value is above the lower end of its bin, and must not be taken for a missing one."""
    X = normal(400)[:, :1]
    X[0], X[1::2] = largest, np.nan
    engine = LocalEngine({"tree_method": "hist", "max_bin": 16, "max_depth": 1, "reg_lambda": 0.0, "nthread": 1}, 2)
    matrix = engine.matrix(X, np.zeros((400, 2)), {"lower": np.ones(400)})
    goal = np.isnan(X) * np.ones(2)
    trees = engine.grow(engine.no_trees(matrix), matrix, -goal, np.ones((400, 2)))
    for rows in (matrix, engine.matrix(X, np.zeros((400, 2)))):
        np.testing.assert_allclose(engine.scores(trees, rows), 0.3 * goal, atol=1e-6)
