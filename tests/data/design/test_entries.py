"""Weighted moments of columns, from dense and from sparse features."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from hazboost.data.design import entries
from hazboost.data.design.entries import LARGEST, entries_of, statistics_of_columns


def simulate(seed, n=30, width=7):
    """Zeros and missing values; a column without zeros, one of zeros only, and one without any observed value."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, width)) < 0.4, rng.normal(size=(n, width)) * 3.0, 0.0)
    X[rng.random((n, width)) < 0.1] = np.nan
    X[:, 0] = rng.lognormal(size=n)
    X[:, 1], X[:, 2] = 0.0, np.nan
    return X, rng.uniform(0.5, 2.0, n)


def both(X, weight):
    return entries_of(X, weight), entries_of(scipy.sparse.csc_matrix(X), weight)


@given(seed=st.integers(0, 1000))
def test_means_are_those_of_the_observed_values(seed):
    X, weight = simulate(seed)
    seen = ~np.isnan(X)
    with_any = seen.any(axis=0)
    for one in both(X, weight):
        values = one.values - one.of_columns(np.arange(7.0))
        mean = one.mean(values**2, np.arange(7.0) ** 2)
        for column in np.flatnonzero(with_any):
            rows = seen[:, column]
            expected = np.average((X[rows, column] - column) ** 2, weights=weight[rows])
            assert mean[column] == pytest.approx(expected, rel=1e-12)
        np.testing.assert_array_equal(mean[~with_any], 0.0)


@given(seed=st.integers(0, 1000))
def test_extremes_are_those_of_values_with_a_weight(seed):
    X, weight = simulate(seed)
    weight[:3] = 0.0
    with_any = (~np.isnan(X[3:])).any(axis=0)
    for one in both(X, weight):
        low, high = one.extremes()
        np.testing.assert_array_equal(low[with_any], np.nanmin(X[3:, with_any], axis=0))
        np.testing.assert_array_equal(high[with_any], np.nanmax(X[3:, with_any], axis=0))
        assert (low[~with_any] > high[~with_any]).all()


def test_a_full_sparse_column_has_no_zeros():
    X = np.array([[0.1], [0.2], [0.7]])
    _, stored = both(X, np.array([0.1, 0.2, 0.3]))
    np.testing.assert_array_equal(stored.rest, 0.0)
    assert stored.extremes()[0][0] == 0.1


def test_values_are_clipped_so_that_squares_are_finite():
    for one in both(np.array([[1e300], [-1e300]]), np.ones(2)):
        np.testing.assert_array_equal(np.ravel(one.values), [LARGEST, -LARGEST])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("columns", [[], [4], [0, 1, 3, 5, 6], range(7)])
def test_blocks_change_nothing(sparse, columns, monkeypatch):
    X, weight = simulate(3)
    X, columns = scipy.sparse.csc_matrix(X) if sparse else X, np.array(columns, dtype=np.intp)
    sizes = []

    def statistics(one):
        sizes.append(len(one.extremes()[0]))
        return one.mean(one.values, 0.0), *one.extremes()

    at_once = statistics_of_columns(X, columns, weight, statistics)
    assert sizes == [len(columns)]
    monkeypatch.setattr(entries, "BLOCK", 31)
    in_blocks = statistics_of_columns(X, columns, weight, statistics)
    assert max(sizes[1:]) <= 2 + 2 * sparse
    for one, other in zip(at_once, in_blocks, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
