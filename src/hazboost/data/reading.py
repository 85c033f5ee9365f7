"""From every accepted ``y`` to the internal `Target`, with checks that name the offending values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hazboost.data.observations import (
    check_cause,
    check_id,
    check_interval,
    check_lengths,
    check_time,
    find_columns,
    refuse_overlaps,
    refuse_unordered,
)
from hazboost.data.target import Target, followed, number_by_appearance
from hazboost.utils.arrays import Array, Indices, as_numbers
from hazboost.utils.describe import examples
from hazboost.utils.warn import warn_caller

#: Sample weights that are smaller than this part of the largest would be lost in the trees' single precision.
SMALLEST_WEIGHT = 1e-15
#: The longest time may be in this range, far from where numbers end.
SMALLEST_LONGEST, LARGEST_LONGEST = 1e-200, 1e200


def as_target(y: Any, sample_weight: Any = None, *, name: str = "y", causes_known: bool = False) -> Target:
    """Check ``y`` and turn it into a `Target`.

    Parameters
    ----------
    y : structured array, table, or pair of arrays
        What `hazboost.Surv` makes; a structured array as in scikit-survival, with an event and a time under any names;
        a table (pandas, polars, Arrow) with the columns of one of the kinds in `hazboost.data.observations`, or with
        two columns, an event and a time; or a pair ``(event, time)``. `hazboost.data.pairs` says which of two columns
        is the event. An event is boolean, or the number of its cause, 0 for none. A `Target`, such as the rows of one
        that was made here, is passed on.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; one each, or those of a `Target`, by default.
    name : str
        What to call the argument in an error.
    causes_known : bool
        Whether codes above 1 are known to be causes. Otherwise codes 1 and 2 without 0 cause a warning, because they
        may be those of R.
    """
    if isinstance(y, Target):
        return y if sample_weight is None else replace(y, weight=_check_weight(sample_weight, len(y)))
    target = read_columns(*find_columns(y, name), name, causes_known=causes_known)
    return target if sample_weight is None else replace(target, weight=_check_weight(sample_weight, len(target)))


def read_columns(kind: str, columns: Mapping[str, Any], name: str, *, causes_known: bool = False) -> Target:
    """Check the columns of one of the kinds of `hazboost.data.observations`."""
    check_lengths({column: np.atleast_1d(np.asarray(values)) for column, values in columns.items()}, name)
    target = {"right": _read_right, "counting": _read_counting, "interval": _read_interval}[kind](columns, name)
    if not causes_known and kind != "interval":
        warn_of_codes_of_r(target, name)
    return target


def warn_of_codes_of_r(target: Target, name: str) -> None:
    """Warn if nobody is censored and there are several causes: in R this would be one event and censoring."""
    if target.cause.min() == 0:
        return
    codes = np.flatnonzero(np.bincount(target.cause))
    if len(codes) > 1:
        listed = ", ".join(map(str, codes))
        warn_caller(
            f"{name}: the event has the codes {listed}, and no 0. Here these are causes, and nobody is censored; "
            f"FPBoost(n_causes={codes[-1]}) confirms it. In R's Surv, 1 means censored and 2 means the event; if that "
            "is meant, pass event == 2.",
            UserWarning,
        )


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
        raise ValueError(
            f"groups: row {row} is in group {labels[row]}, an earlier row of its subject in another one; give all rows "
            "of a subject the same group."
        )
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
    entry = _read_entry(columns, followed(lower, upper), name)
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


def check_rows(rows: int, target: Target, prefix: str = "") -> None:
    """Refuse features and outcomes of different numbers of rows."""
    if rows != len(target):
        raise ValueError(f"{prefix}X has {rows} rows and y has {len(target)}; both need one for each subject.")


def check_informative(target: Target, name: str = "y", rows: int | None = None) -> None:
    """Refuse a target from which no hazard can be learned; if its rows stand for more, ``rows`` is their number."""
    if not target.weight.any():
        raise ValueError("sample_weight is zero for every subject; at least one must be positive.")
    if not ((target.event | target.interval) & (target.weight > 0.0)).any():
        raise ValueError(
            f"{name} has no event: all {rows or len(target)} subjects are censored (or have weight 0). At least one "
            "event is needed; check which column is read as the event, and that True means that it happened."
        )
    if target.longest == 0.0:
        raise ValueError(
            f"{name}: all observed times are 0; at least one must be positive. Check which column is read as the time."
        )
    if not SMALLEST_LONGEST <= target.longest <= LARGEST_LONGEST:
        raise ValueError(
            f"{name}: the longest time must be between {SMALLEST_LONGEST:g} and {LARGEST_LONGEST:g}; got "
            f"{target.longest:g}. Use another unit of time."
        )


def refuse_left_censored_only(target: Target) -> None:
    """Refuse a target whose likelihood is largest for events that all happen at once, so that no hazard is too high."""
    if not (target.lower > target.entry)[target.weight > 0.0].any():
        raise ValueError(
            "y: every event is left-censored, so that nobody is known to have been without event at any time, and no "
            "hazard would be too high; at least one row must have a lower time above 0, or above its entry."
        )


def check_causes(target: Target, n_causes: int | None = None, name: str = "y") -> int:
    """Number of causes: the largest code, or the given number; warn of those without an event.

    Parameters
    ----------
    target : Target
        What was observed.
    n_causes : int, optional
        Number of causes as given by the user.
    name : str
        What to call the target in an error.
    """
    count = target.n_causes if n_causes is None else int(n_causes)
    if count < target.n_causes:
        raise ValueError(
            f"n_causes={count}, but {name} has events of cause {target.n_causes}; give n_causes={target.n_causes}."
        )
    # The events of intervals are of unknown cause, unless there is only one.
    absent = np.flatnonzero(np.bincount(target.cause, minlength=count + 1)[1:] == 0) + 1 if count > 1 else np.empty(0)
    if len(absent) == count:
        raise ValueError(
            f"n_causes={count}, but no event of {name} has a known cause, so that causes cannot be told apart; use "
            "n_causes=None."
        )
    if len(absent):
        warn_caller(
            f"{name}: there is no event of cause {', '.join(map(str, absent))}. Its hazard is that of half an event in "
            "all the follow-up. If there is no such cause, number the causes 1, 2, ... without gaps.",
            UserWarning,
        )
    return count


def _check_weight(sample_weight: Any, n: int) -> Array:
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have one value for each of the {n} rows; got shape {weight.shape}.")
    wrong = ~np.isfinite(weight) | (weight < 0.0)
    if wrong.any():
        raise ValueError(f"sample_weight must be finite and non-negative; got {examples(weight, wrong)}.")
    smallest = SMALLEST_WEIGHT * weight.max(initial=0.0)
    extreme = (weight > 0.0) & (weight < smallest)
    if extreme.any():
        raise ValueError(
            f"sample_weight must be 0 or at least {SMALLEST_WEIGHT:g} of the largest, which is {weight.max():g}; "
            f"got {examples(weight, extreme)}. Use 0 for rows that are not to count."
        )
    return weight
