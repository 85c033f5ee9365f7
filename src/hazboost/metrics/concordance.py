"""Harrell's concordance index in O(n log n)."""

from __future__ import annotations

import numpy as np

from hazboost.arrays import Array, Indices, Mask

#: Risks closer than this are tied, as in scikit-survival.
TIED = 1e-8


def concordance_index(event: Mask, time: Array, risk: Array) -> float:
    """Probability that of two comparable subjects the one with the higher risk has the event first.

    A pair is comparable if the earlier time is an event; at equal times, if exactly one of the two is an event,
    which then counts as the earlier. Tied risks count one half.

    Parameters
    ----------
    event : array of bool, shape (n,)
        Whether the event was seen.
    time : array of shape (n,)
        Time of the event or of censoring.
    risk : array of shape (n,)
        Higher means earlier.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for a useless risk. NaN if no pair is comparable.

    Examples
    --------
    >>> import numpy as np
    >>> concordance_index(np.array([True, True, False]), np.array([1.0, 2.0, 3.0]), np.array([3.0, 1.0, 2.0]))
    0.6666666666666666
    """
    # Later first; at equal times the censored before the events, so that "comparable with" means "seen earlier".
    order = np.lexsort((event, -time))
    event, time, risk = event[order], time[order], risk[order]
    # At one time an event is not comparable with other events there: it sees only what precedes their run.
    run = np.cumsum(np.r_[True, (np.diff(time) != 0) | (np.diff(event) != 0)])
    seen = np.searchsorted(run, run[event], side="left")
    levels = np.sort(risk)
    rank = np.searchsorted(levels, risk, side="left")
    lower = _count_below(rank, seen, np.searchsorted(levels, risk[event] - TIED, side="left"))
    not_higher = _count_below(rank, seen, np.searchsorted(levels, risk[event] + TIED, side="right"))
    pairs = seen.sum()
    return float((lower + not_higher).sum() / (2.0 * pairs)) if pairs else float("nan")


def _count_below(values: Indices, ends: Indices, limits: Indices) -> Indices:
    """For each query, the number of ``values[:end]`` that are smaller than ``limit``.

    A wavelet matrix, walked for all queries at once: bit by bit from the highest, values are stably sorted
    by the bit, and each query follows the half in which its limit lies.
    """
    start, stop = np.zeros_like(ends), ends.copy()
    count = np.zeros_like(ends)
    for bit in reversed(range(len(values).bit_length())):
        ones = (values >> bit) & 1
        zeros_before = np.concatenate([[0], np.cumsum(1 - ones)])
        n_zeros = zeros_before[-1]
        start_zero, stop_zero = zeros_before[start], zeros_before[stop]
        high = (limits >> bit) & 1 == 1
        count += np.where(high, stop_zero - start_zero, 0)
        start = np.where(high, n_zeros + start - start_zero, start_zero)
        stop = np.where(high, n_zeros + stop - stop_zero, stop_zero)
        values = np.concatenate([values[ones == 0], values[ones == 1]])
    return count
