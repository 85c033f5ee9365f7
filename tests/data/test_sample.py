"""Samples: groups, weights, and rows drawn at random."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.data.sample import Sample
from hazboost.data.target import Target


def bootstrapped(n, drawn):
    rng = np.random.default_rng(0)
    time = rng.weibull(1.5, n)
    upper = np.where(rng.random(n) < 0.7, time, np.inf)
    return Sample(rng.normal(size=(n, 3))[drawn], Target.of(time[drawn], upper[drawn]))


def test_copies_make_groups_where_enough_are_left():
    drawn = np.repeat(np.arange(20), 3)
    sample = bootstrapped(20, drawn)
    np.testing.assert_array_equal(sample.with_copies_together(10).group, drawn)
    assert sample.with_copies_together(21).group is None
    events = len(set(drawn[sample.target.event]))
    assert sample.with_copies_together(events).group is not None
    assert sample.with_copies_together(events + 1).group is None, "folds need events to learn from"


def test_groups_of_the_user_stay():
    drawn = np.repeat(np.arange(20), 3)
    given = Sample(*(getattr(bootstrapped(20, drawn), name) for name in ("X", "target")), np.arange(60) // 30)
    assert given.with_copies_together(2) is given


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e307])
def test_weights_have_a_mean_of_one_over_subjects(scale):
    weight = scale * np.array([1.0, 1.0, 3.0, 2.0])
    target = Target.of(np.array([1.0, 2.0, 2.0, 2.0]), np.full(4, np.inf), weight, subject=np.array([0, 0, 1, 2]))
    relative = Sample(np.zeros((4, 1)), target).with_mean_weight_one().target
    np.testing.assert_allclose(relative.weight, [0.5, 0.5, 1.5, 1.0])
    np.testing.assert_allclose(relative.subject_mass.mean(), 1.0)


def test_a_draw_takes_whole_subjects():
    start = np.tile([0.0, 1.0], 50)
    target = Target.of(start + 1.0, np.full(100, np.inf), entry=start, subject=np.repeat(np.arange(50), 2))
    sample = Sample(np.arange(100.0)[:, None], target)
    assert sample.draw(100, np.random.default_rng(0)) is sample
    drawn = sample.draw(40, np.random.default_rng(0))
    assert len(drawn.target) == 40
    assert drawn.target.n_subjects == 20
