"""Rows that belong together: the labels of pandas' rows, where several arguments have some.

Rows are used in the order in which they come. Labels are compared to notice that this order is not the same in two
arguments, for example after one of them was sorted or sampled.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from hazboost.utils.describe import SHOWN


def check_alignment(arguments: Mapping[str, Any], prefix: str = "") -> None:
    """Refuse arguments whose labelled rows are not in the same order.

    Two indices with the same labels in a different order are refused, and so are two different ones of which neither
    is the default 0, 1, 2, ... Everything else is used by position: most arrays have no labels, and default ones say
    nothing.

    Parameters
    ----------
    arguments : mapping of str to anything
        What the user gave, by name, and None for what was not given. The two parts of a pair are compared one by one.
    prefix : str
        Where the arguments are, for the error message.
    """
    for (name, index), (other, other_index) in combinations(_indices(arguments), 2):
        # Another number of rows is another error, which is reported elsewhere.
        if index is other_index or len(index) != len(other_index) or index.equals(other_index):
            continue
        found = f"{_start(index)} and {_start(other_index)}"
        if _same_labels(index, other_index):
            raise ValueError(
                f"{prefix}{name} and {other} have the same row labels (index) in a different order ({found}), and rows "
                f"are used by position. Use {other}.loc[{name}.index], or .reset_index(drop=True) on both if the "
                "rows do correspond as they are."
            )
        if not _is_default(index) and not _is_default(other_index):
            raise ValueError(
                f"{prefix}{name} and {other} have different index labels ({found}). If their rows do correspond, use "
                ".reset_index(drop=True) on both; if not, select the same rows of both by their labels."
            )


def _indices(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arguments that have an index, with it; lists and strings have a method of that name."""
    for name, value in arguments.items():
        if isinstance(value, tuple | list) and len(value) == 2:
            yield from _indices({f"{name}[{part}]": one for part, one in enumerate(value)})
        elif hasattr(getattr(value, "index", None), "equals"):
            yield name, value.index


def _is_default(index: Any) -> bool:
    """Whether the labels are 0, 1, 2, ..."""
    return getattr(index, "nlevels", 1) == 1 and np.array_equal(np.asarray(index), np.arange(len(index)))


def _same_labels(index: Any, other: Any) -> bool:
    """Whether two indices of equal length have the same labels, each once."""
    if getattr(index, "nlevels", 1) != getattr(other, "nlevels", 1):
        return False
    return bool(index.is_unique and other.is_unique and index.isin(other).all())


def _start(index: Any) -> str:
    """The first labels."""
    return ", ".join(map(str, index[:SHOWN].tolist())) + (", ..." if len(index) > SHOWN else "")
