"""What was observed of each subject: one internal target for every kind of censoring and every accepted ``y``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.observations import (
    check_cause,
    check_id,
    check_interval,
    check_lengths,
    check_time,
    examples,
    find_columns,
    refuse_overlaps,
    refuse_unordered,
)
from hazboost.utils.arrays import Array, Indices, Mask, as_numbers

#: Sample weights outside this range would be lost in the trees' single precision.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-15, 1e15
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
        portion = np.ones(n) if subject is None else _portions(number, _followed(lower, upper) - entry)
        weight = np.ones(n) if weight is None else weight
        return cls(lower, upper, weight, entry, cause.astype(np.intp), number, portion)

    @property
    def event(self) -> Mask:
        """Where the time of the event was observed."""
        seen: Mask = self.lower == self.upper
        return seen

    @property
    def interval(self) -> Mask:
        """Where the event is known to lie between two different times: interval or left censoring."""
        between: Mask = (self.lower < self.upper) & np.isfinite(self.upper)
        return between

    @property
    def middle(self) -> Array:
        """A single time for methods that need one: the middle of an interval, elsewhere ``lower``."""
        return np.where(self.interval, 0.5 * (self.lower + np.where(self.interval, self.upper, 0.0)), self.lower)

    @property
    def mass(self) -> Array:
        """Weight times portion of each row; the sum is the weighted number of subjects."""
        return self.weight * self.portion

    @property
    def subject_mass(self) -> Array:
        """Weight of each subject, in the order of appearance."""
        return np.bincount(number_by_appearance(self.subject), weights=self.mass).astype(np.float64)

    @property
    def has_events(self) -> bool:
        """Whether there is an event, or an interval that holds one."""
        return bool((self.event | self.interval).any())

    @property
    def event_mass(self) -> float:
        """Weighted number of events whose time was observed."""
        return float(self.weight @ self.event)

    @property
    def longest(self) -> float:
        """The largest finite time."""
        return float(_followed(self.lower, self.upper).max())

    def event_quantile(self, share: float) -> float:
        """Time by which this share of the events has happened (intervals at their ends); the longest if that is 0."""
        seen = self.event | self.interval
        time, weight = _followed(self.lower, self.upper)[seen], self.weight[seen]
        order = np.argsort(time)
        reached = np.cumsum(weight[order])
        return float(time[order][np.searchsorted(reached, share * reached[-1])]) or self.longest

    @property
    def exposure(self) -> float:
        """Weighted time at risk of all rows together."""
        return float(self.weight @ (self.middle - self.entry))

    @property
    def n_causes(self) -> int:
        """The largest cause; one where there are only intervals, whose causes are unknown."""
        return max(int(self.cause.max(initial=0)), 1)

    @property
    def has_several_rows(self) -> bool:
        """Whether any subject has more than one row."""
        return self.n_subjects < len(self)

    @property
    def n_subjects(self) -> int:
        """Number of subjects. A slice keeps the numbers of the whole, so they are counted, not read off."""
        return len(np.unique(self.subject))

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

        Without a limit, a single subject who outlives a confident prediction dominates the comparison of models.
        """
        change = self.limited_change(loss, reference, limit)
        return self.mean(reference) + float(change.sum() / self.mass.sum())

    def limited_change(self, loss: Array, reference: Array, limit: float) -> Array:
        """Weighted difference to the reference of each subject, limited, in the order of appearance."""
        change = np.bincount(number_by_appearance(self.subject), weights=self.weight * (loss - reference))
        return np.clip(change, -limit * self.subject_mass, limit * self.subject_mass)

    def scaled(self, unit: float) -> Target:
        """The same observations with time measured in ``unit``."""
        return replace(self, lower=self.lower / unit, upper=self.upper / unit, entry=self.entry / unit)

    def without_events_at_zero(self) -> Target:
        """Move events at time zero to half the smallest positive time.

        For most families the hazard at zero is 0 or infinite, so an event there has no likelihood. Times are recorded
        in units, and zero usually means that the event came within the first one. A subject *censored* at zero carries
        no information and stays as it is, because ``H(0) = 0``.
        """
        at_zero = self.event & (self.lower == 0.0)
        if not at_zero.any():
            return self
        times = np.concatenate([self.lower, self.upper, self.entry])
        moved = np.where(at_zero, 0.5 * times[times > 0.0].min(), self.lower)
        return replace(self, lower=moved, upper=np.where(self.event, moved, self.upper))


def number_by_appearance(names: npt.NDArray[Any]) -> Indices:
    """Number equal names 0, 1, 2, ... in the order of their first appearance."""
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.ravel()]


def _followed(lower: Array, upper: Array) -> Array:
    """The last finite time of each row."""
    return np.where(np.isfinite(upper), upper, lower)


def _portions(subject: Indices, duration: Array) -> Array:
    """Each row's share of the time of its subject: never nothing, and equal shares where the time is zero."""
    total, rows = np.bincount(subject, duration)[subject], np.bincount(subject)[subject]
    some = np.where(total > 0.0, np.maximum(duration, SMALLEST_PORTION * total), 1.0)
    portion: Array = np.where(rows == 1, 1.0, some / np.bincount(subject, some)[subject])
    return portion


