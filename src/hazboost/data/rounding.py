"""From times that were rounded to the intervals in which they lie."""

from __future__ import annotations

import numpy as np

from hazboost.utils.arrays import Array, Indices, Mask

#: How a time can have been rounded.
DIRECTIONS = ("visit", "up", "down", "nearest")
#: Times closer than this, relative to the longest, are the same one, computed in two ways.
SAME = 1e-9


def merge_close(times: Array) -> Array:
    """Give times that differ by rounding errors of the computer only the smallest value of them.

    Examples
    --------
    >>> merge_close(np.array([0.3, 0.1 + 0.2, 0.4]))
    array([0.3, 0.3, 0.4])
    """
    distinct, place = np.unique(times, return_inverse=True)
    first = np.diff(distinct, prepend=-np.inf) > SAME * np.abs(distinct[-1:])
    merged: Array = distinct[first][np.cumsum(first) - 1][place.ravel()]
    return merged


def rounded_intervals(
    event: Mask, time: Array, to: str, unit: float | None = None, entry: Array | None = None
) -> tuple[Array, Array]:
    """Bounds between which the event of each row lies; the upper one is infinite where it was not observed.

    With :math:`p` and :math:`n` the times before and after ``t`` on the grid of recorded times:

    =========  =====================================  ============================================
    direction  an event at t happened in              a row censored at t was without event until
    =========  =====================================  ============================================
    visit      :math:`(p, t]`                         :math:`t`, when it was seen
    up         :math:`(p, t]`                         :math:`p` or :math:`t`, in turn
    down       :math:`(t, n]`                         :math:`t` or :math:`n`, in turn
    nearest    :math:`((p + t) / 2, (t + n) / 2]`     the one or the other end, in turn
    =========  =====================================  ============================================

    *In turn* is half of the period on average. Its middle for all would be wrong: nothing else is known within a
    period, so the likelihood would be largest with all events after the middle.

    The longest time is the end of the study if rows are censored then, unless events were rounded down to it: these
    rows were without event until then, and no event is later.

    Parameters
    ----------
    event : array of bool
        Whether the event was observed.
    time : array
        Recorded times.
    to : str
        One of `DIRECTIONS`.
    unit : float, optional
        Distance of the grid. By default the grid consists of the times of events, and a row censored at another time
        is taken to be without event until then.
    entry : array, optional
        Times of entry, which were not rounded: no period begins before.
    """
    if unit is None:
        before, after, rounded = _neighbours(event, time, mirrored=to == "nearest")
    else:
        before, after, rounded = time - unit, time + unit, np.ones(len(time), dtype=bool)
    start, end = {
        "visit": (before, time),
        "up": (before, time),
        "down": (time, after),
        "nearest": (0.5 * (before + time), 0.5 * (time + after)),
    }[to]
    begin = np.maximum(start, 0.0 if entry is None else entry)
    longest = time == time.max()
    if to == "down" and event[longest].any():
        longest[:] = False
    elif not event[longest].all():
        end = np.minimum(end, time.max())
    exact = ~rounded | longest | (to == "visit")
    censored_at = np.where(exact, time, _in_turn(np.flatnonzero(~event & ~exact), time, begin, end))
    if entry is not None:  # at the beginning nothing would be known of a row that entered within its period
        censored_at = np.where(~exact & (entry > start), 0.5 * (begin + end), censored_at)
    return np.where(event, begin, censored_at), np.where(event, end, np.inf)


def _in_turn(rows: Indices, time: Array, begin: Array, end: Array) -> Array:
    """The one or the other bound for every second of some rows, in the order of time."""
    ordered = rows[np.argsort(time[rows], kind="stable")]
    chosen = end.copy()
    chosen[ordered[1::2]] = begin[ordered[1::2]]
    return chosen


def _neighbours(event: Mask, time: Array, *, mirrored: bool) -> tuple[Array, Array, Mask]:
    """Times of events before and after each time, and whether the time itself is one.

    Before the first there is zero or, if ``mirrored``, the distance from the first to the second; after the last there
    is the distance from the last but one. Only events make the grid, as subjects may be censored at any time: an
    interval then is too wide where a time happens to have no event, but never too narrow.
    """
    merged = merge_close(time)
    grid = np.unique(merged[event])
    if not len(grid):
        return time, time, np.zeros(len(time), dtype=bool)
    gaps = np.diff(grid) if len(grid) > 1 else np.full(1, np.nan)
    first = max(grid[0] - gaps[0], 0.0) if mirrored else 0.0
    padded = np.concatenate([[first], grid, [grid[-1] + gaps[-1]]])
    place = np.clip(np.searchsorted(grid, merged, side="right"), 1, len(grid))
    return padded[place - 1], padded[place + 1], padded[place] == merged
