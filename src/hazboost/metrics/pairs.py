"""Concordant pairs counted in O(n log n): for many queries, how many of the first rows have a lower risk."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.utils.arrays import Array, Indices

#: Risks closer than this are tied, as in scikit-survival.
TIED = 1e-8


def credit_among_first(risk: Array, ends: Indices, query: Array, weight: Array | None = None) -> tuple[Array, Array]:
    """Compare each query with the first rows: the credit it gets, and the credit it could get.

    Parameters
    ----------
    risk : array of shape (n,)
        Risks of the rows.
    ends : array of int, shape (m,)
        Each query is compared with the first ``ends`` rows.
    query : array of shape (m,)
        Risk of each query. A row with a lower risk gives full credit, a row with a tied risk one half.
    weight : array of shape (n,), optional
        Credit for each row; one by default.

    Returns
    -------
    credit, possible : arrays of shape (m,)
    """
    order = np.argsort(risk)
    rank = np.empty(len(risk), dtype=np.intp)
    rank[order] = np.arange(len(risk))
    lowest, highest = tied_range(risk[order], query)
    # The mean of "strictly lower" and "lower or tied" counts every tie as one half. Both are looked up in one pass.
    below = _sum_below(rank, weight, np.tile(ends, 2), np.concatenate([lowest, highest]))
    possible = ends.astype(np.float64) if weight is None else np.concatenate([[0.0], np.cumsum(weight)])[ends]
    return 0.5 * (below[: len(ends)] + below[len(ends) :]), possible


def tied_range(levels: Array, query: Array) -> tuple[Indices, Indices]:
    """First and last position (exclusive) in the sorted ``levels`` of the values tied with each query."""
    # Sorted queries make successive binary searches touch the same memory, which is much faster for large arrays.
    order = np.argsort(query)
    lowest, highest = np.empty(len(query), dtype=np.intp), np.empty(len(query), dtype=np.intp)
    lowest[order] = np.searchsorted(levels, query[order] - TIED, side="left")
    highest[order] = np.searchsorted(levels, query[order] + TIED, side="right")
    return lowest, highest


def _sum_below(rank: Indices, weight: Array | None, ends: Indices, limits: Indices) -> Array:
    """For each query, the total weight of the rows among the first ``end`` whose rank is less than ``limit``.

    This is a wavelet tree over the ranks 0 to n - 1, descended for all queries at once. From the highest bit to the
    lowest, the rows of each node are split stably into those whose rank has a 0 and those with a 1 at that bit; each
    query follows the half that contains its limit and adds up the 0-half whenever it goes to the 1-half. As every rank
    occurs exactly once, all nodes to the left of a node are full, and half of their rows have a 0.
    """
    # The loop is limited by memory bandwidth, so 32-bit integers are about twice as fast as 64-bit ones.
    kind: Any = np.int32 if len(rank) < 2**30 else np.int64
    rank, stop, limits = rank.astype(kind), ends.astype(kind), limits.astype(kind)
    rows, total = np.arange(len(rank), dtype=kind), np.zeros(len(ends))
    for bit in reversed(range(len(rank).bit_length())):
        size = 1 << bit
        one = (rank & size) != 0
        zeros = _sums_before(~one, kind)
        # First position of the query's node. The full nodes before it hold start / 2 zeros, which are not counted.
        start = limits >> (bit + 1) << (bit + 1)
        zeros_met = zeros[stop] - (start >> 1)
        high = (limits & size) != 0
        if weight is None:
            total += np.where(high, zeros_met, 0)
        else:
            sums = _sums_before(np.where(one, 0.0, weight), np.float64)
            total += np.where(high, sums[stop] - sums[start], 0.0)
        stop = np.where(high, stop + size - zeros_met, start + zeros_met)
        # Move the rows themselves in the same way: the zeros of each node first, then its ones.
        node = rows >> (bit + 1) << (bit + 1)
        zeros_left = zeros[:-1] - (node >> 1)
        place = np.where(one, rows + size - zeros_left, node + zeros_left)
        rank = _placed(rank, place)
        weight = None if weight is None else _placed(weight, place)
    return total


def _sums_before(values: npt.NDArray[Any], kind: Any) -> npt.NDArray[Any]:
    """Sum of the values before each position, followed by the total."""
    sums = np.zeros(len(values) + 1, dtype=kind)
    np.cumsum(values, out=sums[1:])
    return sums


def _placed(values: npt.NDArray[Any], place: Indices) -> npt.NDArray[Any]:
    """Move each value to its new position."""
    moved = np.empty_like(values)
    moved[place] = values
    return moved
