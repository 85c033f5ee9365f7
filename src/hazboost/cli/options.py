"""Options that subcommands share, reading their values, and naming them in messages of the library."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np


def add_data(parser: ArgumentParser) -> None:
    """The table of the rows."""
    parser.add_argument("data", help="table: .csv, .parquet or .feather, or - for CSV on standard input")


def add_jobs(parser: Any) -> None:
    """The number of threads, as an option of a parser or of a group of one."""
    parser.add_argument("--jobs", type=threads, metavar="N", help="number of threads, -1 for all; by default 1")


class Moment(NamedTuple):
    """A time as it was written, for the name of a column, and its value."""

    written: str
    value: float


def names(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def moments(text: str) -> list[Moment]:
    """Times that are separated by commas, as they were written and as numbers."""
    try:
        found = [Moment(one, float(one)) for one in names(text)]
    except ValueError:
        found = []
    if not found or not all(0.0 <= one.value < np.inf for one in found):
        raise ArgumentTypeError(f"must be times that are not negative, such as 1,2,5; got {text!r}.")
    return found


def times(text: str) -> list[float]:
    """Times that are separated by commas."""
    return [one.value for one in moments(text)]


def one_time(text: str) -> float:
    """One time."""
    found = times(text)
    if len(found) > 1:
        raise ArgumentTypeError(f"must be a single time; got {text!r}.")
    return found[0]


def rows(text: str) -> list[range]:
    """Numbers of rows that are separated by commas, and ranges of them such as 4-9."""
    parts = [re.fullmatch(r"(\d+)(?:-(\d+))?", part) for part in names(text)]
    found = [range(int(part[1]), int(part[2] or part[1]) + 1) for part in parts if part]
    if not found or len(found) < len(parts) or not all(found):
        raise ArgumentTypeError(f"must be numbers of rows, counted from 0, such as 0,4-9; got {text!r}.")
    return found


def one_row(text: str) -> list[range]:
    """The number of one row."""
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be the number of one row, counted from 0; got {text!r}.")
    return rows(text)


def inches(text: str) -> tuple[float, float]:
    """Width and height, such as 6.4x4.8."""
    width, _, height = text.lower().partition("x")
    try:
        size = float(width), float(height)
    except ValueError:
        size = np.nan, np.nan
    if not all(0.5 <= one <= 100.0 for one in size):
        raise ArgumentTypeError(f"must be width and height in inches, from 0.5 to 100, such as 6.4x4.8; got {text!r}.")
    return size


def count(text: str) -> int:
    """A positive whole number."""
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"must be a positive whole number; got {text!r}.")
    return int(text)


def threads(text: str) -> int:
    """A number of threads, or -1 for all."""
    if text != "-1" and (not text.isdecimal() or int(text) == 0):
        raise ArgumentTypeError(f"must be a positive whole number, or -1 for all; got {text!r}.")
    return int(text)


def seconds(text: str) -> float:
    """A positive number of seconds."""
    try:
        found = float(text)
    except ValueError:
        found = np.nan
    if not 0.0 < found < np.inf:
        raise ArgumentTypeError(f"must be a positive number of seconds; got {text!r}.")
    return found


def name_options(message: str, options: Mapping[str, str]) -> str:
    """A message about arguments of the library as one about options, which are given by argument.

    Examples
    --------
    >>> name_options("grid must be a list with kind='x'.", {"grid": "order", "kind": "residual"})
    '--order must be a list with --residual x.'
    """
    for argument, option in options.items():
        message = re.sub(rf"^{argument}(?= must |:)", f"--{option}", message)
        message = re.sub(rf"\b{argument}='([^']*)'", rf"--{option} \1", message)
    return message


@contextmanager
def errors_name(options: Mapping[str, str]) -> Iterator[None]:
    """Let errors of the library name options, which are given by argument: a user of the command knows no others."""
    try:
        yield
    except ValueError as error:
        error.args = (name_options(str(error), options),)
        raise
