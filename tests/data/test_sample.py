"""Samples: groups, weights, rows that are joined, and rows drawn at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

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
    assert sample.draw(50, np.random.default_rng(0)) is sample
    drawn = sample.draw(20, np.random.default_rng(0))
    assert len(drawn.target) == 40
    assert drawn.target.n_subjects == 20


def test_many_rows_of_each_subject_limit_a_draw():
    """To ten for each subject that is wanted, which is fewer subjects."""
    start = np.tile(np.arange(40.0), 50)
    target = Target.of(start + 1.0, np.full(2000, np.inf), entry=start, subject=np.repeat(np.arange(50), 40))
    drawn = Sample(np.arange(2000.0)[:, None], target).draw(20, np.random.default_rng(0))
    assert (drawn.target.n_subjects, len(drawn.target)) == (5, 200)


# Rows of two subjects in mixed order: 0 (0, 1], (1, 2], (2, 3] with an event, 1 (0, 1] and, after a gap, (2, 4].
CUT = Target.of(
    np.array([2.0, 1.0, 1.0, 4.0, 3.0]),
    np.array([np.inf, np.inf, np.inf, np.inf, 3.0]),
    entry=np.array([1.0, 0.0, 0.0, 2.0, 2.0]),
    subject=np.array([0, 1, 0, 1, 0]),
)


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        ([1.0, 1.0, 1.0, 1.0, 1.0], [(0, 0.0, 3.0), (1, 0.0, 1.0), (1, 2.0, 4.0)]),
        ([1.0, 1.0, 1.0, 1.0, 2.0], [(0, 0.0, 2.0), (0, 2.0, 3.0), (1, 0.0, 1.0), (1, 2.0, 4.0)]),
    ],
)
def test_rows_with_the_same_features_are_joined(kind, feature, expected):
    """Not across a gap, nor where a feature changes; each has the features of its first row."""
    joined = Sample(kind(np.column_stack([feature, np.zeros(5)])), CUT, np.array([7, 8, 7, 8, 7])).with_rows_joined()
    subjects, number = joined.target.subject, len(expected)
    assert list(zip(subjects, joined.target.entry, joined.target.lower, strict=True)) == expected
    assert joined.target.event.tolist() == [one[2] == 3.0 for one in expected]
    assert joined.group.tolist() == [7 + subject for subject in subjects]
    assert joined.X.shape == (number, 2)
    assert joined.X.toarray().max() == max(feature) if kind is csr_matrix else joined.X.max() == max(feature)


def test_missing_values_do_not_keep_rows_apart():
    joined = Sample(np.full((5, 1), np.nan), CUT).with_rows_joined()
    assert len(joined.target) == 3


def test_rows_that_differ_stay_where_they_are():
    sample = Sample(np.arange(5.0)[:, None], CUT)
    assert sample.with_rows_joined() is sample


def test_a_validation_part_does_not_divide_groups():
    group = np.arange(40) // 4
    sample = Sample(np.zeros((40, 1)), Target.of(np.ones(40), np.where(np.arange(40) % 3, 1.0, np.inf)), group)
    train, aside = sample.split(0.3, 0)
    assert not set(train.group) & set(aside.group)
    assert len(aside.target) == 12
    with pytest.raises(ValueError, match="cannot divide 1 groups"):
        replace(sample, group=np.zeros(40, dtype=int)).split(0.2, 0)