def join_rows(target: Target) -> Target:
    """Merge consecutive rows of a subject without event or change of weight in between.

    A fit without covariates is the same however a subject was split into rows, and faster with fewer of them.
    """
    if not target.has_several_rows:
        return target
    ordered = target[np.lexsort((target.entry, target.subject))]
    goes_on = (
        (ordered.subject[1:] == ordered.subject[:-1])
        & (ordered.entry[1:] == ordered.lower[:-1])
        & (ordered.weight[1:] == ordered.weight[:-1])
        & np.isinf(ordered.upper[:-1])
    )
    first, last = np.r_[True, ~goes_on], np.r_[~goes_on, True]
    ends = ordered[last]
    return Target.of(
        ends.lower, ends.upper, ends.weight, entry=ordered.entry[first], cause=ends.cause, subject=ends.subject
    )


def condense(target: Target, size: int) -> Target:
    """Merge rows of nearly the same time until about ``size`` are left of each kind: events by cause, and censored.

    A fit without covariates depends on the times only, and a few thousand of them carry the information of a million.
    The loss has ``H(lower) - H(entry)``, so a delayed entry becomes a censored row of negative weight.
    """
    interval, late = target.interval, target.entry > 0.0
    from_zero = replace(target, entry=np.zeros(len(target)))
    kinds = [from_zero[target.cause == cause] for cause in range(1, int(target.cause.max(initial=0)) + 1)]
    kinds.append(from_zero[(target.cause == 0) & ~interval])
    entries = Target.of(target.entry[late], np.full(late.sum(), np.inf), target.weight[late])
    merged = [_merge(kind, size) for kind in [*kinds, entries] if len(kind)]
    if entries.weight.size:
        merged[-1] = replace(merged[-1], weight=-merged[-1].weight)
    if interval.any():
        merged.append(_merge_intervals(from_zero[interval], 5 * size))  # pairs of times need more
    return _concatenate(merged)


def _merge(target: Target, size: int) -> Target:
    """Replace runs of neighbouring times of one kind by their weighted means."""
    if len(target) <= size:
        return target
    ordered = target[np.argsort(target.lower, kind="stable")]
    first = np.linspace(0, len(target), size, endpoint=False).astype(np.intp)
    weight = np.add.reduceat(ordered.weight, first)
    lower = np.add.reduceat(ordered.weight * ordered.lower, first) / weight
    upper = np.where(np.isinf(ordered.upper[first]), np.inf, lower)
    return Target.of(lower, upper, weight, cause=ordered.cause[first])


def _merge_intervals(target: Target, size: int) -> Target:
    """Replace intervals that begin and end at nearly the same times by their weighted means."""
    if len(target) <= size:
        return target
    strips = int(np.sqrt(size))
    strip = np.argsort(np.argsort(target.lower, kind="stable"), kind="stable") * strips // len(target)
    cell = np.empty(len(target), dtype=np.intp)
    for number in range(strips):
        rows = np.flatnonzero(strip == number)
        order = np.argsort(np.argsort(target.upper[rows], kind="stable"), kind="stable")
        cell[rows] = number * strips + order * strips // len(rows)
    weight = np.bincount(cell, target.weight).astype(np.float64)
    some = weight > 0.0
    lower, upper = (
        np.bincount(cell, target.weight * times)[some] / weight[some] for times in (target.lower, target.upper)
    )
    return Target.of(lower, upper, weight[some])


def _concatenate(parts: Sequence[Target]) -> Target:
    """Rows of several targets, each row a subject of its own."""
    names = ("lower", "upper", "weight", "entry", "cause")
    lower, upper, weight, entry, cause = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Target.of(lower, upper, weight, entry=entry, cause=cause)


def as_if_only(target: Target, cause: int) -> Target:
    """The data of one cause: events of other causes are censored, and intervals are replaced by their middle.

    The cause of an event in an interval is unknown, so it is divided among the causes like the events of known cause.
    """
    interval = target.interval
    known = np.bincount(target.cause, target.weight, minlength=cause + 1)[1:]
    share = known[cause - 1] / known.sum() if known.sum() > 0.0 else 1.0 / len(known)
    seen = target.cause == cause
    here = Target.of(
        target.middle,
        np.where(seen | interval, target.middle, np.inf),
        np.where(interval, share, 1.0) * target.weight,
        entry=target.entry,
    )
    if not interval.any() or share == 1.0:
        return here
    others = Target.of(
        here.lower[interval],
        np.full(interval.sum(), np.inf),
        (1.0 - share) * target.weight[interval],
        entry=here.entry[interval],
    )
    return _concatenate([here, others])


