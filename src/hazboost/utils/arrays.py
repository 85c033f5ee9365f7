"""Names for the kinds of array that the library passes around, and the way from a user's numbers to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]


def as_numbers(values: Any, name: str) -> Array:
    """An array of floats from what a user gave as ``name``."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numeric; got {values!r}.") from error


def as_times(values: Any) -> Array:
    """Times at which a user wants a prediction: any shape, finite and not negative."""
    times = as_numbers(values, "times")
    if not (np.isfinite(times) & (times >= 0.0)).all():
        raise ValueError(f"times must be finite and non-negative; got {values!r}.")
    return times
