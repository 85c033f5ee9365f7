"""What was observed of each subject: one internal target for every kind of censoring and every accepted ``y``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.utils.arrays import Array, Indices, Mask

#: Smallest portion of its subject that a row can have.
SMALLEST_PORTION = 1e-12


@dataclass(frozen=True)
class Target:
    """Rows, each at risk from ``entry`` on, with the event at some time in ``[lower, upper]``.

    `Target.of` fills in defaults. All fields have shape (n,).

    Attributes
    ----------
    lower : array
        Last time at which the subject is known to be without event.
    upper : array
        Equal to ``lower`` where the event was observed; infinite where the row is right-censored; in between where the
        event is interval-censored (``lower`` is 0 where it is left-censored).
    weight : array
        Weight of the row in the likelihood.
    entry : array
        Time from which the row is at risk: 0, unless entry was delayed or the subject has earlier rows.
    cause : array of int
        1 to K for the cause of an observed event, 0 for every other row.
    subject : array of int
        Rows of one subject share a number, 0 to m - 1 in the order in which subjects appear.
    portion : array
        The row's part of its subject, by time at risk: 1 for a single row; over the rows of a subject the sum is 1.
    """

    lower: Array
    upper: Array
    weight: Array
    entry: Array
    cause: Indices
    subject: Indices
    portion: Array

    @classmethod
    def of(
        cls,
        lower: Array,
        upper: Array,
        weight: Array | None = None,
        *,
        entry: Array | None = None,
        cause: npt.NDArray[Any] | None = None,
        subject: npt.NDArray[Any] | None = None,
    ) -> Target:
        """Rows; by default of weight one, at risk from time zero, with events of the first cause, one per subject.

        Examples
        --------
        >>> import numpy as np
        >>> Target.of(np.array([1.0, 2.0]), np.array([1.0, np.inf])).cause
        array([1, 0])
        """
        n = len(lower)
        entry = np.zeros(n) if entry is None else entry
        cause = lower == upper if cause is None else cause
        number = np.arange(n) if subject is None else number_by_appearance(subject)
        portion = np.ones(n) if subject is None else _portions(number, followed(lower, upper) - entry)
        weight = np.ones(n) if weight is None else weight
        return cls(lower, upper, weight, entry, cause.astype(np.intp, copy=False), number, portion)

    @cached_property
    def event(self) -> Mask:
        """Where the time of the event was observed."""
        seen: Mask = self.lower == self.upper
        return seen

    @cached_property
    def interval(self) -> Mask:
        """Where the event is known to lie between two different times: interval or left censoring."""
        between: Mask = (self.lower < self.upper) & np.isfinite(self.upper)
        return between

    @property
    def middle(self) -> Array:
        """A single time for methods that need one: the middle of an interval, elsewhere ``lower``."""
        if not self.interval.any():
            return self.lower
        return np.where(self.interval, 0.5 * (self.lower + np.where(self.interval, self.upper, 0.0)), self.lower)

    @cached_property
    def mass(self) -> Array:
        """Weight times portion of each row; the sum is the weighted number of subjects."""
        return self.weight * self.portion

    @property
    def subject_mass(self) -> Array:
        """Weight of each subject, in the order of appearance."""
        return np.bincount(self.number, weights=self.mass).astype(np.float64)

    @property
    def has_events(self) -> bool:
        """Whether there is an event, or an interval that holds one."""
        return bool((self.event | self.interval).any())

    @property
    def event_mass(self) -> float:
        """Weighted number of events whose time was observed."""
        return float(self.weight @ self.event)

    @cached_property
    def longest(self) -> float:
        """The largest finite time."""
        ends = self.upper[self.interval]
        return float(max(self.lower.max(), ends.max(initial=0.0)))

    def event_quantile(self, share: float) -> float:
        """Time by which this share of the events has happened (intervals at their ends); the longest if that is 0."""
        seen = self.event | self.interval
        return weighted_quantile(followed(self.lower, self.upper)[seen], self.weight[seen], share) or self.longest

    @property
    def exposure(self) -> float:
        """Weighted time at risk of all rows together."""
        return float(self.weight @ (self.middle - self.entry))

    @cached_property
    def n_causes(self) -> int:
        """The largest cause; one where there are only intervals, whose causes are unknown."""
        return max(int(self.cause.max(initial=0)), 1)

    @property
    def has_several_rows(self) -> bool:
        """Whether any subject has more than one row."""
        return self.n_subjects < len(self)

    @property
    def has_recurrent_events(self) -> bool:
        """Whether any subject has several events, so that Kaplan-Meier is no survival curve."""
        return self.has_several_rows and int(np.bincount(self.subject, self.event).max()) > 1

    @cached_property
    def recurrence(self) -> float:
        """Mean number of events of a subject with any: 1 unless events recur."""
        counts = np.bincount(self.number, self.event | self.interval)
        return float(counts[counts > 0.0].mean()) if counts.any() else 1.0

    @property
    def n_subjects(self) -> int:
        """Number of subjects."""
        return int(self.number.max(initial=-1)) + 1

    @cached_property
    def number(self) -> Indices:
        """The subject of each row, numbered by appearance; in ``subject`` a slice keeps the numbers of the whole."""
        return number_by_appearance(self.subject)

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: Any) -> Target:
        return Target(*(getattr(self, field.name)[rows] for field in fields(self)))

    def only(self, rows: Mask) -> Target:
        """Some of the rows, with portions recomputed: what is left of a subject counts as all of it."""
        part = self[rows]
        return Target.of(part.lower, part.upper, part.weight, entry=part.entry, cause=part.cause, subject=part.subject)

    def mean(self, loss: Array) -> float:
        """Weighted mean over subjects of a loss given for each row, of which a subject's is the sum."""
        return float((self.weight * loss).sum() / self.mass.sum())

    def limited_mean(self, loss: Array, reference: Array, limit: float) -> float:
        """The same with the loss of each subject, the sum over its rows, limited to ``limit`` around a reference.

        Without a limit, a single subject who outlives a confident prediction dominates the comparison of models. The
        limit is for one event: where events recur, losses of subjects are as many times larger.
        """
        change = self.limited_change(loss, reference, limit)
        return self.mean(reference) + float(change.sum() / self.mass.sum())

    def limited_change(self, loss: Array, reference: Array, limit: float) -> Array:
        """Weighted difference to the reference of each subject, limited, in the order of appearance."""
        change = np.bincount(self.number, weights=self.weight * (loss - reference))
        largest = limit * self.recurrence * self.subject_mass
        return np.clip(change, -largest, largest)

    def scaled(self, unit: float) -> Target:
        """The same observations with time measured in ``unit``."""
        entry = self.entry / unit if self.entry.any() else self.entry
        return self._changed(lower=self.lower / unit, upper=self.upper / unit, entry=entry)

    def _changed(self, **fields: Any) -> Target:
        """The same subjects, with the same weights, at other times."""
        changed = replace(self, **fields)
        vars(changed).update(number=self.number, mass=self.mass)  # which need not be computed again
        return changed

    def without_events_at_zero(self, smallest: float | None = None) -> Target:
        """Move events at time zero to half the smallest positive time: that of these rows, or the one given.

        For most families the hazard at zero is 0 or infinite, so an event there has no likelihood. Times are recorded
        in units, and zero usually means that the event came within the first one. A subject *censored* at zero carries
        no information and stays as it is, because ``H(0) = 0``.
        """
        at_zero = self.event & (self.lower == 0.0)
        if not at_zero.any():
            return self
        if smallest is None:
            times = np.concatenate([self.lower, self.upper, self.entry])
            # Of a small validation part all times may be 0; half the unit of time is as good as any.
            smallest = float(times[times > 0.0].min(initial=1.0))
        moved = np.where(at_zero, 0.5 * smallest, self.lower)
        return self._changed(lower=moved, upper=np.where(self.event, moved, self.upper))


