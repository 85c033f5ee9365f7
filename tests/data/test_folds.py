"""Strata of the folds."""

import numpy as np

from hazboost.data.folds import coarsen, outcomes
from hazboost.data.target import Target


def test_rare_kinds_are_not_told_apart():
    cause = np.array([0, 0, 0, 1, 1, 1, 2])
    target = Target.of(np.ones(7), np.where(cause > 0, 1.0, np.inf), cause=cause)
    kind = outcomes(target, target.subject)
    np.testing.assert_array_equal(coarsen(kind, 1), cause)
    np.testing.assert_array_equal(coarsen(kind, 3), cause > 0)
    np.testing.assert_array_equal(coarsen(kind, 4), 0)


def test_a_group_is_of_the_highest_kind_in_it():
    cause = np.array([0, 0, 0, 1, 1, 1, 2])
    target = Target.of(np.ones(7), np.where(cause > 0, 1.0, np.inf), cause=cause)
    np.testing.assert_array_equal(outcomes(target, np.array([0, 1, 2, 2, 3, 4, 4])), [0, 0, 1, 1, 2])
