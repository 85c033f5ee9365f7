"""Copies of the same subject are told from subjects that are alike by chance."""

from __future__ import annotations

import tracemalloc
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from hazboost.data.duplicates import AGREEMENT, MORE_THAN_CHANCE, copies, row_hashes
from hazboost.data.target import Target, number_by_appearance


def observed(event, time):
    return Target.of(time, np.where(event, time, np.inf))


def brute_force(X, target):
    """The rule of `copies`, row by row."""
    features = [tuple(row) for row in (X + 0.0).tolist()]
    outcomes = list(zip(target.lower, target.upper, target.entry, target.cause, strict=True))
    both = list(zip(features, outcomes, strict=True))
    same, like, alike = (Counter(keys) for keys in (both, features, outcomes))
    n, original = len(both), []
    shared = [key for key in dict.fromkeys(features) if like[key] > 1]
    found, by_chance = [], []
    for key in shared:
        rows = [i for i in range(n) if features[i] == key]
        found.append(np.mean([(same[both[i]] - 1) / (len(rows) - 1) for i in rows]))
        by_chance.append(np.mean([(alike[outcomes[i]] - 1) / (n - 1) for i in rows]))
    if not shared or np.mean(found) - np.mean(by_chance) <= AGREEMENT * (1.0 - np.mean(by_chance)):
        return np.arange(n)
    for row, key in enumerate(both):
        m, n_features, n_outcome = same[key], like[key[0]], alike[key[1]]
        by_chance = (n_features - 1) * (n_outcome - 1) / (n - 1)
        copied = m > 1 and (m == n_features or m - 1 > MORE_THAN_CHANCE * by_chance)
        original.append(both.index(key) if copied else n + row)
    return number_by_appearance(np.array(original))


@given(
    arrays(float, (30, 2), elements=st.sampled_from([0.0, 1.0, 2.0, -1.0, -0.0])),
    arrays(int, 30, elements=st.integers(1, 9)),
)
def test_copies_are_those_of_a_comparison_row_by_row(X, time):
    target = observed(time % 2 == 0, time.astype(float))
    expected = brute_force(X, target)
    for container in (np.array, csr_matrix):
        found = copies(container(X), target)
        np.testing.assert_array_equal(np.arange(30) if found is None else found, expected)


@pytest.mark.parametrize("censored_at_the_end", [0.0, 0.7])
def test_a_bootstrap_sample_has_as_many_originals_as_were_drawn(censored_at_the_end):
    """Also where most subjects share an outcome, because they were censored at the end of the study."""
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(300, 4)), rng.weibull(1.5, 300)
    end = np.quantile(time, 1.0 - censored_at_the_end)
    drawn = rng.integers(300, size=300)
    event, time = time < end, np.minimum(time, end)
    np.testing.assert_array_equal(copies(X[drawn], observed(event[drawn], time[drawn])), number_by_appearance(drawn))
    assert copies(X, observed(event, time)) is None


def test_subjects_that_are_alike_by_chance_are_no_copies():
    """Three binary features and times in ten periods: every row occurs many times."""
    rng = np.random.default_rng(0)
    X, time = rng.integers(2, size=(2000, 3)).astype(float), rng.integers(1, 11, 2000).astype(float)
    assert copies(X, observed(rng.random(2000) < 0.7, time)) is None


def test_copies_are_found_beside_somebody_with_the_same_features():
    """Three copies of each of 30 subjects, and one who has only their features."""
    X, time = np.repeat(np.arange(30.0), 4)[:, None], np.repeat(np.arange(1.0, 31.0), 4)
    time[3::4] += 100.0
    expected = np.repeat(np.arange(60), np.tile([3, 1], 30))
    np.testing.assert_array_equal(copies(X, Target.of(time, time)), expected)


def test_subjects_who_entered_at_other_times_are_no_copies():
    X, time = np.repeat(np.arange(30.0), 2)[:, None], np.repeat(np.arange(1.0, 31.0), 2)
    assert copies(X, Target.of(time, time)) is not None
    assert copies(X, Target.of(time, time, entry=np.linspace(0.0, 0.9, 60))) is None


def test_subjects_of_several_rows_are_compared_as_a_whole():
    """The same rows in another order are a copy; a subject that shares only one of its rows is not."""
    X = np.array([[1.0], [2.0], [2.0], [1.0], [1.0], [3.0], [1.0], [3.0]])
    start = np.array([0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0])
    stop = np.array([1.0, 2.0, 2.0, 1.0, 1.0, 3.0, 1.0, 4.0])
    target = Target.of(stop, np.full(8, np.inf), entry=start, subject=np.repeat([0, 1, 2, 3], 2))
    np.testing.assert_array_equal(copies(X, target), [0, 0, 0, 0, 1, 1, 2, 2])


def test_equal_values_in_other_columns_are_not_the_same_row():
    assert len(np.unique(row_hashes(np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0], [-0.0, 3.0]])))) == 3


@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_looking_for_copies_needs_little_more_memory_than_the_outcome(container):
    n = 100_000
    X, target = container(np.random.default_rng(0).normal(size=(n, 5))), Target.of(np.ones(n), np.ones(n))
    tracemalloc.start()
    assert copies(X, target) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * 25  # bytes of 25 columns; a set of the rows would take more than 100
