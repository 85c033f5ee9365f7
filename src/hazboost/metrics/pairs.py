"""Counts over pairs of subjects in O(n log n): how many of the first so many rows have a lower risk."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.utils.arrays import Array, Indices

#: Risks closer than this are tied, as in scikit-survival.
TIED = 1e-8


def credit_among_first(risk: Array, ends: Indices, query: Array, weight: Array | None = None) -> tuple[Array, Array]:
    """What each query wins against the first rows, and what it could win.

    Parameters
    ----------
    risk : array of shape (n,)
        Risks of the rows.
    ends : array of int, shape (m,)
        How many of the rows each query meets.
    query : array of shape (m,)
        Risk of each query: it wins against lower ones, and a half against tied ones.
    weight : array of shape (n,), optional
        What a win against each row counts; one by default.

    Returns
    -------
    credit, possible : arrays of shape (m,)
    """
    order = np.argsort(risk)
    rank = np.empty(len(risk), dtype=np.intp)
    rank[order] = np.arange(len(risk))
    lowest, highest = tied_range(risk[order], query)
    below = _sum_below(rank, weight, np.tile(ends, 2), np.concatenate([lowest, highest]))
    possible = ends.astype(np.float64) if weight is None else np.concatenate([[0.0], np.cumsum(weight)])[ends]
    return 0.5 * (below[: len(ends)] + below[len(ends) :]), possible


def tied_range(levels: Array, query: Array) -> tuple[Indices, Indices]:
    """First and last position (exclusive) of the ascending ``levels`` that are tied with each query."""
    # Looked up in ascending order, as neighbours then share the part of memory that they search.
    order = np.argsort(query)
    lowest, highest = np.empty(len(query), dtype=np.intp), np.empty(len(query), dtype=np.intp)
    lowest[order] = np.searchsorted(levels, query[order] - TIED, side="left")
    highest[order] = np.searchsorted(levels, query[order] + TIED, side="right")
    return lowest, highest


def _sum_below(rank: Indices, weight: Array | None, ends: Indices, limits: Indices) -> Array:
    """For each query, the weight of those of the first ``end`` rows whose rank is smaller than ``limit``.

    A wavelet tree over ranks 0 to n - 1, walked for all queries at once. Bit by bit from the highest, each node is
    split stably into its ranks with a 0 and with a 1 there, and each query follows the half in which its limit lies.
    As every rank occurs once, all nodes left of a node are full, and half of what they hold has a 0.
    """
    # Half as wide numbers are read twice as fast, and that is what takes the time.
    kind: Any = np.int32 if len(rank) < 2**30 else np.int64
    rank, stop, limits = rank.astype(kind), ends.astype(kind), limits.astype(kind)
    rows, total = np.arange(len(rank), dtype=kind), np.zeros(len(ends))
    for bit in reversed(range(len(rank).bit_length())):
        size = 1 << bit
        one = (rank & size) != 0
        zeros = _sums_before(~one, kind)
        start = limits >> (bit + 1) << (bit + 1)
        zeros_met = zeros[stop] - (start >> 1)
        high = (limits & size) != 0
        if weight is None:
            total += np.where(high, zeros_met, 0)
        else:
            sums = _sums_before(np.where(one, 0.0, weight), np.float64)
            total += np.where(high, sums[stop] - sums[start], 0.0)
        stop = np.where(high, stop + size - zeros_met, start + zeros_met)
        node = rows >> (bit + 1) << (bit + 1)
        zeros_left = zeros[:-1] - (node >> 1)
        place = np.where(one, rows + size - zeros_left, node + zeros_left)
        rank = _placed(rank, place)
        weight = None if weight is None else _placed(weight, place)
    return total


def _sums_before(values: npt.NDArray[Any], kind: Any) -> npt.NDArray[Any]:
    """Sum of the values ahead of each position, and of all of them."""
    sums = np.zeros(len(values) + 1, dtype=kind)
    np.cumsum(values, out=sums[1:])
    return sums


def _placed(values: npt.NDArray[Any], place: Indices) -> npt.NDArray[Any]:
    """The values, each moved to its place."""
    moved = np.empty_like(values)
    moved[place] = values
    return moved