def join_targets(targets: Sequence[Target]) -> Target:
    """Targets without a common subject, one after the other."""
    columns = {field.name: np.concatenate([getattr(one, field.name) for one in targets]) for field in fields(Target)}
    numbers = [one.number for one in targets]
    before = np.cumsum([0, *(int(number.max(initial=-1)) + 1 for number in numbers[:-1])])
    columns["subject"] = np.concatenate([number + first for number, first in zip(numbers, before, strict=True)])
    return Target(**columns)


def weighted_quantile(values: Array, weights: Array, share: float) -> float:
    """The smallest value up to which there is at least this share of the weight.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), 0.5)
    2.0
    """
    if (weights == weights[0]).all():  # no sorting is needed
        place = max(min(ceil(share * len(values)), len(values)) - 1, 0)
        return float(np.partition(values, place)[place])
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, share * reached[-1])])


def cause_shares(events: Array) -> Array:
    """Shares of the causes in events of known cause, by which those of unknown cause are divided; equal without any."""
    total = events.sum()
    return events / total if total > 0.0 else np.full(len(events), 1.0 / len(events))


def number_by_appearance(names: npt.NDArray[Any]) -> Indices:
    """Number equal names 0, 1, 2, ... in the order of their first appearance."""
    if names.dtype.kind in "iu" and (names[1:] > names[:-1]).all():  # no sorting is needed
        numbered = names.dtype == np.intp and len(names) and names[0] == 0 and names[-1] == len(names) - 1
        return names if numbered else np.arange(len(names))
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.ravel()]


def followed(lower: Array, upper: Array) -> Array:
    """The last finite time of each row."""
    return np.where(np.isfinite(upper), upper, lower)


def _portions(subject: Indices, duration: Array) -> Array:
    """Each row's share of the time of its subject: never nothing, and equal shares where the time is zero."""
    total, rows = np.bincount(subject, duration)[subject], np.bincount(subject)[subject]
    some = np.where(total > 0.0, np.maximum(duration, SMALLEST_PORTION * total), 1.0)
    portion: Array = np.where(rows == 1, 1.0, some / np.bincount(subject, some)[subject])
    return portion