def as_target(y: Any, sample_weight: Any = None, *, name: str = "y") -> Target:
    """Check ``y`` and turn it into a `Target`.

    Parameters
    ----------
    y : structured array, DataFrame, or pair of arrays
        What `hazboost.Surv` makes; a structured array as in scikit-survival, whose first field is the event and
        whose second field is the time, under any names; a DataFrame with the columns of one of the kinds in
        `hazboost.data.observations`, or with two columns, the event and the time; or a pair ``(event, time)``.
        An event is boolean, or the number of its cause, 0 for none. A `Target`, such as the rows of one that was made
        here, is passed on.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; one each, or those of a `Target`, by default.
    name : str
        What to call the argument in an error.
    """
    if isinstance(y, Target):
        return y if sample_weight is None else replace(y, weight=_check_weight(sample_weight, len(y)))
    kind, columns = find_columns(y, name)
    check_lengths({column: np.atleast_1d(np.asarray(values)) for column, values in columns.items()}, name)
    target = {"right": _read_right, "counting": _read_counting, "interval": _read_interval}[kind](columns, name)
    return replace(target, weight=_check_weight(sample_weight, len(target)))


def as_groups(groups: Any, target: Target) -> Indices:
    """Check ``groups``, one label for each row and the same for all rows of a subject, and number them."""
    labels = check_id(groups, "groups", "label")
    if len(labels) != len(target):
        raise ValueError(f"groups must have one label for each of the {len(target)} rows; got {len(labels)}.")
    group = number_by_appearance(labels)
    first = np.zeros(int(target.subject.max()) + 1, dtype=np.intp)
    first[target.subject[::-1]] = group[::-1]
    divided = np.flatnonzero(first[target.subject] != group)
    if divided.size:
        row = divided[0]
        raise ValueError(f"groups: row {row} is in group {labels[row]}, an earlier row of its subject in another one.")
    return group


def _read_right(columns: Mapping[str, Any], name: str) -> Target:
    cause, time = check_cause(columns["event"], name), check_time(columns["time"], name)
    entry = _read_entry(columns, time, name)
    return Target.of(time, np.where(cause > 0, time, np.inf), entry=entry, cause=cause)


def _read_counting(columns: Mapping[str, Any], name: str) -> Target:
    cause = check_cause(columns["event"], name)
    start, stop = (check_time(columns[column], name, column) for column in ("start", "stop"))
    refuse_unordered(start, stop, start >= stop, name, "start must be before stop")
    subject = check_id(columns["id"], name) if "id" in columns else None
    if subject is not None:
        refuse_overlaps(subject, start, stop, name)
    return Target.of(stop, np.where(cause > 0, stop, np.inf), entry=start, cause=cause, subject=subject)


def _read_interval(columns: Mapping[str, Any], name: str) -> Target:
    lower, upper = check_interval(columns["lower"], columns["upper"], name)
    entry = _read_entry(columns, _followed(lower, upper), name)
    # A subject that comes under observation is without event at that time.
    lower = lower if entry is None else np.maximum(lower, entry)
    return Target.of(lower, upper, entry=entry)


def _read_entry(columns: Mapping[str, Any], end: Array, name: str) -> Array | None:
    """Times of entry, each before the end of its row."""
    if "entry" not in columns:
        return None
    entry = check_time(columns["entry"], name, "entry")
    refuse_unordered(entry, end, (entry >= end) & (entry > 0.0), name, "entry must be before the last time")
    return entry


def check_informative(target: Target, name: str = "y") -> None:
    """Refuse a target from which no hazard can be learned."""
    if not target.weight.any():
        raise ValueError("sample_weight is zero for every subject; at least one must be positive.")
    known = target.cause[target.weight > 0.0]
    if not (known > 0).any() and not (target.interval & (target.weight > 0.0)).any():
        raise ValueError(
            f"{name} has no event: all {len(target)} subjects are censored (or have weight 0). At least one event is "
            "needed; check that the event indicator is the first field and True means that the event happened."
        )
    if target.longest == 0.0:
        raise ValueError(f"{name}: all observed times are 0; at least one must be positive.")


def check_causes(target: Target, name: str = "y") -> None:
    """Refuse causes that are not numbered 1, 2, ... without gaps."""
    absent = np.setdiff1d(np.arange(1, target.n_causes), target.cause)
    if len(absent):
        raise ValueError(
            f"{name}: causes must be numbered 1, 2, ... without gaps, 0 for no event; the largest is {target.n_causes} "
            f"and there is no event of cause {', '.join(map(str, absent[:5]))}. "
            "The event comes first and the time second."
        )


def _check_weight(sample_weight: Any, n: int) -> Array:
    if sample_weight is None:
        return np.ones(n)
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), one value per subject; got {weight.shape}.")
    wrong = ~np.isfinite(weight) | (weight < 0.0)
    if wrong.any():
        raise ValueError(f"sample_weight must be finite and non-negative; got {examples(weight, wrong)}.")
    extreme = (weight > 0.0) & ((weight < SMALLEST_WEIGHT) | (weight > LARGEST_WEIGHT))
    if extreme.any():
        raise ValueError(
            f"sample_weight must be 0 or between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}; "
            f"got {examples(weight, extreme)}."
        )
    return weight
