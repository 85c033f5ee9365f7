"""Risk sets of rows ``(start, stop]``, and the partial likelihood over them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hazboost.utils.arrays import Array, Mask


def event_times(event: Mask, stop: Array) -> Array:
    """Distinct times of events, ascending."""
    return np.unique(stop[event])


def risk_sets(start: Array, stop: Array, event: Mask) -> Iterator[tuple[Mask, Mask]]:
    """For each time of events, the rows with an event then and the rows at risk then."""
    for time in event_times(event, stop):
        yield event & (stop == time), (start < time) & (time <= stop)


def gain_per_event(start: Array, stop: Array, event: Mask, log_hazard: Array) -> float:
    r"""Mean partial log-likelihood of an event above that of drawing at random from those at risk.

    .. math:: \log \frac{h_i(t)}{\sum_j h_j(t)} + \log n(t)

    Parameters
    ----------
    start, stop, event : arrays of shape (n,)
        The rows.
    log_hazard : array of shape (n, times)
        A column for each distinct time of events.
    """
    total = 0.0
    for column, (with_event, at_risk) in enumerate(risk_sets(start, stop, event)):
        own = log_hazard[:, column]
        total += (own[with_event] - np.logaddexp.reduce(own[at_risk]) + np.log(at_risk.sum())).sum()
    return float(total / event.sum())
