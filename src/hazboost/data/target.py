"""What was observed of each subject: one internal target, made at one door from every accepted ``y``."""

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

#: Sample weights outside would be lost in the trees' single precision.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-15, 1e15
#: The least part of its subject that a row can be.
SMALLEST_PORTION = 1e-12


@dataclass(frozen=True)
class Target:
    """Rows, each watched from ``entry`` on, with the event at some time in ``[lower, upper]``.

    `Target.of` fills in what is the same for all rows. The fields, of shape (n,):

    Attributes
    ----------
    lower : array
        Last time at which the subject is known to be without event.
    upper : array
        Equal to ``lower`` where the event was seen; infinite where the row is right-censored; in between where the
        event fell between two looks (``lower`` is 0 where it fell before the first).
    weight : array
        Weight of the row in the likelihood.
    entry : array
        Time from which the row was under observation: 0, unless entry was delayed or the subject has earlier rows.
    cause : array of int
        1 to K for the cause of an event that was seen, 0 for every other row.
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
        """Rows with weight one, watched from zero, events of the first cause, one row each, unless given otherwise.

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
        """Where the time of the event was seen."""
        seen: Mask = self.lower == self.upper
        return seen

    @property
    def interval(self) -> Mask:
        """Where the event is known to lie between two different times."""
        between: Mask = (self.lower < self.upper) & np.isfinite(self.upper)
        return between

    @property
    def middle(self) -> Array:
        """The time to put in the place of an interval where one is needed: its middle; elsewhere ``lower``."""
        return np.where(self.interval, 0.5 * (self.lower + np.where(self.interval, self.upper, 0.0)), self.lower)

    @property
    def mass(self) -> Array:
        """Weight of the row as a part of its subject; the sum is the weighted number of subjects."""
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
        """Weighted number of events whose time was seen."""
        return float(self.weight @ self.event)

    @property
    def longest(self) -> float:
        """The largest finite time."""
        return float(_followed(self.lower, self.upper).max())

    def event_quantile(self, share: float) -> float:
        """When this share of the events had come, of an interval its end; the longest time where that is at zero."""
        seen = self.event | self.interval
        time, weight = _followed(self.lower, self.upper)[seen], self.weight[seen]
        order = np.argsort(time)
        reached = np.cumsum(weight[order])
        return float(time[order][np.searchsorted(reached, share * reached[-1])]) or self.longest

    @property
    def exposure(self) -> float:
        """Weighted time under observation, of all rows together."""
        return float(self.weight @ (self.middle - self.entry))

    @property
    def n_causes(self) -> int:
        """The largest cause; one where only intervals were seen."""
        return max(int(self.cause.max(initial=0)), 1)

    @property
    def has_several_rows(self) -> bool:
        """Whether any subject has more than one row."""
        return len(self) > 0 and int(self.subject.max()) + 1 < len(self)

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: Any) -> Target:
        return Target(*(getattr(self, field.name)[rows] for field in fields(self)))

    def only(self, rows: Mask) -> Target:
        """The target as if the other rows did not exist: what is left of a subject is all of it."""
        part = self[rows]
        return Target.of(part.lower, part.upper, part.weight, entry=part.entry, cause=part.cause, subject=part.subject)

    def mean(self, loss: Array) -> float:
        """Weighted mean over subjects of a loss given for each row, of which a subject's is the sum."""
        return float((self.weight * loss).sum() / self.mass.sum())

    def limited_mean(self, loss: Array, reference: Array, limit: float) -> float:
        """The same with the loss of each subject, the sum over its rows, at most ``limit`` away from a reference.

        Without a limit one subject who outlives a bold prediction decides for all.
        """
        change = self.limited_change(loss, reference, limit)
        return self.mean(reference) + float(change.sum() / self.mass.sum())

    def limited_change(self, loss: Array, reference: Array, limit: float) -> Array:
        """What each subject, in the order of appearance, adds to the sum of `limited_mean`, beyond the reference."""
        change = np.bincount(number_by_appearance(self.subject), weights=self.weight * (loss - reference))
        return np.clip(change, -limit * self.subject_mass, limit * self.subject_mass)

    def scaled(self, unit: float) -> Target:
        """The same observations with time measured in ``unit``."""
        return replace(self, lower=self.lower / unit, upper=self.upper / unit, entry=self.entry / unit)

    def without_events_at_zero(self) -> Target:
        """Move events at time zero to half the smallest positive time.

        A hazard at zero is 0 or infinite for most families, so an event there has no likelihood. It was
        recorded at zero because time is counted in units, and the event came within the first one.
        A subject *censored* at zero tells nothing and stays: ``H(0) = 0``.
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


def units(target: Target, group: Indices | None) -> Indices:
    """What folds and validation parts do not divide: the group of each row or, where there are none, its subject."""
    return number_by_appearance(target.subject if group is None else group)


def strata(target: Target, unit: Indices, least: int) -> Indices:
    """What became of each unit, a subject or a group of them: censored, an event of which cause, an interval.

    Kinds with fewer than ``least`` units are not told apart: then all events are one kind, or everything is.
    """
    kind = np.zeros(int(unit.max()) + 1, dtype=np.intp)
    np.maximum.at(kind, unit, np.where(target.interval, target.cause.max() + 1, target.cause))
    for coarser in (kind, (kind > 0).astype(np.intp)):
        counts = np.unique(coarser, return_counts=True)[1]
        if len(counts) > 1 and counts.min() >= least:
            return coarser
    return np.zeros_like(kind)


def rows_of(unit: Indices, chosen: Indices) -> Indices:
    """Rows of the chosen units; with one row for each, in the order of ``chosen``."""
    if len(unit) == int(unit.max()) + 1:
        return chosen
    return np.flatnonzero(np.isin(unit, chosen))


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
    """Put the rows of a subject that follow one another without event or change of weight back together.

    What is fitted without features does not see where a subject was cut in pieces.
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

    What is fitted without features sees times only, and a few thousand of them say as much as a million. As the
    likelihood has ``H(entry) - H(lower)``, a delayed entry is a row of its own, censored, with a negative weight.
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
        merged.append(_merge_intervals(from_zero[interval], 5 * size))  # two times each need more rows
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
    """Rows of several targets, as subjects of their own."""
    names = ("lower", "upper", "weight", "entry", "cause")
    lower, upper, weight, entry, cause = (np.concatenate([getattr(part, name) for part in parts]) for name in names)
    return Target.of(lower, upper, weight, entry=entry, cause=cause)


def as_if_only(target: Target, cause: int) -> Target:
    """Exact and censored rows for one cause, the others being censoring, and intervals at their middle.

    Nobody knows the cause of an event in an interval: each cause has the part of it that it has of the known ones.
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
    lower = lower if entry is None else np.maximum(lower, entry)  # who is watched from then on is without event then
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
