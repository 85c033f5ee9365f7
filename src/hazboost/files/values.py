"""How values are written as JSON and read again: one small class for each kind of value.

A kind checks what it reads, so that nothing of another type, size or range gets into a model. It raises a `ValueError`
that says what is wrong, and whoever reads a record adds where.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hazboost.files.entries import EntryReader, EntryWriter
from hazboost.utils.devices import to_host

NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Kind(Protocol):
    """A kind of value."""

    def write(self, value: Any, entries: EntryWriter) -> Any:
        """The value as JSON; arrays become entries."""

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The value that was written; a `ValueError` if it is none of this kind."""


@dataclass(frozen=True)
class Number:
    """A number; ``positive`` and finite, or any. Infinity and NaN, which JSON does not know, are written as text."""

    positive: bool = False

    def write(self, value: float, entries: EntryWriter) -> float | str:
        """The shortest decimal number that is read as the same number."""
        number = float(value)
        return number if math.isfinite(number) else repr(number)

    def read(self, found: Any, entries: EntryReader) -> float:
        """The number."""
        number = NOT_FINITE.get(found) if isinstance(found, str) else found
        if type(number) is not float:
            raise ValueError("no number")
        if self.positive and not 0.0 < number < math.inf:
            raise ValueError(f"{number:g} is out of range")
        return number


@dataclass(frozen=True)
class Whole:
    """A whole number, from ``low`` to ``high``."""

    low: int
    high: int = 2**53

    def write(self, value: Any, entries: EntryWriter) -> int:
        """The number."""
        return int(value)

    def read(self, found: Any, entries: EntryReader) -> int:
        """A whole number in the range."""
        if type(found) is not int or not self.low <= found <= self.high:
            raise ValueError("no whole number, or out of range")
        return found


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def write(self, value: Any, entries: EntryWriter) -> bool:
        """The value."""
        return bool(value)

    def read(self, found: Any, entries: EntryReader) -> bool:
        """True or false."""
        if type(found) is not bool:
            raise ValueError("neither true nor false")
        return found


@dataclass(frozen=True)
class Text:
    """Text, one of ``choices`` where there are any."""

    choices: Collection[str] = ()

    def write(self, value: str, entries: EntryWriter) -> str:
        """The text."""
        return str(value)

    def read(self, found: Any, entries: EntryReader) -> str:
        """Text."""
        if type(found) is not str or (self.choices and found not in self.choices):
            raise ValueError("no text, or none that is known")
        return found


@dataclass(frozen=True)
class Maybe:
    """A value of another kind, or none."""

    kind: Kind

    def write(self, value: Any, entries: EntryWriter) -> Any:
        """The value, or null."""
        return None if value is None else self.kind.write(value, entries)

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The value, or None."""
        return None if found is None else self.kind.read(found, entries)


@dataclass(frozen=True)
class Many:
    """Several values of one kind."""

    kind: Kind
    container: Callable[[list[Any]], Any] = tuple
    least: int = 0

    def write(self, value: Collection[Any], entries: EntryWriter) -> list[Any]:
        """A list; sets, which have no order, in that of their values."""
        ordered = sorted(value) if isinstance(value, frozenset | set) else value
        return [self.kind.write(one, entries) for one in ordered]

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The values."""
        if type(found) is not list or len(found) < self.least:
            raise ValueError("no list, or too short")
        return self.container([self.kind.read(one, entries) for one in found])


@dataclass(frozen=True)
class Pairs:
    """A dictionary, written as a list of pairs, which keeps its order and the types of its keys."""

    key: Kind
    value: Kind

    def write(self, value: Mapping[Any, Any], entries: EntryWriter) -> list[list[Any]]:
        """A list of pairs."""
        return [[self.key.write(key, entries), self.value.write(one, entries)] for key, one in value.items()]

    def read(self, found: Any, entries: EntryReader) -> dict[Any, Any]:
        """A dictionary."""
        if type(found) is not list or not all(type(pair) is list and len(pair) == 2 for pair in found):
            raise ValueError("no list of pairs")
        read = {self.key.read(key, entries): self.value.read(one, entries) for key, one in found}
        if len(read) != len(found):
            raise ValueError("a name occurs twice")
        return read


@dataclass(frozen=True)
class Numbers:
    """An array of numbers of one type, with so many dimensions; ``container`` makes something else of it."""

    dtype: Any
    dimensions: int = 1
    finite: bool = False
    container: Callable[[npt.NDArray[Any]], Any] = field(default=lambda values: values)

    def write(self, value: Any, entries: EntryWriter) -> dict[str, Any]:
        """Where the array is, and what it is like; only whole numbers may be of another type here."""
        values = np.asarray(to_host(value))
        if values.dtype.kind != np.dtype(self.dtype).kind or (values.dtype.kind == "f" and values.dtype != self.dtype):
            raise ValueError(f"an array of type {values.dtype}")
        return entries.add_array(values.astype(self.dtype, copy=False))

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The array."""
        values = entries.take_array(found)
        if values.dtype != np.dtype(self.dtype) or values.ndim != self.dimensions:
            raise ValueError("an array of another type")
        if self.finite and not np.isfinite(values).all():
            raise ValueError("an array with numbers that are not finite")
        return self.container(values)


@dataclass(frozen=True)
class Record:
    """An object of one class, which is called with its fields."""

    make: Callable[..., Any]
    fields: Mapping[str, Kind]

    def write(self, value: Any, entries: EntryWriter) -> dict[str, Any]:
        """The fields by name."""
        return {name: kind.write(getattr(value, name), entries) for name, kind in self.fields.items()}

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The object."""
        return self.make(**read_fields(self.fields, found, entries))


@dataclass(frozen=True)
class OneOf:
    """An object of one of several classes, which are known by name; no other class is ever looked for."""

    records: Mapping[type, Record]

    def write(self, value: Any, entries: EntryWriter) -> dict[str, Any]:
        """The name of the class, and the fields."""
        if type(value) not in self.records:
            raise ValueError(f"an object of class {type(value).__name__}")
        return {"class": type(value).__name__, **self.records[type(value)].write(value, entries)}

    def read(self, found: Any, entries: EntryReader) -> Any:
        """The object."""
        known = {one.__name__: record for one, record in self.records.items()}
        name = found.get("class") if type(found) is dict else None
        if type(name) is not str or name not in known:
            raise ValueError("a class that is not known")
        return known[name].read({key: one for key, one in found.items() if key != "class"}, entries)


def read_fields(fields: Mapping[str, Kind], found: Any, entries: EntryReader) -> dict[str, Any]:
    """Values by name; all of them must be there, and no others."""
    if type(found) is not dict or set(found) != set(fields):
        raise ValueError("fields are missing, or not known")
    read = {}
    for name, kind in fields.items():
        try:
            read[name] = kind.read(found[name], entries)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return read
