"""How the subjects of a situation come into the data: censored, late, or inspected from time to time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from benchmarks.harness.observation import entered, inspected
from benchmarks.peers.shared.base import Sample
from hazboost.utils.arrays import Array

#: Share of the subjects that leave before the study ends; 30 to 50 % are censored then.
LEAVING = 2.0 / 3.0
#: Inspections of a subject.
VISITS = 10
#: Subjects drawn for each one in the data, where some have the event before they enter.
RECRUITED = 3


class Scale(NamedTuple):
    """The median of the event times, and the time up to which curves are judged."""

    median: float
    horizon: float


class Observe(Protocol):
    """From the subjects and their event times to the rows of a data set."""

    def __call__(self, X: Array, time: Array, rng: np.random.Generator, scale: Scale) -> Sample:
        """The rows."""
        ...


def censored(X: Array, time: Array, rng: np.random.Generator, scale: Scale) -> Sample:
    """Most subjects leave at a constant rate, after the median event time on average; the others stay to the end."""
    leaves = rng.random(len(X)) < LEAVING
    return until(X, time, np.where(leaves, rng.exponential(scale.median, len(X)), scale.horizon))


def mostly_censored(X: Array, time: Array, rng: np.random.Generator, scale: Scale) -> Sample:
    """Subjects join evenly over the time up to the horizon, when the study ends."""
    return until(X, time, rng.uniform(0.0, scale.horizon, len(X)))


def with_one_censored_at(limit: float) -> Observe:
    """As `censored`, but the last row has a time that is far beyond all others."""

    def observe(X: Array, time: Array, rng: np.random.Generator, scale: Scale) -> Sample:
        sample = censored(X, time, rng, scale)
        sample.event[-1], sample.time[-1] = False, limit
        return sample

    return observe


def with_causes(first: Callable[[Array, Array], Array]) -> Observe:
    """As `censored`, with the cause of each event; `first` is the probability of cause 1, given features and time."""

    def observe(X: Array, time: Array, rng: np.random.Generator, scale: Scale) -> Sample:
        sample = censored(X, time, rng, scale)
        cause = np.where(rng.random(len(X)) < first(X, time), 1, 2)
        return replace(sample, event=np.where(sample.event, cause, 0))

    return observe


def late(X: Array, time: Array, rng: np.random.Generator, scale: Scale) -> Sample:
    """As `censored`, with entry up to the median; those whose time has ended by then are not in the data."""
    sample, entry = censored(X, time, rng, scale), rng.uniform(0.0, scale.median, len(X))
    rows = entered(sample.time, entry, len(X) // RECRUITED)
    return Sample(X[rows], sample.event[rows], sample.time[rows], entry=entry[rows])


def visited(X: Array, time: Array, rng: np.random.Generator, scale: Scale) -> Sample:
    """Inspections after irregular pauses; the event lies between two of them, or after the last."""
    pauses = rng.uniform(0.04 * scale.horizon, 0.2 * scale.horizon, (len(X), VISITS))
    lower, upper = inspected(time, np.cumsum(pauses, axis=1))
    return Sample(X, np.isfinite(upper), lower, upper=upper)


def until(X: Array, time: Array, limit: Array) -> Sample:
    """Right censoring at the limits."""
    return Sample(X, time <= limit, np.minimum(time, limit))
