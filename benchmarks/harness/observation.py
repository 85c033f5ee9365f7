"""Ways of observing simulated subjects: who is in the data after delayed entry, and what inspections tell."""

from __future__ import annotations

import numpy as np

from hazboost.utils.arrays import Array, Indices


def entered(end: Array, entry: Array, n: int) -> Indices:
    """The first `n` subjects that are still there when their observation begins."""
    return np.flatnonzero(end > entry)[:n]


def inspected(event_time: Array, inspections: Array) -> tuple[Array, Array]:
    """The inspections before and after each event, subjects by inspections.

    The one before is 0 where there is none, the one after infinite.
    """
    n = len(event_time)
    bounds = np.column_stack([np.zeros(n), inspections, np.full(n, np.inf)])
    after, rows = (bounds < event_time[:, None]).sum(axis=1), np.arange(n)
    return bounds[rows, after - 1], bounds[rows, after]
