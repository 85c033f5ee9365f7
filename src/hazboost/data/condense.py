"""Fewer rows with the same likelihood: of a subject whose features stay the same, and without covariates of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hazboost.data.features import same_rows
from hazboost.data.target import Target, cause_shares
from hazboost.utils.arrays import Array, Indices


class Runs(NamedTuple):
    """Rows with which runs of consecutive rows of a subject begin and end, in the order of subjects and times."""

    first: Indices
    last: Indices

    def join(self, target: Target) -> Target:
        """The target with one row for each run."""
        ends = target[self.last]
        return Target.of(
            ends.lower, ends.upper, ends.weight, entry=target.entry[self.first], cause=ends.cause, subject=ends.subject
        )


def find_runs(target: Target, X: Any = None) -> Runs:
    """Rows of a subject that follow one another without event or change of weight, or of features if there are some."""
    order = np.lexsort((target.entry, target.subject))
    ordered = target[order]
    goes_on = (
        (ordered.subject[1:] == ordered.subject[:-1])
        & (ordered.entry[1:] == ordered.lower[:-1])
        & (ordered.weight[1:] == ordered.weight[:-1])
        & np.isinf(ordered.upper[:-1])
    )
    if X is not None:
        here = np.flatnonzero(goes_on)
        goes_on[here] = same_rows(X, order[here], order[here + 1])
    return Runs(order[np.r_[True, ~goes_on]], order[np.r_[~goes_on, True]])


def join_rows(target: Target) -> Target:
    """Merge consecutive rows of a subject without event or change of weight in between.

    A fit without covariates is the same however a subject was split into rows, and faster with fewer of them.
    """
    return find_runs(target).join(target) if target.has_several_rows else target


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


def events_by_cause(target: Target, n_causes: int) -> Array:
    """Weighted number of events of each cause, those in intervals included; the events of `as_if_only`, counted."""
    known = _known_events(target, n_causes)
    return known + cause_shares(known) * float(target.weight @ target.interval)


def _known_events(target: Target, n_causes: int) -> Array:
    """Weighted number of events of each cause whose time was observed."""
    return np.bincount(target.cause, target.weight, minlength=n_causes + 1)[1:].astype(np.float64)


def as_if_only(target: Target, cause: int, n_causes: int) -> Target:
    """The data of one of the causes: events of other causes are censored, and intervals are replaced by their middle.

    The cause of an event in an interval is unknown, so it is divided among the causes like the events of known cause.
    """
    interval = target.interval
    share = float(cause_shares(_known_events(target, n_causes))[cause - 1])
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
