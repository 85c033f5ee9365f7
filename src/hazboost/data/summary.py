"""What has to be known of all rows before training: a few numbers that the parts of large data can be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hazboost.data.target import Target, cause_shares, followed, weighted_quantile
from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class Summary:
    """Sums, extremes and event times of some rows, in the user's unit of time and with the rows' own weights.

    Summaries of parts that divide no subject add up to that of the whole, exactly: the times of events are kept, which
    are one number for each event at most, so that their quantiles are those of the whole.

    Attributes
    ----------
    n_subjects : int
        Number of subjects.
    mass : float
        Weighted number of subjects.
    longest, shortest : float
        The largest and the smallest positive time; the latter is infinite where there is none.
    exposure : float
        Weighted time at risk of all rows together.
    events : array of shape (causes,)
        Weighted number of events of each known cause; causes beyond the largest code have none.
    interval_mass : float
        Weighted number of events that are known to lie between two times, whose cause is unknown.
    event_times, event_weights : arrays
        Times of events, intervals at their ends, and their weights.
    highest : array of shape (features,)
        The largest value of each feature; NaN where all are missing.
    """

    n_subjects: int
    mass: float
    longest: float
    shortest: float
    exposure: float
    events: Array
    interval_mass: float
    event_times: Array
    event_weights: Array
    highest: Array

    @property
    def width(self) -> int:
        """Number of features."""
        return len(self.highest)

    def events_by_cause(self, n_causes: int) -> Array:
        """Weighted number of events of each cause; those in intervals are divided like the events of known cause.

        See `hazboost.data.condense.as_if_only`.
        """
        known = np.zeros(n_causes)
        known[: len(self.events)] = self.events
        return known + cause_shares(known) * self.interval_mass

    def event_quantile(self, share: float) -> float:
        """Time by which this share of the events has happened; the longest if that is 0."""
        return weighted_quantile(self.event_times, self.event_weights, share) or self.longest


def summarise(target: Target, highest: Array) -> Summary:
    """The summary of rows in memory, and of the largest value of each feature."""
    ends = np.compress(target.interval, target.upper)
    seen = target.event | target.interval if len(ends) else target.event
    times = followed(target.lower, target.upper) if len(ends) else target.lower
    return Summary(
        n_subjects=target.n_subjects,
        mass=float(target.mass.sum()),
        longest=target.longest,
        shortest=min(map(_smallest_positive, (target.lower, target.entry, ends))),
        exposure=target.exposure,
        events=np.array([target.weight @ (target.cause == cause) for cause in range(1, target.cause.max() + 1)]),
        interval_mass=float(target.weight @ target.interval),
        # Much faster than times[seen] where there is no order in who had the event.
        event_times=np.compress(seen, times),
        event_weights=np.compress(seen, target.weight),
        highest=highest,
    )


def _smallest_positive(times: Array) -> float:
    smallest = float(times.min(initial=np.inf))
    return smallest if smallest > 0.0 else float(times[times > 0.0].min(initial=np.inf))


def combine(parts: Sequence[Summary]) -> Summary:
    """The summary of all parts together, none of which shares a subject with another."""
    events = np.zeros(max(len(part.events) for part in parts))
    for part in parts:
        events[: len(part.events)] += part.events
    return Summary(
        n_subjects=sum(part.n_subjects for part in parts),
        mass=sum(part.mass for part in parts),
        longest=max(part.longest for part in parts),
        shortest=min(part.shortest for part in parts),
        exposure=sum(part.exposure for part in parts),
        events=events,
        interval_mass=sum(part.interval_mass for part in parts),
        event_times=np.concatenate([part.event_times for part in parts]),
        event_weights=np.concatenate([part.event_weights for part in parts]),
        highest=np.fmax.reduce([part.highest for part in parts]),
    )
