"""Which worker is to hold which partition."""

from __future__ import annotations

from collections.abc import Sequence

#: A worker keeps partitions that it holds already as long as it has at most so many times its share of the rows.
KEEP = 1.1


def place(sizes: Sequence[int], holders: Sequence[Sequence[str]], workers: Sequence[str]) -> list[str]:
    """A worker for each partition, such that all have about the same number of rows.

    All workers wait for the one with most rows in every round, so partitions are moved where that is uneven.

    Parameters
    ----------
    sizes : sequence of int
        Number of rows of each partition.
    holders : sequence of sequences of str
        Workers that hold each of them.
    workers : sequence of str
        All workers.

    Examples
    --------
    >>> place([5, 1, 1, 4], [["a"], ["a"], ["b"], ["a"]], ["a", "b"])
    ['a', 'a', 'b', 'b']
    """
    loads, placed, share = dict.fromkeys(workers, 0), [""] * len(sizes), KEEP * sum(sizes) / len(workers)
    # Large ones first: what is left to even out the loads is then small.
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        at_home = [one for one in holders[number] if one in loads and loads[one] + sizes[number] <= share]
        placed[number] = min(at_home or workers, key=loads.__getitem__)
        loads[placed[number]] += sizes[number]
    return placed
