"""Argument checks and warnings shared by all metrics."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import UndefinedMetricWarning

from hazboost.data.reading import as_target
from hazboost.data.target import Target
from hazboost.utils.arrays import Array, Indices, Mask, as_numbers, as_times
from hazboost.utils.describe import SHOWN, and_more, describe
from hazboost.utils.warn import warn_caller
from hazboost.utils.whole_numbers import is_whole_number

#: Probabilities may exceed [0, 1], and cumulative hazards be negative, by this much: models that predict in single
#: precision do.
ROUNDING = 1e-6


class FollowUpWarning(UserWarning):
    """A metric was evaluated at times after the end of follow-up; the message says how it was handled."""


def warn_undefined(message: str) -> None:
    """Warn that a result is NaN, and why."""
    warn_caller(message, UndefinedMetricWarning)


def warn_no_pairs() -> None:
    """Warn that a concordance index is NaN."""
    warn_undefined(
        "y: no two subjects can be compared, because nobody is known to be without event when another has one, so the "
        "concordance index is not defined (NaN); use more data."
    )


def warn_follow_up(message: str) -> None:
    """Warn about times after the end of follow-up."""
    warn_caller(message, FollowUpWarning)


def exact_target(y: Any, name: str, sample_weight: Any = None) -> Target:
    """Check ``y``, and refuse interval-censored rows, whose event time is unknown."""
    target = as_target(y, sample_weight, name=name)
    if target.interval.any():
        raise ValueError(
            f"{name}: {_rows(np.flatnonzero(target.interval))} interval-censored; the metrics need exact event "
            "times. Leave these rows out, or evaluate the model by its likelihood."
        )
    return target


def one_row_target(y: Any, name: str) -> Target:
    """Check ``y`` as `exact_target` does, and refuse several rows of one subject."""
    target = exact_target(y, name)
    if target.has_several_rows:
        rows = np.flatnonzero(np.bincount(target.subject)[target.subject] > 1)
        raise ValueError(
            f"{name}: {_rows(rows)} of a subject with several rows; of the metrics only concordance_index and its "
            "interval accept them, because the others need one prediction per subject."
        )
    return target


def refuse_rows_after_an_event(target: Target) -> None:
    """Refuse rows after an event of the same subject: with competing risks, the first event ends the follow-up."""
    # Sorted by subject and time, an offending row directly follows an event of its own subject.
    order = np.lexsort((target.lower, target.subject))
    again = target.event[order][:-1] & (target.subject[order][1:] == target.subject[order][:-1])
    if again.any():
        raise ValueError(
            f"y: {_rows(order[1:][again])} after an event of the same subject; with cause=, the follow-up of a "
            "subject must end with its first event."
        )


def event_of_interest(target: Target, cause: int | None) -> Mask:
    """Rows with an observed event of the given cause, or of any cause."""
    if cause is None:
        return target.event
    if not is_whole_number(cause, 1):
        raise ValueError(f"cause must be a positive whole number, or None for any event; got {describe(cause)}.")
    of_cause: Mask = target.cause == cause
    return of_cause


def as_risk(risk: npt.ArrayLike, n: int, name: str = "risk") -> Array:
    """Check one risk per row of ``y``. Infinite risks are allowed: only their order matters."""
    values = as_numbers(risk, name)
    if values.shape != (n,):
        raise ValueError(f"{name} must have one value for each of the {n} rows of y; got shape {values.shape}.")
    _refuse(values, np.isnan(values), f"{name} must not be NaN")
    return values


def as_risks(risk: npt.ArrayLike, n: int, n_times: int) -> Array:
    """Check one risk per subject (returned as a single column), or one per subject and time."""
    values = as_numbers(risk, "risk")
    if values.shape == (n,):
        values = values[:, None]
    elif values.shape != (n, n_times):
        raise ValueError(
            f"risk must have one value for each of the {n} rows of y_test, or one row for each of them and one column "
            f"for each of the {n_times} times; got shape {values.shape}."
        )
    _refuse(values, np.isnan(values), "risk must not be NaN")
    return values


def as_probabilities(estimate: npt.ArrayLike, n: int, n_times: int) -> Array:
    """Check one probability per subject and time; for a single time a vector will do."""
    values = as_numbers(estimate, "estimate")
    if n_times == 1 and values.shape == (n,):
        values = values[:, None]
    if values.shape != (n, n_times):
        raise ValueError(
            f"estimate must have one row for each of the {n} subjects and one column for each of the {n_times} times; "
            f"got shape {values.shape}."
        )
    return check_probabilities(values, "estimate")


def check_probabilities(values: Array, name: str) -> Array:
    """Refuse values outside of [0, 1], and NaN."""
    # The negated condition is also true for NaN.
    wrong = ~((values >= -ROUNDING) & (values <= 1.0 + ROUNDING))
    _refuse(values, wrong, f"{name} must be probabilities between 0 and 1")
    return values


def as_cumulative_hazards(values: npt.ArrayLike, n: int) -> Array:
    """Check one cumulative hazard per subject: finite and not negative, apart from rounding errors of differences."""
    hazard = as_numbers(values, "cumulative_hazard")
    if hazard.shape != (n,):
        raise ValueError(
            f"cumulative_hazard must have one value for each of the {n} subjects, at its own time; got shape "
            f"{hazard.shape}."
        )
    wrong = ~((hazard >= -ROUNDING) & np.isfinite(hazard))
    _refuse(hazard, wrong, "cumulative_hazard must be finite and not negative")
    return np.maximum(hazard, 0.0)


def as_grid(times: npt.ArrayLike) -> Array:
    """Check one or more strictly increasing times."""
    grid = np.atleast_1d(as_times(times))
    if grid.ndim != 1 or len(grid) == 0:
        raise ValueError(f"times must be one time or a list of times; got shape {grid.shape}.")
    # Sorting here would silently break the correspondence with the columns of the predictions.
    if (np.diff(grid) <= 0.0).any():
        raise ValueError("times must be strictly increasing; sort them, and the columns of the predictions with them.")
    return grid


def check_single(grid: Array) -> None:
    """Refuse several times where ``time`` is one."""
    if len(grid) > 1:
        raise ValueError(f"time must be a single time; got {len(grid)}.")


def name_times(times: Array) -> str:
    """The first times as text."""
    return and_more([f"{time:g}" for time in times[:SHOWN]], len(times))


def _refuse(values: Array, wrong: Mask, requirement: str) -> None:
    if wrong.any():
        places = np.argwhere(wrong)
        named = [f"{values[tuple(place)]} (row {place[0]})" for place in places[:SHOWN]]
        raise ValueError(f"{requirement}; got {and_more(named, len(places))}.")


def _rows(rows: Indices) -> str:
    """``row 3 is``, or ``rows 3, 5, 8 and 2 more are``."""
    if len(rows) == 1:
        return f"row {rows[0]} is"
    return f"rows {and_more([str(row) for row in np.sort(rows)[:SHOWN]], len(rows))} are"
