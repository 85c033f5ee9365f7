"""The models of the folds, and how many rounds they keep."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.training.ensemble import Ensemble
from tests.training.ensembles import member


def ensemble(*curves, subjects=1e3):
    return Ensemble(2, tuple(member(curve, subjects) for curve in curves))


def test_a_stopped_fold_keeps_its_best_round():
    """For a number of rounds that it made, as many; beyond, the best one, which is not the last."""
    stopped = member([9.0, 8.0, 3.0, 4.0, 5.0])
    assert stopped.rounds_made == 4
    assert [stopped.rounds_kept(rounds) for rounds in (0, 1, 4, 5, 50)] == [0, 1, 4, 2, 2]


def test_the_curve_of_a_stopped_fold_goes_on_with_its_best_loss():
    both = ensemble([3.0, 1.0, 4.0], [5.0, 4.0, 3.0, 2.0, 1.0])
    np.testing.assert_allclose(both.loss, [4.0, 2.5, 3.5, 1.5, 1.0])


def test_folds_count_equally_however_many_subjects_they_hold_out():
    members = member([3.0, 1.0], subjects=10.0), member([1.0, 2.0], subjects=1_000.0)
    np.testing.assert_allclose(Ensemble(2, members).loss, [2.0, 1.5])


def test_the_best_round_of_the_mean_is_that_of_no_fold():
    curves = [[5.0, 1.0, 2.0, 6.0], [6.0, 2.2, 1.0, 0.9]]
    assert [int(np.argmin(curve)) for curve in curves] == [1, 3]
    assert ensemble(*curves).rounds == 2


def test_few_subjects_do_not_tell_rounds_apart():
    """A curve that is nearly flat: many subjects see its minimum, few the middle of all rounds."""
    curve = np.array([1.0, 0.99, *np.full(9, 1.0)])
    assert ensemble(curve, subjects=1e6).rounds == 1
    assert ensemble(curve, subjects=1.0).rounds == 5


@pytest.mark.parametrize("number", range(3))
def test_the_others_are_all_but_one(number):
    three = ensemble([3.0, 1.0], [3.0, 2.0, 1.0], [3.0, 2.0, 2.0, 1.0])
    others = three.without(number)
    assert others.members == tuple(one for i, one in enumerate(three.members) if i != number)
    assert others.depth == three.depth
