"""Sums over the first rows with a lower risk, compared with loops over all rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hazboost.metrics.pairs import TIED, credit_among_first, tied_range

LEVELS = st.sampled_from([-np.inf, 0.0, 1.0, 1.0 + 5e-9, 1.0 + 3e-8, 2.0, np.inf])


@pytest.mark.parametrize("weighted", [False, True])
@given(
    risk=st.lists(LEVELS, max_size=40),
    queries=st.lists(st.tuples(LEVELS, st.floats(0.0, 1.0)), min_size=1, max_size=10),
    seed=st.integers(0, 100),
)
def test_agrees_with_a_sum_over_all_rows(weighted, risk, queries, seed):
    risk, query = np.array(risk, dtype=float), np.array([risk for risk, _ in queries])
    ends = np.array([round(share * len(risk)) for _, share in queries])
    weight = np.random.default_rng(seed).random(len(risk)) if weighted else None
    credit, possible = credit_among_first(risk, ends, query, weight)
    for k, (value, end) in enumerate(zip(query, ends, strict=True)):
        first, counts = risk[:end], np.ones(end) if weight is None else weight[:end]
        won = np.where(first < value - TIED, 1.0, np.where(first <= value + TIED, 0.5, 0.0))
        assert credit[k] == pytest.approx(won @ counts, abs=1e-12)
        assert possible[k] == pytest.approx(counts.sum(), abs=1e-12)


def test_rows_of_any_number():
    """All nodes of the wavelet tree are full except the last, whose size depends on the number of rows."""
    rng = np.random.default_rng(0)
    for n in range(70):
        risk, ends = rng.permutation(n).astype(float), rng.integers(0, n + 1, 20)
        query = rng.integers(-1, n + 1, 20) + 0.5
        expected = [(risk[:end] < value).sum() for end, value in zip(ends, query, strict=True)]
        np.testing.assert_array_equal(credit_among_first(risk, ends, query)[0], expected)


def test_ties_are_found_in_any_order():
    levels, query = np.array([0.0, 1.0, 1.0, 2.0]), np.array([2.0, 1.0, -1.0, 1.5])
    lowest, highest = tied_range(levels, query)
    np.testing.assert_array_equal(lowest, [3, 1, 0, 3])
    np.testing.assert_array_equal(highest, [4, 3, 0, 3])
