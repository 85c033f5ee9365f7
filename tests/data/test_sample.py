"""Samples: duplicates, and rows drawn at random."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from hazboost.data.sample import Sample, row_hashes
from hazboost.data.target import Target


def brute_force(X, target):
    outcome = zip(target.lower, target.upper, target.entry, target.cause, strict=True)
    return len(target) - len({(*row, *seen) for row, seen in zip(X.tolist(), outcome, strict=True)})


@given(
    arrays(float, (30, 2), elements=st.sampled_from([0.0, 1.0, 2.0, -1.0])), arrays(int, 30, elements=st.integers(1, 2))
)
def test_duplicates_are_those_of_a_comparison_row_by_row(X, time):
    target = Target.of(time.astype(float), np.where(time == 2, 2.0, np.inf))
    assert Sample(X, target).count_duplicates() == brute_force(X, target)
    assert Sample(csr_matrix(X), target).count_duplicates() == brute_force(X, target)


def test_equal_values_in_other_columns_are_not_the_same_row():
    assert len(np.unique(row_hashes(np.array([[1.0, 2.0], [2.0, 1.0], [0.0, 3.0], [-0.0, 3.0]])))) == 3


@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_counting_duplicates_needs_little_more_memory_than_the_outcome(container):
    n = 100_000
    sample = Sample(container(np.random.default_rng(0).normal(size=(n, 5))), Target.of(np.ones(n), np.ones(n)))
    tracemalloc.start()
    assert sample.count_duplicates() == 0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * n * 25  # bytes of 25 columns; a set of the rows would take more than 100


def test_a_draw_takes_whole_subjects():
    start = np.tile([0.0, 1.0], 50)
    target = Target.of(start + 1.0, np.full(100, np.inf), entry=start, subject=np.repeat(np.arange(50), 2))
    sample = Sample(np.arange(100.0)[:, None], target)
    assert sample.draw(100, np.random.default_rng(0)) is sample
    drawn = sample.draw(40, np.random.default_rng(0))
    assert len(drawn.target) == 40
    assert drawn.target.n_subjects == 20
