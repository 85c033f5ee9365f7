"""Reading options that are lists."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import NamedTuple

import numpy as np


class Moment(NamedTuple):
    """A time as it was written, for the name of a column, and its value."""

    written: str
    value: float


def names(text: str) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def times(text: str) -> list[Moment]:
    """Times that are separated by commas."""
    try:
        found = [Moment(one, float(one)) for one in names(text)]
    except ValueError:
        found = []
    if not found or not all(0.0 <= one.value < np.inf for one in found):
        raise ArgumentTypeError(f"must be times that are not negative, such as 1,2,5; got {text!r}.")
    return found


def count(text: str) -> int:
    """A positive whole number."""
    if not text.isdecimal() or int(text) == 0:
        raise ArgumentTypeError(f"must be a positive whole number; got {text!r}.")
    return int(text)


def threads(text: str) -> int:
    """A number of threads, or -1 for all."""
    return -1 if text == "-1" else count(text)
