"""Names for the kinds of array that the library passes around, and the way from a user's numbers to them."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.utils.describe import and_more, describe
from hazboost.utils.devices import to_host

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]
Hashes = npt.NDArray[np.uint64]

DATES = "dates or durations"
#: What NumPy would convert to numbers without an error, by the kind of an array's dtype and by the type of an object.
#: Dates and durations would come in a unit that the user did not choose, and of complex numbers only a part.
KINDS_WITHOUT_NUMBERS = {"U": "text", "S": "text", "M": DATES, "m": DATES, "c": "complex numbers", "V": "records"}
TYPES_WITHOUT_NUMBERS = {
    str: "text",
    bytes: "text",
    dt.date: DATES,
    dt.time: DATES,
    dt.timedelta: DATES,
    np.datetime64: DATES,
    np.timedelta64: DATES,
    complex: "complex numbers",
    np.complexfloating: "complex numbers",
}
REMEDIES = {
    DATES: "; convert them to numbers in a unit of your choice, with / numpy.timedelta64(1, 'D') durations to days",
    "text": ", which has to be converted first",
    # scikit-learn's estimator checks ask for these words.
    "complex numbers": ". Complex data not supported",
}


def as_plain(values: Any) -> npt.NDArray[Any]:
    """A NumPy array of what a user gave, in which missing values are NaN or None.

    Masked entries and pandas' NA are missing. Every library of tables can be read like this: its numbers become
    numbers, its dates NumPy's or Python's, its text strings.
    """
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        return _without_mask(values)
    plain = np.asarray(to_host(values))
    if plain.dtype.kind == "O":
        # Recognised by the name of its type, because pandas may not be installed.
        unknown = [type(one).__name__ == "NAType" for one in plain.ravel().tolist()]
        if any(unknown):
            plain = plain.copy()
            plain.flat[np.flatnonzero(unknown)] = None
    return plain


def _without_mask(values: np.ma.MaskedArray[Any, Any]) -> npt.NDArray[Any]:
    """A masked array as a plain one with NaN, NaT or None in the place of masked entries."""
    data, missing = values.data, np.ma.getmaskarray(values)
    if data.dtype.kind in "biuf":
        return np.where(missing, np.nan, data)
    plain = data.copy() if data.dtype.kind in "mM" else data.astype(object)
    plain[missing] = "NaT" if data.dtype.kind in "mM" else None
    return plain


def refuse_without_numbers(plain: npt.NDArray[Any], name: str, wanted: str = "numeric", dtype: Any = None) -> None:
    """Refuse an array of text, dates or complex numbers, also as objects; ``dtype`` is what its library calls it."""
    kind = KINDS_WITHOUT_NUMBERS.get(plain.dtype.kind)
    if plain.dtype.kind == "O":
        found = set(map(type, plain.ravel().tolist()))
        kinds = (kind for one in found for refused, kind in TYPES_WITHOUT_NUMBERS.items() if issubclass(one, refused))
        kind = next(kinds, None)
    if kind is not None:
        shown = plain.dtype if dtype is None else dtype
        raise ValueError(f"{name} must be {wanted}; got {kind} (type {shown}){REMEDIES.get(kind, '')}.")


def as_numbers(values: Any, name: str, wanted: str = "numeric") -> Array:
    """An array of floats from what a user gave as ``name``; missing and masked values become NaN.

    Text is refused even if it looks like numbers, and so are dates, durations and complex numbers.
    """
    try:
        plain = as_plain(values)
    except ValueError as error:  # lists of different lengths
        raise ValueError(f"{name} must be {wanted}; got {describe(values)}.") from error
    # Arrow has a `type` where others have a `dtype`.
    refuse_without_numbers(plain, name, wanted, getattr(values, "dtype", getattr(values, "type", None)))
    try:
        return plain.astype(np.float64, copy=False)
    except OverflowError as error:
        raise ValueError(f"{name} must be {wanted}; got a number that is too large: {describe(values)}.") from error
    except (TypeError, ValueError) as error:
        types = {type(one).__name__ for one in plain.ravel().tolist()} - {"NoneType", "bool", "int", "float"}
        raise ValueError(f"{name} must be {wanted}; got values of type {', '.join(sorted(types))}.") from error


def as_times(values: Any) -> Array:
    """Times at which a user wants a prediction: any shape, finite and not negative."""
    times = as_numbers(values, "times")
    wrong = ~(np.isfinite(times) & (times >= 0.0))
    if wrong.any():
        shown = [str(time) for time in times[wrong][:3]]
        raise ValueError(f"times must be finite and non-negative; got {and_more(shown, int(wrong.sum()))}.")
    return times
