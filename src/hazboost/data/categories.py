"""Categorical columns: a category has the same code at prediction as in training, in every kind of table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from hazboost.utils.arrays import Array, Indices
from hazboost.utils.describe import SHOWN, and_more, describe
from hazboost.utils.warn import warn_caller


@dataclass(frozen=True)
class Categories:
    """A categorical column: a code for each row, -1 for a missing value, and what the codes mean."""

    codes: Indices
    categories: list[Any]

    def in_order(self) -> list[Any]:
        """The categories that occur, sorted, so that nothing depends on the order in which a library lists them."""
        return in_order(self.categories[code] for code in np.unique(self.codes[self.codes >= 0]))

    def encode(self, known: list[Any], name: Any) -> Array:
        """Codes in terms of the ``known`` categories; NaN for missing and unknown ones."""
        # The last entry of the table is NaN: the code -1 of a missing value indexes it.
        code_of = {category: float(code) for code, category in enumerate(known)}
        lookup = np.array([code_of.get(category, np.nan) for category in self.categories] + [np.nan])
        _check_unknown(self, np.isnan(lookup[:-1]), known, name)
        return lookup[self.codes]


def in_order(categories: Iterable[Any]) -> list[Any]:
    """Sorted by type and value."""
    return sorted(categories, key=lambda category: (type(category).__name__, category))


def read_categories(column: Any) -> Categories | None:
    """Read a categorical column of pandas, polars or Arrow; None for a column of another kind."""
    kind = str(getattr(column, "dtype", getattr(column, "type", "")))
    if kind == "category":  # pandas, whose codes are -1 for missing values
        return Categories(column.cat.codes.to_numpy().astype(np.intp), list(column.cat.categories))
    if kind.startswith(("Categorical", "Enum")):
        return _number(column.cast(str).to_list())
    if kind.startswith("dictionary"):
        return _number((column.array.__arrow_array__() if hasattr(column, "array") else column).to_pylist())
    return None


def _number(values: list[Any]) -> Categories:
    """Number the categories of polars and Arrow, whose own codes may be of several chunks."""
    categories = list(dict.fromkeys(value for value in values if value is not None))
    code_of = {category: code for code, category in enumerate(categories)}
    return Categories(np.array([code_of.get(value, -1) for value in values], dtype=np.intp), categories)


def _check_unknown(column: Categories, unknown: Any, known: list[Any], name: Any) -> None:
    """Warn of categories that are unknown to training, and refuse a column all of whose values are of another type.

    A new category, such as a new hospital, is missing information. Values of another type, such as numbers for text,
    mean that the column is coded differently, and that all of its information would be lost. Neither depends on how
    many rows there are.
    """
    rows = np.bincount(column.codes[column.codes >= 0], minlength=len(column.categories))
    found = [column.categories[i] for i in np.flatnonzero(unknown & (rows > 0))]
    if not found:
        return
    nothing_known = not rows[~unknown].any()
    if nothing_known and {_kind(one) for one in found}.isdisjoint(map(_kind, known)):
        raise ValueError(
            f"X: no value of column {name!r} is of the type of its categories in the training data; known are "
            f"{_list(known)}, found were {_list(found)}. Code the column as in training."
        )
    warn_caller(
        f"X: column {name!r} has categories that are not in the training data: {_list(found)}. They count as "
        f"missing; known are {_list(known)}. Check the spelling.",
        UserWarning,
    )


def _kind(category: Any) -> type:
    """The type of a category; all numbers are of one, because whole ones may be read as others beside missing ones."""
    return next((kind for kind in (bool, Real, str) if isinstance(category, kind)), type(category))


def _list(categories: list[Any]) -> str:
    """The first categories with their types: ``1, 2, 3 and 4 more (int)``."""
    types = sorted({type(category).__name__ for category in categories})
    shown = and_more([describe(category) for category in categories[:SHOWN]], len(categories))
    return f"{shown} ({' and '.join(types)})" if categories else "none"
