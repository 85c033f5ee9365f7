"""XGBoost's words for names, kinds and constraints of features."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from hazboost.engines import Features
from hazboost.engines.dialect import constraints, feature_names, feature_types, within_range


@pytest.mark.parametrize("name", ["a[0]", "t<5", "x]"])
def test_names_that_xgboost_refuses_are_left_out(name):
    assert feature_names(Features(2, ("a", name))) is None
    assert feature_names(Features(2, ("a", "b"))) == ["a", "b"]
    assert feature_names(Features(2)) is feature_names(None) is None


def test_types_are_told_where_there_are_categories():
    assert feature_types(Features(3, categorical=frozenset({1}))) == ["q", "c", "q"]
    assert feature_types(Features(3)) is feature_types(None) is None


def test_constraints_are_told_where_there_are_some():
    assert constraints(Features(2, directions=(1, -1))) == {"monotone_constraints": (1, -1)}
    assert constraints(Features(2, groups=((0, 1),))) == {"interaction_constraints": "[[0, 1]]"}
    assert constraints(Features(2, directions=(0, 0))) == constraints(Features(2)) == constraints(None) == {}


def test_values_end_at_the_largest_of_training():
    features = Features(3, highest=(1.0, np.inf, 2.0))
    X = np.array([[0.5, 9.0, 2.0], [np.nan, 9.0, 5.0]])
    np.testing.assert_array_equal(within_range(X, features), [[0.5, 9.0, 2.0], [np.nan, 9.0, 2.0]])
    np.testing.assert_array_equal(X[1, 2], 5.0)
    stored = csr_matrix([[0.0, 9.0, 2.5], [3.0, 0.0, -1.0]])
    np.testing.assert_array_equal(within_range(stored, features).toarray(), [[0.0, 9.0, 2.0], [1.0, 0.0, -1.0]])
    assert within_range(X, None) is within_range(X, Features(3)) is X
