"""Products with columns that are not written out equal those with the columns written out."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from hazboost.data.design.products import DenseColumns, IndicatorColumns, JoinedColumns, SparseColumns


def dense(rng, n):
    values = rng.normal(size=(n, 4))
    return DenseColumns(values), values


def sparse(rng, n):
    stored = scipy.sparse.random(n, 6, 0.3, format="csr", random_state=int(rng.integers(1000)))
    constant = rng.normal(size=6)
    return SparseColumns(stored, constant), stored.toarray() + constant


def indicators(rng, n):
    """Features of 3 and 5 levels, of which a quarter is missing, entry by entry."""
    counts, number = np.array([3, 5]), np.repeat([0, 1], [3, 5])
    low, high = -rng.uniform(size=8), 1.0 + rng.uniform(size=8)
    code = np.floor(rng.random((n, 2)) * counts)
    missing = rng.random((n, 2)) < 0.25
    level = np.zeros((n, 8))
    written = np.zeros((n, 8))
    for row in range(n):
        for feature, first in enumerate([0, 3]):
            if not missing[row, feature]:
                here = slice(first, first + counts[feature])
                written[row, here] = low[here]
                column = first + int(code[row, feature])
                written[row, column], level[row, column] = high[column], 1.0
    return IndicatorColumns(scipy.sparse.csr_matrix(level), number, low, high), written


def joined(rng, n):
    (left, left_written), (right, right_written) = dense(rng, n), indicators(rng, n)
    return JoinedColumns(left, right), np.column_stack([left_written, right_written])


@pytest.mark.parametrize("make", [dense, sparse, indicators, joined])
@given(seed=st.integers(0, 10_000), n=st.integers(1, 12), k=st.integers(1, 3))
def test_products_are_those_of_the_columns_written_out(make, seed, n, k):
    rng = np.random.default_rng(seed)
    columns, written = make(rng, n)
    coefficient, values = rng.normal(size=(written.shape[1], k)), rng.normal(size=(n, k))
    assert columns.shape == written.shape
    np.testing.assert_allclose(columns @ coefficient, written @ coefficient, atol=1e-12)
    np.testing.assert_allclose(columns.transposed_product(values), written.T @ values, atol=1e-12)
