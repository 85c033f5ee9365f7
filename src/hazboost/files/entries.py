"""The parts of a model that have an entry of their own in its file: arrays of numbers, and trees."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

#: Types of arrays: booleans, whole and other numbers.
DTYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
MOST_DIMENSIONS = 8


class EntryWriter:
    """Gathers entries, which are numbered in the order in which they come."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}

    def add_array(self, values: npt.NDArray[Any]) -> dict[str, Any]:
        """Add an array in NumPy's own format; where it is, and what it is like."""
        by_column = values.flags.f_contiguous and not values.flags.c_contiguous
        dtype = values.dtype.newbyteorder("<")
        if dtype.str not in DTYPES:
            raise ValueError(f"an array of type {values.dtype}")
        header = npy_header(dtype.str, values.shape, by_column=by_column)
        data = values.astype(dtype).tobytes("F" if by_column else "C")
        return {
            "array": self._add("arrays", "npy", header + data),
            "type": dtype.str,
            "shape": list(values.shape),
            "by_column": by_column,
        }

    def add_trees(self, data: bytes) -> str:
        """Add the trees of an ensemble, in XGBoost's own format."""
        return self._add("trees", "ubj", data)

    def _add(self, folder: str, ending: str, data: bytes) -> str:
        name = f"{folder}/{len(self.entries):05}.{ending}"
        self.entries[name] = data
        return name


class EntryReader:
    """Gives entries out, each once."""

    def __init__(self, entries: dict[str, bytes]) -> None:
        self.left = dict(entries)

    def take_array(self, found: Any) -> npt.NDArray[Any]:
        """The array that `EntryWriter.add_array` has described so."""
        if not isinstance(found, dict) or set(found) != {"array", "type", "shape", "by_column"}:
            raise ValueError("no array is given")
        kind, shape, by_column = found["type"], found["shape"], found["by_column"]
        if kind not in DTYPES or not _is_shape(shape) or not isinstance(by_column, bool):
            raise ValueError("an array has no type or size")
        data, dtype = self.take(found["array"]), np.dtype(kind)
        header = npy_header(kind, tuple(shape), by_column=by_column)
        if not data.startswith(header) or len(data) - len(header) != prod(shape) * dtype.itemsize:
            raise ValueError("an array has another size than it says")
        values = np.frombuffer(data, dtype, offset=len(header))
        if dtype.kind == "b" and (values.view(np.uint8) > 1).any():
            raise ValueError("an array has other values than true and false")
        return values.reshape(shape, order="F" if by_column else "C").copy("K")

    def take(self, name: Any) -> bytes:
        """The bytes of an entry."""
        if not isinstance(name, str) or name not in self.left:
            raise ValueError("a part is missing, or used twice")
        return self.left.pop(name)


def npy_header(dtype: str, shape: tuple[int, ...], *, by_column: bool) -> bytes:
    """How a file of NumPy begins, format 1.0.

    It is written here because that of NumPy has changed between versions, and a model has one sequence of bytes only.
    """
    text = f"{{'descr': '{dtype}', 'fortran_order': {by_column}, 'shape': {tuple(shape)}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")


def _is_shape(shape: Any) -> bool:
    whole = isinstance(shape, list) and all(type(one) is int and 0 <= one < 2**40 for one in shape)
    return whole and len(shape) <= MOST_DIMENSIONS
