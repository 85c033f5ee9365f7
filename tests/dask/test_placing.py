"""Which worker gets which partition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hazboost.dask.placing import KEEP, choose_workers

WORKERS = ["a", "b", "c"]
PARTS = st.lists(st.tuples(st.integers(1, 1000), st.lists(st.sampled_from(WORKERS), unique=True)), min_size=1)


def loads(sizes, placed, workers):
    return [sum(size for size, one in zip(sizes, placed, strict=True) if one == worker) for worker in workers]


@pytest.mark.parametrize(
    ("sizes", "holders", "expected"),
    [
        pytest.param([1, 1, 1, 1], ["a", "b", "a", "b"], "abab", id="even"),
        pytest.param([4, 3, 2, 1], ["ab", "ab", "ab", "ab"], "abba", id="copies everywhere"),
        pytest.param([9, 8], ["ab", "a"], "ba", id="copies leave room for those without"),
        pytest.param([4, 3, 2, 1], ["b", "b", "b", "b"], "baab", id="all on one worker"),
        pytest.param([90, 91, 89], ["a", "b", "b"], "abb", id="moved it would be as uneven"),
        pytest.param([5, 5], ["", "x"], "ab", id="lost"),
    ],
)
def test_loads_are_even_and_little_is_moved(sizes, holders, expected):
    assert "".join(choose_workers(sizes, holders, ["a", "b"])) == expected


@given(PARTS)
def test_no_worker_has_much_more_than_its_share(parts):
    """At most the largest partition more, as partitions are not divided."""
    sizes, holders = zip(*parts, strict=True)
    most = max(loads(sizes, choose_workers(sizes, holders, WORKERS), WORKERS))
    assert most <= KEEP * (sum(sizes) / len(WORKERS) + max(sizes)) + 1e-9


@given(PARTS)
def test_placed_partitions_stay(parts):
    """Else a partition would be moved for each of the trainings of a fit."""
    sizes, holders = zip(*parts, strict=True)
    placed = choose_workers(sizes, [[one] for one in choose_workers(sizes, holders, WORKERS)], WORKERS)
    assert placed == choose_workers(sizes, [[one] for one in placed], WORKERS)
