"""Which worker is to hold which partition."""

from __future__ import annotations

from collections.abc import Sequence

#: A worker keeps a partition that it holds already as long as it then has at most so many times its share of the rows,
#: or so many times the rows that the worker with the fewest would then have.
KEEP = 1.1


def choose_workers(sizes: Sequence[int], holders: Sequence[Sequence[str]], workers: Sequence[str]) -> list[str]:
    """A worker for each partition, such that all have about the same number of rows.

    All workers wait for the one with most rows in every round, so partitions are moved where that is uneven. Of a
    partition that several workers hold, the one with the fewest rows takes its copy. Partitions that were placed stay
    where they are when they are placed again.

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
    >>> choose_workers([5, 1, 1, 4], [["a"], ["a"], ["b"], ["a"]], ["a", "b"])
    ['a', 'a', 'b', 'b']
    """
    homes = [[one for one in workers if one in held] for held in holders]
    loads, placed, share = dict.fromkeys(workers, 0), [""] * len(sizes), KEEP * sum(sizes) / len(workers)
    # Partitions with one holder first, as the others can be taken by several without being moved; and large ones first:
    # what is left to even out the loads is then small.
    for number in sorted(range(len(sizes)), key=lambda number: (len(homes[number]) != 1, -sizes[number])):
        most = max(share, KEEP * (min(loads.values()) + sizes[number]))
        at_home = [one for one in homes[number] if loads[one] + sizes[number] <= most]
        placed[number] = min(at_home or workers, key=loads.__getitem__)
        loads[placed[number]] += sizes[number]
    return placed
