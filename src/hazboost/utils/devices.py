"""Arrays in the memory of a GPU, which are those of CuPy.

NumPy passes its functions on to CuPy for arrays of CuPy, so that formulas need not know where their numbers are. Only
constants and results have to be moved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")

#: Rows are reduced in so many parts, enough to occupy a GPU.
PARTS = 1024


def is_on_device(values: Any) -> bool:
    """Whether an array is in the memory of a GPU."""
    return hasattr(values, "__cuda_array_interface__")


@cache
def has_device() -> bool:
    """Whether this process can use a GPU."""
    try:
        return bool(import_module("cupy").cuda.runtime.getDeviceCount())
    except Exception:  # noqa: BLE001 - without CuPy its errors have no names; whatever is wrong, there is none to use
        return False


def to_host(values: Any) -> Any:
    """The same array in the memory of the computer."""
    return values.get() if is_on_device(values) else values


def to_device(values: Any, dtype: Any = None) -> Any:
    """The same array in the memory of the GPU."""
    return import_module("cupy").asarray(values, dtype=dtype)


def match_device(values: T, other: Any) -> T:
    """An array of NumPy where another array is, so that both can meet in a formula."""
    near: T = to_device(values) if is_on_device(other) else values
    return near


def reduce_rows(reduce: Callable[..., Any], values: Any) -> Any:
    """``reduce(values, axis=0)`` of a tall array, for a sum, a maximum and the like.

    CuPy leaves each column to a single group of threads, which for a hundred million rows takes a hundred times as long
    as reading them. So parts of the rows are reduced first.
    """
    rows = len(values) // PARTS
    if rows == 0:
        return reduce(values, axis=0)
    parts, rest = values[: rows * PARTS].reshape(PARTS, rows, -1), values[rows * PARTS :]
    return reduce(np.concatenate([reduce(parts, axis=1), rest]), axis=0)


def special(like: Any) -> ModuleType:
    """The special functions for arrays like this one: SciPy's or, on a GPU, CuPy's."""
    return import_module("cupyx.scipy.special" if is_on_device(like) else "scipy.special")
