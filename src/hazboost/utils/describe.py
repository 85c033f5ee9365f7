"""Short descriptions of values for error messages, which must never print a whole data set."""

from __future__ import annotations

import reprlib
from typing import Any

import numpy as np
import numpy.typing as npt

#: Longest description, in characters.
LONGEST = 80
#: So many values are enough to recognise data, or to find a problem in them.
SHOWN = 3

_SHORT = reprlib.Repr()
_SHORT.maxlevel = 2
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdict = _SHORT.maxarray = SHOWN
_SHORT.maxstring = _SHORT.maxother = LONGEST


def describe(value: Any) -> str:
    """A value in at most 80 characters: as Python writes it, with the first elements only of what has many.

    Examples
    --------
    >>> describe(-1.0), describe([1, 2, 3, 4]), describe(np.zeros((3, 4)))
    ('-1.0', '[1, 2, 3, ...]', 'ndarray of shape (3, 4)')
    """
    shape = getattr(value, "shape", ())
    if isinstance(value, np.ndarray) and value.ndim == 1:
        text = f"ndarray of shape {shape}: {_SHORT.repr(value[: SHOWN + 1].tolist())}"
    elif isinstance(shape, tuple) and len(shape) > 0:
        text = f"{type(value).__name__} of shape {shape}"
    else:
        text = _SHORT.repr(value.item() if isinstance(value, np.generic) else value)
    # Tables without a shape, such as those of Arrow, are printed on many lines.
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 3]}..."


def examples(values: npt.NDArray[Any], wrong: npt.NDArray[np.bool_]) -> str:
    """The first wrong values as text: ``-1.0 (row 3), nan (row 7) and 2 more``."""
    rows = np.flatnonzero(wrong)
    return and_more([f"{values[row]} (row {row})" for row in rows[:SHOWN]], len(rows))


def and_more(shown: list[str], count: int) -> str:
    """The first of ``count`` things, and how many there are besides."""
    listed = ", ".join(shown)
    return listed if count <= len(shown) else f"{listed} and {count - len(shown)} more"
