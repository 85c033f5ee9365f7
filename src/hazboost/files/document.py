"""JSON in one form, so that the same values are the same bytes, and read more strictly than Python does."""

from __future__ import annotations

import json
from typing import Any

#: JSON takes up to thirty times its size in memory, so that this much needs half a gigabyte.
LARGEST = 2**24


def to_json(value: Any) -> bytes:
    """Short, in ASCII, without the numbers that JSON does not know.

    Numbers are the shortest ones that are read as the same numbers, to the last bit.
    """
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def from_json(data: bytes) -> Any:
    """The value, of objects without two values of one name."""
    if len(data) > LARGEST:
        raise ValueError("it has too many names and numbers")
    try:
        text = data.decode("ascii")
        return json.loads(text, object_pairs_hook=_as_dictionary, parse_constant=_refuse_constant)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError("its names and values cannot be read") from error


def items(found: Any) -> list[tuple[str, Any]]:
    """Names and values of an object."""
    if type(found) is not dict:
        raise ValueError("there are no names")
    return list(found.items())


def _as_dictionary(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")
