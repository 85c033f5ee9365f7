"""Universal Binary JSON as XGBoost writes it, read without trusting a single length in it.

Objects become dictionaries, arrays of numbers NumPy's arrays that share the memory of the bytes, and other arrays
lists. What XGBoost does not write, such as two values of one name, is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: XGBoost's models are nested seven levels deep.
DEEPEST = 16
#: Markers of numbers, which are written with the highest byte first.
NUMBERS = {
    marker: np.dtype(kind)
    for marker, kind in {
        b"i": "i1",
        b"U": "u1",
        b"I": ">i2",
        b"l": ">i4",
        b"L": ">i8",
        b"d": ">f4",
        b"D": ">f8",
    }.items()
}
EMPTY = {marker: np.empty(0, kind) for marker, kind in NUMBERS.items()}
CONSTANTS = {b"Z": None, b"T": True, b"F": False}


def decode(data: bytes) -> Any:
    """The value that some bytes stand for.

    Examples
    --------
    >>> decode(b"{L" + (3).to_bytes(8, "big") + b"one[$U#L" + (2).to_bytes(8, "big") + bytes([5, 6]) + b"}")
    {'one': array([5, 6], dtype=uint8)}
    """
    reader = _Reader(data)
    value = reader.value(reader.take(1), DEEPEST)
    if reader.position != len(data):
        raise ValueError("there is something after the end")
    return value


class _Reader:
    """Bytes, and how many of them were read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        begin = self.position
        end = self.position = begin + count
        if end > len(self.data):
            raise ValueError("it ends too soon")
        return self.data[begin:end]

    def length(self) -> int:
        """A length, which is always written in the same way."""
        written = self.take(9)
        if written[:1] != b"L":
            raise ValueError("a length is missing")
        return int.from_bytes(written[1:], "big")

    def text(self) -> str:
        try:
            return self.take(self.length()).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError("a name is no text") from error

    def value(self, marker: bytes, depth: int) -> Any:
        """The value that begins with this marker."""
        if depth == 0:
            raise ValueError("it is nested too deeply")
        if marker == b"[":
            return self.array(depth)
        if marker == b"S":
            return self.text()
        if marker == b"{":
            return self.mapping(depth)
        if marker in NUMBERS:
            return self.numbers(marker, 1)[0].item()
        if marker in CONSTANTS:
            return CONSTANTS[marker]
        raise ValueError("it has a value of an unknown type")

    def mapping(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        count = 0
        while self.data[self.position : self.position + 1] != b"}":
            name = self.text()
            found[name] = self.value(self.take(1), depth - 1)
            count += 1
        if len(found) != count:
            raise ValueError("a name occurs twice")
        self.position += 1
        return found

    def array(self, depth: int) -> Any:
        """An array of numbers, all of one type, or a list."""
        kind = self.take(1)
        if kind == b"$":
            beginning = self.take(2)
            if beginning[1:] != b"#" or beginning[:1] not in NUMBERS:
                raise ValueError("an array of numbers has no length or type")
            return self.numbers(beginning[:1], self.length())
        if kind != b"#":
            raise ValueError("a list has no length")
        count = self.length()
        if count > len(self.data) - self.position:  # every value takes a byte or more
            raise ValueError("a list is longer than what is left")
        return [self.value(self.take(1), depth - 1) for _ in range(count)]

    def numbers(self, marker: bytes, count: int) -> Any:
        """So many numbers of one type."""
        kind = NUMBERS[marker]
        begin = self.position
        self.position += count * kind.itemsize
        if self.position > len(self.data):
            raise ValueError("it ends too soon")
        return np.frombuffer(self.data, kind, count, begin) if count else EMPTY[marker]
