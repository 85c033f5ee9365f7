"""Folds, and their strata."""

import numpy as np
import pytest

from hazboost.data.folds import coarsen, outcomes, split_folds
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


def test_folds_do_not_divide_groups():
    rng = np.random.default_rng(0)
    group = rng.permutation(np.arange(200) // 4)
    for kept, held in split_folds(Target.of(np.ones(200), np.ones(200)), 5, 0, group):
        assert not set(group[kept]) & set(group[held])
        assert (len(kept), len(held)) == (160, 40)


@pytest.mark.parametrize("parts", [None, 5, 20])
@pytest.mark.parametrize("n", [60, 6_000])
def test_a_subject_stays_on_one_side_and_causes_are_spread(n, parts):
    """Whether folds hold out all subjects together or, of more parts, some."""
    subject = np.repeat(np.arange(n), 3)
    last = np.tile([False, False, True], n)
    cause = np.where(last, np.repeat(np.arange(n) % 3, 3), 0)
    start = np.tile([0.0, 1.0, 2.0], n)
    target = Target.of(start + 1.0, np.where(cause > 0, start + 1.0, np.inf), entry=start, cause=cause, subject=subject)
    target = target[np.random.default_rng(0).permutation(3 * n)]
    folds = split_folds(target, 5, 0, parts=parts)
    assert len(folds) == 5
    for kept, held in folds:
        assert not set(target.subject[kept]) & set(target.subject[held])
        assert len(kept) + len(held) == 3 * n
        assert len(held) == 3 * n / (parts or 5)
        counts = np.bincount(target.cause[held])[1:]
        assert counts.max() - counts.min() <= 2
    assert len(np.unique(np.concatenate([held for _, held in folds]))) == sum(len(held) for _, held in folds)


@pytest.mark.parametrize("folds", [3, 4, 6, 8])
def test_with_more_folds_than_parts_subjects_are_divided_again_and_differently(folds):
    """Each division holds out every subject once; the last may be incomplete."""
    pairs = split_folds(Target.of(np.ones(60), np.where(np.arange(60) % 2, 1.0, np.inf)), folds, 0, parts=3)
    assert [(len(kept), len(held)) for kept, held in pairs] == [(40, 20)] * folds
    held = [frozenset(rows) for _, rows in pairs]
    assert len(set(held)) == folds
    for first in range(0, folds, 3):
        division = held[first : first + 3]
        assert len(frozenset.union(*division)) == 20 * len(division)


def test_folds_are_those_of_the_subjects():
    whole = Target.of(np.ones(50), np.where(np.arange(50) % 2, 1.0, np.inf))
    subject = np.repeat(np.arange(50), 2)
    start = np.tile([0.0, 0.5], 50)
    upper = np.where(np.tile([False, True], 50) & (subject % 2 == 1), 1.0, np.inf)
    parts = Target.of(start + 0.5, upper, entry=start, subject=subject)
    for (_, one), (_, other) in zip(split_folds(whole, 5, 3), split_folds(parts, 5, 3), strict=True):
        np.testing.assert_array_equal(np.unique(parts.subject[other]), np.sort(one))


@pytest.mark.parametrize("parts", [None, 3, 10])
def test_there_are_no_more_parts_than_groups(parts):
    target, group = Target.of(np.ones(60), np.where(np.arange(60) % 2, 1.0, np.inf)), np.arange(60) % 3
    for kept, held in split_folds(target, 2, 0, group, parts):
        assert set(group[kept]).isdisjoint(group[held])
        assert parts is None or len(set(group[held])) == 1
    with pytest.raises(ValueError, match=r"3 groups .* use 3 folds or fewer"):
        split_folds(target, 5, 0, group)
