"""Finds and checks the columns of every accepted ``y``: events, times, intervals.

There are three kinds of ``y``, distinguished by the names of the columns:

=========  =======================  ===========  =================================================
kind       columns                  optional     meaning of a row
=========  =======================  ===========  =================================================
right      ``event, time``          ``entry``    event or censoring at ``time``
counting   ``event, start, stop``   ``id``       at risk in ``(start, stop]``, event or not at ``stop``
interval   ``lower, upper``         ``entry``    event between ``lower`` and ``upper``
=========  =======================  ===========  =================================================

Two fields or columns with other names are an event and a time; `hazboost.data.pairs` says which is which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hazboost.data.frames import column_names, is_table, refuse_repeated_names, to_computer
from hazboost.data.pairs import EVENT_FIRST, order_pair
from hazboost.utils.arrays import Array, Hashes, Indices, Mask, as_numbers, as_plain
from hazboost.utils.describe import and_more, describe, examples
from hazboost.utils.devices import to_host

#: Required and optional columns of each kind.
KINDS = {
    "right": (("event", "time"), ("entry",)),
    "counting": (("event", "start", "stop"), ("id",)),
    "interval": (("lower", "upper"), ("entry",)),
}
#: Columns that only one kind of data has a use for: beside those of another kind they are no covariates.
TELLING = ("event", "time", "start", "stop", "lower", "upper", "entry")
EXPECTED = (
    "a structured array (event, time), a DataFrame with columns event and time, a pair (event, time), "
    "or made with hazboost.Surv"
)
#: A larger code of an event is hardly that of a cause: every cause has its own set of trees.
MAX_CAUSES = 20


def find_columns(y: Any, name: str) -> tuple[str, dict[str, Any]]:
    """Kind of ``y``, and its columns by name.

    Parameters
    ----------
    y : structured array, table, or pair of arrays
        Outcome as given by the user.
    name : str
        Name of the argument, for error messages.
    """
    y = to_computer(y)
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields is not None:
        return _choose(y, list(fields), name, "fields", strict=True)
    if is_table(y):
        return _choose(y, column_names(y), name, "columns", strict=False)
    if isinstance(y, tuple | list) and len(y) == 2 and np.ndim(y[0]) == 1:
        y = [to_host(to_computer(one)) for one in y]
        _refuse_two_rows(y[0], name)
        return "right", order_pair((y[0], y[1]), (getattr(y[0], "name", None), getattr(y[1], "name", None)), name)
    # The end of this message is required by scikit-learn's estimator checks.
    if y is None:
        raise ValueError(f"{name} must be {EXPECTED}; FPBoost requires y to be passed, but the target y is None.")
    shape = f" of shape {np.shape(y)}" if hasattr(y, "shape") else ""
    raise ValueError(f"{name} must be {EXPECTED}; got {type(y).__name__}{shape}.")


def _refuse_two_rows(first: Any, name: str) -> None:
    """Refuse ``[(True, 3.5), (False, 2.0)]``: most likely two rows (event, time), and not a pair (event, time)."""
    if isinstance(first, tuple | list) and len(first) == 2 and len(set(map(type, first))) == 2:
        raise ValueError(
            f"{name} must be a pair (event, time), with all events first; got {describe(first)} as the events, which "
            "looks like the event and the time of one subject."
        )


def _choose(y: Any, names: list[Any], name: str, what: str, *, strict: bool) -> tuple[str, dict[str, Any]]:
    """Find the kind by the names of the columns; a structured array (strict) may have no further columns.

    A table may have further columns, because it is often the whole table with the covariates.
    """
    refuse_repeated_names(names, name)
    for kind, (needed, optional) in KINDS.items():
        known = [column for column in (*needed, *optional) if column in names]
        if set(needed) <= set(names) and not (strict and len(known) < len(names)):
            _refuse_other_kinds(names, known, name)
            return kind, {column: y[column] for column in known}
    if len(names) != 2:
        raise ValueError(
            f"{name} must have two {what}, event and time, or those of hazboost.Surv; got {len(names)}: "
            f"{and_more([str(one) for one in names[:5]], len(names))}."
        )
    # scikit-survival allows any names for the two fields, and in its own data sets they differ.
    return "right", order_pair((y[names[0]], y[names[1]]), (names[0], names[1]), name)


def _refuse_other_kinds(names: list[Any], known: list[str], name: str) -> None:
    """Refuse columns of another kind of data, which would not be used: a start beside a time, for example."""
    unused = [column for column in TELLING if column in names and column not in known]
    if unused:
        raise ValueError(
            f"{name} has the columns {', '.join(known)}, and also {', '.join(unused)}, which would not be used with "
            f"them. Select the columns that are meant, or build {name} with hazboost.Surv."
        )


def check_cause(event: Any, name: str) -> Indices:
    """Cause of each event, 0 for censoring; True is cause 1."""
    if type(event) is np.ndarray and event.dtype == np.bool_ and event.ndim == 1:
        return event.astype(np.intp)  # whatever the values are, nothing is wrong with them
    allowed = "boolean, 0/1, or the number of its cause"
    numbers = as_numbers(event, f"{name}: the event", allowed)
    if numbers.ndim != 1:
        raise ValueError(
            f"{name}: the event must be one-dimensional; got shape {numbers.shape}. Give one value for each row."
        )
    # The negated condition is also true for NaN.
    wrong = ~((numbers >= 0.0) & (numbers == np.floor(numbers)) & (numbers < np.inf))
    if wrong.any():
        raise ValueError(
            f"{name}: the event must be {allowed}, 0 for none; got {examples(as_plain(event), wrong)}. "
            f"If these are times, {EVENT_FIRST}."
        )
    if (numbers > MAX_CAUSES).any():
        raise ValueError(
            f"{name}: the event is the number of its cause, of which there may be {MAX_CAUSES}; got "
            f"{examples(as_plain(event), numbers > MAX_CAUSES)}. These are probably times that were given as events: "
            f"{EVENT_FIRST}."
        )
    return numbers.astype(np.intp)


def check_time(time: Any, name: str, what: str = "time") -> Array:
    """Check finite, non-negative times."""
    values = as_column(time, name, what)
    for wrong, rule in ((~np.isfinite(values), "finite"), (values < 0.0, "non-negative")):
        if wrong.any():
            raise ValueError(f"{name}: every {what} must be {rule}; got {examples(values, wrong)}.")
    return values


def as_column(time: Any, name: str, what: str) -> Array:
    """Check one number per row."""
    values = as_numbers(time, f"{name}: the {what}")
    if values.ndim != 1:
        raise ValueError(
            f"{name}: the {what} must be one-dimensional; got shape {values.shape}. Give one value for each row."
        )
    if as_plain(time).dtype.kind == "b":
        raise ValueError(f"{name}: the {what} must be a number; got True and False, as if it were the event.")
    return values


def check_interval(lower: Any, upper: Any, name: str) -> tuple[Array, Array]:
    """Check interval bounds; a missing lower bound (NaN, minus infinity) becomes 0, a missing upper one infinity.

    A row in which both are NaN is refused: it is a missing outcome, and not one of which nothing is known.
    """
    low, high = as_column(lower, name, "lower"), as_column(upper, name, "upper")
    if len(low) == len(high):  # other lengths are another error
        rows = np.flatnonzero(np.isnan(low) & np.isnan(high))
        if len(rows):
            named = [f"NaN and NaN (row {row})" for row in rows[:3]]
            raise ValueError(
                f"{name}: lower and upper must not both be missing; got {and_more(named, len(rows))}. Leave such rows "
                "out, or give lower for right censoring or upper for left censoring."
            )
    # 0 and infinity are the bounds that carry no information: every event lies between them.
    low = np.where(np.isnan(low) | (low == -np.inf), 0.0, low)
    high = np.where(np.isnan(high), np.inf, high)
    check_time(low, name, "lower")
    if (high < 0.0).any():
        raise ValueError(f"{name}: every upper must be non-negative; got {examples(high, high < 0.0)}.")
    refuse_unordered(low, high, low > high, name, "lower must not be after upper")
    return low, high


def check_lengths(columns: Mapping[str, Any], name: str) -> None:
    """Refuse columns of different lengths, and empty ones."""
    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        counted = ", ".join(f"{count} in {column}" for column, count in lengths.items())
        raise ValueError(f"{name}: one value per row is needed in each column; got {counted}.")
    if min(lengths.values()) == 0:
        raise ValueError(f"{name} is empty: at least one subject is needed.")


def refuse_unordered(first: Array, second: Array, wrong: Mask, name: str, rule: str) -> None:
    """Raise an error that names the rows whose two times are in the wrong order."""
    if wrong.any():
        rows = np.flatnonzero(wrong)
        named = [f"{first[row]} and {second[row]} (row {row})" for row in rows[:3]]
        raise ValueError(f"{name}: {rule}; got {and_more(named, len(rows))}.")


def refuse_overlaps(subject: npt.NDArray[Any], start: Array, stop: Array, name: str) -> None:
    """Refuse overlapping rows of one subject, whose time at risk would count twice."""
    # Sorted by subject and start, any overlap shows between two neighbouring rows.
    order = np.lexsort((start, subject))
    same = subject[order][1:] == subject[order][:-1]
    # Rows that only touch, stop = start, do not overlap, because a row does not include its start.
    overlap = np.flatnonzero(same & (start[order][1:] < stop[order][:-1]))
    if len(overlap):
        one, other = order[overlap[0]], order[overlap[0] + 1]
        raise ValueError(
            f"{name}: the rows of one id must not overlap; got ({start[one]}, {stop[one]}] (row {one}) and "
            f"({start[other]}, {stop[other]}] (row {other}) of id {subject[one]}."
        )


def check_id(identity: Any, name: str, noun: str = "id") -> npt.NDArray[Any]:
    """Check the ids of subjects or the labels of groups: numbers or strings without missing values."""
    values = as_plain(identity)
    if values.ndim != 1:
        raise ValueError(
            f"{name}: the {noun} must be one-dimensional; got shape {values.shape}. Give one value for each row."
        )
    missing = np.isnat(values) if values.dtype.kind in "mM" else np.array([_is_missing(one) for one in values.tolist()])
    if missing.any():
        raise ValueError(f"{name}: every row needs its {noun}; got {examples(values, missing)}.")
    # Objects of mixed type cannot be sorted, which grouping by subject needs.
    return values.astype(str) if values.dtype.kind == "O" else values


def hash_labels(labels: npt.NDArray[Any]) -> Hashes:
    """A 64-bit hash of the text of each label: the same label has the same hash in every part of large data.

    A whole number is the same label whether it is stored as an integer or not.

    Examples
    --------
    >>> bool((hash_labels(np.array([-1, -2])) == hash_labels(np.array([-1.0, -2.0]))).all())
    True
    """
    distinct, place = np.unique(labels, return_inverse=True)
    texts = (str(int(one) if isinstance(one, float) and one.is_integer() else one) for one in distinct.tolist())
    digests = b"".join(blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, dtype=np.uint64)[place.ravel()]


class Divided(NamedTuple):
    """A label that two parts of large data have: the numbers of the parts, and its hash."""

    one: int
    other: int
    label: int


def find_divided(parts: Sequence[Hashes]) -> Divided | None:
    """The first label, by its hash, that two parts have, each of which lists its own labels once; None without any.

    Examples
    --------
    >>> find_divided([np.array([7, 3], dtype=np.uint64), np.array([5, 7], dtype=np.uint64)])
    Divided(one=0, other=1, label=7)
    """
    part = np.repeat(np.arange(len(parts)), [len(hashes) for hashes in parts])
    label = np.concatenate(parts)
    order = np.argsort(label, kind="stable")
    again = np.flatnonzero(label[order][1:] == label[order][:-1])
    if not len(again):
        return None
    first, second = order[again[0]], order[again[0] + 1]
    return Divided(int(part[first]), int(part[second]), int(label[first]))


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or NaT; the last two are not equal to themselves."""
    return value is None or value != value  # noqa: PLR0124
