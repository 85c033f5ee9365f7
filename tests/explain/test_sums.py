"""Contributions that are made to add up."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hazboost.explain.sums import add_up

NUMBERS = st.floats(-100.0, 100.0, allow_subnormal=False).map(lambda x: 0.0 if abs(x) < 1e-9 else x)


@given(arrays(float, (3, 4), elements=NUMBERS), arrays(float, 3, elements=NUMBERS))
def test_sums_are_the_totals_and_nothing_comes_of_nothing(values, total):
    found = add_up(values, total, np.ones((3, 4)))
    np.testing.assert_allclose(found.sum(axis=-1), total, atol=1e-9)
    some = values.any(axis=-1)
    assert not found[some][values[some] == 0.0].any()


@given(arrays(float, (3, 4), elements=NUMBERS))
def test_what_adds_up_stays_as_it_is(values):
    np.testing.assert_allclose(add_up(values, values.sum(axis=-1), np.ones((3, 4))), values, atol=1e-12)


def test_where_all_are_zero_the_size_decides():
    found = add_up(np.zeros((1, 3)), np.array([2.0]), np.array([[3.0, 0.0, -1.0]]))
    np.testing.assert_allclose(found, [[1.5, 0.0, 0.5]])
    assert not add_up(np.zeros((1, 3)), np.array([2.0]), np.zeros((1, 3))).any()
