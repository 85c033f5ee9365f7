"""Observed and expected events."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hazboost.data.target import Target
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import MAX_EXPONENT
from hazboost.utils.arrays import Array

#: The smallest hazard of an interval.
TINY = np.finfo(np.float64).tiny
#: Halvings of the time in which a cumulative hazard reaches its limit.
HALVINGS = 50


def count_events(distribution: Distribution, target: Target, cause: int | None = None) -> tuple[float, float]:
    """Observed and expected events of one cause, or of all, weighted.

    An event in an interval counts as the model expects it there.
    """
    interval = target.interval
    times = np.column_stack([target.entry, target.lower, np.where(interval, target.upper, target.lower)])
    passed, inside = np.diff(distribution.of_cause(cause).cumulative_hazard(times)).T
    observed = target.event if cause is None else target.cause == cause
    if interval.any():
        total = inside if cause is None else np.diff(distribution.cumulative_hazard(times[:, 1:]))[:, 0]
        # D / (exp(D) - 1) is 1 for very small D and 0 for very large ones, where the exponential would overflow.
        expected = np.maximum(inside, TINY) / np.expm1(np.clip(total, TINY, MAX_EXPONENT))
        observed = np.where(interval, expected, observed)
    return float(target.weight @ observed), float(target.weight @ passed)


def censor_at_hazard(distribution: Distribution, target: Target, limit: float) -> Target:
    """The same subjects, each until the time at which its cumulative hazard reaches a limit for each event.

    Otherwise a single long survivor would dominate the estimate. When that is, does not depend on what was
    observed, so that a model that is right still expects as many events as there are. Where events lie in intervals,
    nobody knows on which side of that time, and all are followed to the end.
    """
    if target.interval.any():
        return target
    at_entry, at_end = distribution.cumulative_hazard(np.column_stack([target.entry, target.lower])).T
    before = hazard_before(target, at_end - at_entry)
    left = np.maximum(limit * target.recurrence - before, 0.0)
    longer = np.flatnonzero(at_end - at_entry > left)
    if not len(longer):
        return target
    level, early, late = (at_entry + left)[longer], target.entry[longer], target.lower[longer]
    part = distribution[longer]
    for _ in range(HALVINGS):
        middle = 0.5 * (early + late)
        reached = part.cumulative_hazard(middle[:, None])[:, 0] >= level
        early, late = np.where(reached, early, middle), np.where(reached, middle, late)
    lower, upper, cause = target.lower.copy(), target.upper.copy(), target.cause.copy()
    lower[longer], upper[longer], cause[longer] = late, np.inf, 0
    return replace(target, lower=lower, upper=upper, cause=cause)


def hazard_before(target: Target, passed: Array) -> Array:
    """The cumulative hazard of the earlier rows of each row's subject, of shape (n,)."""
    if not target.has_several_rows:
        return np.zeros_like(passed)
    order = np.lexsort((target.entry, target.subject))
    total = np.concatenate([[0.0], np.cumsum(passed[order])[:-1]])
    first = np.concatenate([[True], np.diff(target.subject[order]) != 0])
    before = np.empty_like(passed)
    before[order] = total - total[first][np.cumsum(first) - 1]
    return before
