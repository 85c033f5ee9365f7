"""Whole numbers among what a user gave."""

from __future__ import annotations

import numbers
from typing import Any, TypeGuard


def is_whole_number(value: Any, least: int) -> TypeGuard[int]:
    """Whether a value is a whole number, Python's or NumPy's, of at least ``least``.

    True is an int to Python, but as a number or a position it is more likely a mistake than 1.

    Examples
    --------
    >>> is_whole_number(2, 1), is_whole_number(0, 1), is_whole_number(2.0, 1), is_whole_number(True, 1)
    (True, False, False, False)
    """
    return isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= least
