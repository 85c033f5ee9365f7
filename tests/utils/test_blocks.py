"""Blocks of rows: all rows once, whatever the threads."""

import threading

import numpy as np
import pytest

from hazboost.utils.blocks import for_each_block


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize(("n", "step"), [(0, 3), (1, 3), (7, 3), (9, 3), (7, 100)])
def test_every_row_belongs_to_one_block(n, step, n_threads):
    counts = np.zeros(n)

    def count(rows):
        assert 0 < rows.stop - rows.start <= step
        counts[rows] += 1

    for_each_block(count, n, step, n_threads)
    np.testing.assert_array_equal(counts, 1.0)


def test_threads_work_at_the_same_time():
    """Both blocks wait for one another."""
    barrier = threading.Barrier(2, timeout=30.0)
    for_each_block(lambda rows: barrier.wait(), 2, 1, n_threads=2)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_in_a_block_is_raised(n_threads):
    def fail(rows):
        raise ValueError(f"row {rows.start}")

    with pytest.raises(ValueError, match="row 0"):
        for_each_block(fail, 4, 2, n_threads)
