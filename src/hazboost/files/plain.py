"""Plain values of any kind: parameters, fitted attributes and categories, which are data and nothing else."""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hazboost.files.entries import EntryReader, EntryWriter
from hazboost.files.values import Kind, Many, Number, Pairs, Text

#: Length of the state of NumPy's generator of random numbers.
STATE = 624


@dataclass(frozen=True)
class Plain:
    """None, true, false, numbers, text, dates, arrays, and lists, tuples and dictionaries of them.

    What JSON has no form for is an object with one name, which says what it is: ``{"tuple": [1, 2]}``.
    """

    def write(self, value: Any, entries: EntryWriter) -> Any:
        """The value as JSON."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, numbers.Real) and math.isfinite(value):
            return float(value)
        if isinstance(value, list):
            return [self.write(one, entries) for one in value]
        for name, form in FORMS.items():
            if form.fits(value):
                return {name: form.kind.write(value, entries)}
        raise ValueError(f"a value of type {type(value).__name__}")

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The value."""
        if type(found) is list:
            return [self.read(one, entries) for one in found]
        if type(found) is not dict:
            return found
        (name,) = found if len(found) == 1 else [""]
        if name not in FORMS:
            raise ValueError("a value of an unknown type")
        return FORMS[name].kind.read(found[name], entries)


class Form(NamedTuple):
    """A type of values that JSON does not know: which they are, and how they are written and read."""

    fits: Callable[[Any], bool]
    kind: Kind


@dataclass(frozen=True)
class AnyNumbers:
    """An array of numbers of any type and size."""

    def write(self, value: npt.NDArray[Any], entries: EntryWriter) -> dict[str, Any]:
        """Where the array is, and what it is like."""
        return entries.add_array(value)

    def read(self, found: Any, entries: EntryReader) -> npt.NDArray[Any]:
        """The array."""
        return entries.take_array(found)


@dataclass(frozen=True)
class IsoDate:
    """A date or time, in the format of ISO 8601."""

    parse: Callable[[str], Any]

    def write(self, value: Any, entries: EntryWriter) -> str:
        """The date as text."""
        text: str = value.isoformat()
        return text

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The date."""
        return self.parse(Text().read(found, entries))


@dataclass(frozen=True)
class Interval:
    """An interval of pandas, such as ``pandas.cut`` makes."""

    def write(self, value: Any, entries: EntryWriter) -> list[Any]:
        """Both ends, and which of them belongs to the interval."""
        return [Plain().write(value.left, entries), Plain().write(value.right, entries), value.closed]

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The interval."""
        left, right, closed = Many(Plain()).read(found, entries)
        return import_module("pandas").Interval(left, right, closed)


@dataclass(frozen=True)
class Generator:
    """NumPy's generator of random numbers of old, which scikit-learn's ``random_state`` may be."""

    def write(self, value: np.random.RandomState, entries: EntryWriter) -> list[Any]:
        """Its state."""
        name, *state = value.get_state(legacy=True)
        if name != "MT19937":
            raise ValueError("a RandomState of another kind than NumPy's own")
        return [Plain().write(one, entries) for one in state]

    def read(self, found: Any, entries: EntryReader) -> np.random.RandomState:
        """A generator that goes on where the other was."""
        key, position, ready, value = Many(Plain()).read(found, entries)
        if not isinstance(key, np.ndarray) or key.shape != (STATE,) or key.dtype != np.uint32:
            raise ValueError("no state of random numbers")
        if type(position) is not int or not 0 <= position <= STATE or ready not in (0, 1) or type(value) is not float:
            raise ValueError("no state of random numbers")
        generator = np.random.RandomState()
        generator.set_state(("MT19937", key, position, int(ready), value))
        return generator


def _is(*kinds: type) -> Callable[[Any], bool]:
    """Whether something is of one of these types."""
    return lambda value: isinstance(value, kinds)


def _is_pandas(name: str) -> Callable[[Any], bool]:
    """Whether something is of a class of pandas, which need not be installed."""
    return lambda value: type(value).__name__ == name and type(value).__module__.partition(".")[0] == "pandas"


def _is_numbers(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _is_texts(value: Any) -> bool:
    is_list = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "OU"
    return is_list and all(isinstance(one, str) for one in value)


def _as_objects(texts: list[str]) -> npt.NDArray[Any]:
    return np.array(texts, dtype=object)


def _timestamp(text: str) -> Any:
    return import_module("pandas").Timestamp(text)


FORMS: dict[str, Form] = {
    "number": Form(_is(numbers.Real), Number()),  # not finite
    "tuple": Form(_is(tuple), Many(Plain())),
    "dict": Form(_is(Mapping), Pairs(Plain(), Plain())),
    "numbers": Form(_is_numbers, AnyNumbers()),
    "texts": Form(_is_texts, Many(Text(), _as_objects)),
    "interval": Form(_is_pandas("Interval"), Interval()),
    "timestamp": Form(_is_pandas("Timestamp"), IsoDate(_timestamp)),
    "datetime": Form(_is(dt.datetime), IsoDate(dt.datetime.fromisoformat)),
    "date": Form(_is(dt.date), IsoDate(dt.date.fromisoformat)),
    "generator": Form(_is(np.random.RandomState), Generator()),
}
