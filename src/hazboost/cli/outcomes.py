"""Reading outcomes: which columns they are in, times that are dates, events that are words."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.cli.errors import InputError
from hazboost.cli.tables import require_columns
from hazboost.cli.values import as_numbers, is_date, is_text, read_dates, read_numbers, refuse_other_dates
from hazboost.data.observations import KINDS
from hazboost.data.surv import Surv
from hazboost.utils.arrays import Array
from hazboost.utils.describe import describe

#: The first kind one of whose needed columns is given counts.
MAKERS: dict[str, Callable[..., npt.NDArray[Any]]] = {
    "interval": Surv.interval,
    "counting": Surv.counting,
    "right": Surv.right,
}
#: Options that name a column, and what is in it.
COLUMNS = {
    "time": "time of the event or of censoring",
    "event": "whether the event was observed: 1 or 0, yes or no, or the number of its cause",
    "entry": "time from which the subject was under observation (delayed entry)",
    "start": "beginning of the period of a row",
    "stop": "end of the period of a row",
    "id": "subject of a row, where subjects have several",
    "lower": "last time without the event (interval censoring)",
    "upper": "first time with the event; empty or inf if there was none",
}
#: Columns of outcomes that have one exact or right-censored time for each subject.
RIGHT_CENSORED = ("time", "event", "entry")
#: Ends of intervals, of which one may be unknown.
MAY_BE_MISSING = ("lower", "upper")
#: Words for events and for censoring.
EVENT_WORDS = {"yes": 1, "no": 0, "dead": 1, "alive": 0, "true": 1, "false": 0, "event": 1, "censored": 0}
DAYS = {"days": 1.0, "years": 365.25}
#: The usual unit of times that are dates.
DATE_UNIT = "days"


def add_outcome_options(parser: ArgumentParser, roles: tuple[str, ...] = tuple(COLUMNS)) -> None:
    """Options that say where the outcome is."""
    group = parser.add_argument_group("outcome")
    for role in roles:
        group.add_argument(f"--{role}", metavar="COLUMN", help=COLUMNS[role])
    group.add_argument("--event-code", metavar="CODE", help="the value of the event; all others are censored")
    group.add_argument(
        "--time-origin", metavar="DATE", help="for times that are dates: from when they count; or a column"
    )
    group.add_argument("--time-unit", choices=list(DAYS), default=DATE_UNIT, help="unit of times that are dates")


def outcome_columns(options: Namespace) -> dict[str, str]:
    """Names of the columns of the outcome, by their role."""
    named = ((role, getattr(options, role, None)) for role in COLUMNS)
    return {role: name for role, name in named if name is not None}


def used_columns(options: Namespace) -> list[str]:
    """Names of all columns that the outcome is read from; one of them may be a date, from which times count."""
    origin = [] if options.time_origin is None else [options.time_origin]
    return [*outcome_columns(options).values(), *origin]


def read_outcome(path: str, table: Any, options: Namespace) -> npt.NDArray[Any]:
    """The outcome that `Surv` makes of the columns that the options name."""
    columns = outcome_columns(options)
    kind = _kind(columns)
    needed, possible = ([role for role in COLUMNS if role in roles] for roles in KINDS[kind])
    lacking = [f"--{role}" for role in needed if role not in columns]
    if lacking:
        raise InputError(f"the outcome needs {' and '.join(lacking)}; give the name of the column.")
    unused = [f"--{role}" for role in columns if role not in (*needed, *possible)]
    if unused:
        used = ", ".join(f"--{role}" for role in needed)
        raise InputError(f"{', '.join(unused)} must not be given together with {used}; leave one of them out.")
    require_columns(path, table, list(columns.values()))
    if kind == "interval" and options.event_code is not None:
        raise InputError("--event-code needs --event, which intervals do not have; leave it out.")
    read = {role: _read(role, table, name, options) for role, name in columns.items()}
    try:
        return MAKERS[kind](**read)
    except ValueError as error:  # names the function, of which a user of the command knows the file
        error.args = (f"{path}: {str(error).removeprefix(f'Surv.{kind}: ')}",)
        raise


def _kind(columns: dict[str, str]) -> str:
    for kind in MAKERS:
        if any(role in columns for role in KINDS[kind][0] if role != "event"):
            return kind
    return "right"


def _read(role: str, table: Any, name: str, options: Namespace) -> npt.NDArray[Any]:
    if role == "event":
        return read_events(table[name], options.event_code)
    if role == "id":
        labels: npt.NDArray[Any] = table[name].to_numpy()
        return labels
    times = read_times(table, name, options)
    missing = np.flatnonzero(np.isnan(times))
    if len(missing) and role not in MAY_BE_MISSING:
        column = name if table[name].isna().iloc[missing[0]] else options.time_origin
        raise InputError(
            f"column {column!r} has no value in row {table.index[missing[0]]}; fill it in, or leave out the row."
        )
    return times


def read_times(table: Any, name: str, options: Namespace) -> Array:
    """Times as they are, or the time from an origin to each date."""
    column, origin = table[name], options.time_origin
    refuse_other_dates(column)
    if not is_date(column):
        if origin is not None:
            raise InputError(f"--time-origin is for dates, and column {name!r} has none; leave it out.")
        if options.time_unit != DATE_UNIT:
            raise InputError(
                f"--time-unit {options.time_unit} is for dates, and column {name!r} has numbers, which stay in their "
                "own unit; leave it out."
            )
        return read_numbers(column)
    if origin is None:
        raise InputError(
            f"column {name!r} has dates, such as {describe(str(column.dropna().iloc[0]))}; give the date from "
            "which time counts with --time-origin, or the name of a column that has it, and --time-unit days or years."
        )
    since = read_dates(table[origin]) if origin in table.columns else read_dates(_as_column(table, origin))
    days = (read_dates(column) - since).dt.total_seconds() / 86_400.0
    times: Array = days.to_numpy(dtype=np.float64) / DAYS[options.time_unit]
    return times


def _as_column(table: Any, origin: str) -> Any:
    """One date for all rows; whoever misspells a column is told so."""
    column = table.iloc[:, 0].astype(object).map(lambda _: origin, na_action=None)
    if not is_date(column):
        raise InputError(
            f"--time-origin must be a date like 2020-12-31 or the name of a column; got {describe(origin)}."
        )
    return column


def read_events(column: Any, code: str | None) -> npt.NDArray[Any]:
    """Events as booleans or as numbers of causes; those with a code, if one is given."""
    missing = np.flatnonzero(column.isna())
    if len(missing):
        raise InputError(
            f"column {column.name!r} has no event in row {column.index[missing[0]]}; use 0 for censoring, or leave "
            "out the row."
        )
    if code is not None:
        return _with_code(column, code)
    codes = _codes(column)
    if set(np.unique(codes)) == {1.0, 2.0}:
        raise InputError(
            f"column {column.name!r} has the codes 1 and 2, and no 0 for censoring; give --event-code 2 if 2 is the "
            "event, or number the causes and use 0 for censoring."
        )
    return codes


def _with_code(column: Any, code: str) -> npt.NDArray[np.bool_]:
    numbers = None if is_text(column) else as_numbers(column)
    try:
        found = column.astype(str) == code if numbers is None else numbers == float(code)
    except (TypeError, ValueError):
        found = column.astype(str) == code
    if not found.any():
        values = describe(sorted(map(str, column.unique())))
        raise InputError(
            f"--event-code {code} is not in column {column.name!r}, which has {values}; give one of its values."
        )
    events: npt.NDArray[np.bool_] = found.to_numpy(dtype=bool)
    return events


def _codes(column: Any) -> Array:
    """Numbers, and words for them."""
    if not is_text(column) and str(column.dtype) != "category":
        return read_numbers(column)
    texts = column.map(str).astype(object).str.strip().str.lower()
    codes = texts.map(EVENT_WORDS).astype(np.float64)
    codes = codes.where(codes.notna(), as_numbers(texts))
    unknown = np.flatnonzero(codes.isna())
    if len(unknown):
        row = column.index[unknown[0]]
        raise InputError(
            f"column {column.name!r} has the event {describe(column.iloc[unknown[0]])} in row {row}; use 1 and 0, yes "
            "and no, dead and alive or event and censored, or say with --event-code which value is the event."
        )
    read: Array = codes.to_numpy(dtype=np.float64)
    return read
