"""XGBoost's words for names, kinds and constraints of features."""

from __future__ import annotations

import pytest

from hazboost.engines import Features
from hazboost.engines.dialect import constraints, feature_names, feature_types


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
