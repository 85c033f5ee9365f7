"""Features: conversion of arrays, sparse matrices and tables to the numeric matrix for the trees.

A `Schema` stores the names and categories of the training columns. At prediction a category gets the same code as in
training, whatever the order of the categories or the kind of table.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_array

from hazboost.data.categories import Categories, in_order, read_categories
from hazboost.data.frames import column_names, is_empty, is_table, refuse_repeated_names, to_computer
from hazboost.utils.arrays import Array, Indices, Mask, as_numbers, as_plain, refuse_without_numbers
from hazboost.utils.devices import is_on_device, match_device, reduce_rows, to_host

#: Trees hold features in single precision.
LARGEST = float(np.finfo(np.float32).max)
WANTED = "numeric or categorical ('category' in pandas)"


@dataclass(frozen=True)
class Schema:
    """Names, categories and storage of the training features.

    Attributes
    ----------
    names : list of str or None
        Column names, if the features have names.
    categories : dict
        Categories of each categorical column, by position of the column.
    sparse : bool
        Whether training used a sparse matrix. XGBoost treats entries that are not stored as missing values.
    """

    names: list[str] | None
    categories: dict[int, list[Any]]
    sparse: bool

    def names_of(self, width: int) -> list[str]:
        """Names of so many columns; x0, x1, ... by position where they have none."""
        return [f"x{i}" for i in range(width)] if self.names is None else list(self.names)

    def encode(self, X: Any) -> Array | scipy.sparse.csr_matrix:
        """Convert features from `readable` to numbers; categories become codes, unknown categories missing values."""
        if is_table(X):
            encoded = self._encode_table(X)
        elif self.categories:
            called = ", ".join(repr(self.names[i]) for i in self.categories) if self.names else ""
            raise ValueError(
                f"X: the model was fitted with categories in {called}; pass a DataFrame with these columns."
            )
        else:
            encoded = X
        encoded = _with_silent_nan(encoded)
        _check_size(encoded, column_names(X) if is_table(X) else None)
        return self._like_training(encoded)

    def _encode_table(self, X: Any) -> Array:
        names = column_names(X)
        self._refuse_other_numbers(names)
        encoded = np.empty((X.shape[0], len(names)))
        for i, name in enumerate(names):
            encoded[:, i] = self._encode_column(_read_column(X[name], name), i, name)
        return encoded

    def _encode_column(self, column: Categories | Array, position: int, name: Any) -> Array | float:
        known = self.categories.get(position)
        if isinstance(column, Categories):
            if known is not None:
                return column.encode(known, name)
            is_missing = column.codes < 0
        else:
            if known is None:
                return column
            is_missing = np.isnan(column)
        # A library of tables can only guess the kind of a column without any value.
        if is_missing.all():
            return np.nan
        # Codes of categories would be read as numbers, or numbers as codes, without an error from XGBoost.
        was, now = ("numeric", "categorical") if known is None else ("categorical", "numeric")
        raise ValueError(
            f"X: column {name!r} was {was} when the model was fitted and is {now} now; convert it to what it was."
        )

    def _refuse_other_numbers(self, names: list[Any]) -> None:
        """Compare names that are numbers, which scikit-learn does not; those that are text have been compared.

        Columns that are numbered 0, 1, ... have no names of their own and are read by position.
        """
        given = [str(name) for name in names]
        if self.names is None or given == self.names or any(isinstance(name, str) for name in names):
            return
        numbered = [str(i) for i in range(len(names))]
        if sorted(given) == sorted(self.names) or numbered not in (given, self.names):
            raise ValueError(
                f"X: the columns are {', '.join(given[:5])}, and were {', '.join(self.names[:5])} when the model was "
                "fitted; give the same columns in the same order."
            )

    def _like_training(self, X: Any) -> Any:
        """Convert to the storage used in training, dense or sparse.

        Trees treat zeros and missing values differently, so the zeros that a sparse matrix does not store must be
        missing at prediction if and only if they were missing in training.
        """
        if self.sparse:
            X = scipy.sparse.csr_matrix(X, copy=True)
            X.eliminate_zeros()  # explicitly stored zeros must not differ from zeros that are not stored
            return X
        return X.toarray() if scipy.sparse.issparse(X) else X


def readable(X: Any) -> Any:
    """Return a table as it is; convert anything else to an array or a CSR matrix of numbers.

    NaN, None and masked entries are missing values; infinity is refused. Tables are checked by `Schema.encode`, because
    scikit-learn's ``check_array`` would lose their categories.
    """
    X = to_computer(X)
    if is_table(X):
        if type(X).__module__.startswith("dask"):
            raise TypeError("X is a Dask DataFrame, not in memory; use hazboost.dask.FPBoost, or X.compute().")
        refuse_repeated_names(column_names(X), "X")
        return X
    if is_on_device(X):
        _refuse_other_shapes(X.shape)
        return X.astype(np.float32, copy=False)
    if scipy.sparse.issparse(X):
        refuse_without_numbers(X, "X")
    elif isinstance(X, Mapping):
        raise TypeError(f"X must be an array or a table; got {type(X).__name__}. Use pandas.DataFrame(X).")
    else:
        plain = as_plain(X)
        if plain.dtype.kind == "O":  # of one row of a table with categories, the text is not what is wrong
            _refuse_other_shapes(plain.shape)
        refuse_without_numbers(plain, "X")
        _refuse_other_shapes(plain.shape)
        X = plain if isinstance(X, np.ma.MaskedArray) or plain.dtype.kind == "O" else X
    # Infinite values are refused by `Schema.encode`, which names their column and row.
    # Single precision is kept: it is that of the trees.
    kinds = [np.float64, np.float32]
    return check_array(X, accept_sparse="csr", dtype=kinds, ensure_all_finite=False, input_name="X")


def _refuse_other_shapes(shape: tuple[int, ...]) -> None:
    """Refuse what is not a table, or has no rows or columns. scikit-learn's estimator checks ask for some words."""
    if len(shape) != 2:
        raise ValueError(
            "X must be a table with one row for each subject and one column for each feature; got "
            f"{len(shape)} dimension{'s' * (len(shape) != 1)} instead of two. Reshape your data: X.reshape(-1, 1) is "
            "one feature, and X.reshape(1, -1) one subject."
        )
    for count, what in zip(shape, ("sample", "feature"), strict=True):
        if count == 0:
            raise ValueError(
                f"X has 0 {what}(s) (shape={tuple(shape)}) while a minimum of 1 is required; give at least one row "
                "and one column."
            )


def join_categories(schemas: Sequence[Schema]) -> Schema:
    """The schema of parts of the same data, with the categories that occur in any of them."""
    first = schemas[0]
    categories = {
        position: in_order({category for schema in schemas for category in schema.categories[position]})
        for position in first.categories
    }
    return replace(first, categories=categories)


def learn_schema(X: Any) -> Schema:
    """Read the names and categories of features from `readable`."""
    if not is_table(X):
        return Schema(None, {}, scipy.sparse.issparse(X))
    names = column_names(X)
    categories = {
        i: found.in_order() for i, name in enumerate(names) if (found := read_categories(X[name])) is not None
    }
    return Schema([str(name) for name in names], categories, sparse=False)


def _with_silent_nan(X: Any) -> Any:
    """The same with NumPy's NaN for every missing value: R's NA is a NaN of a kind with which arithmetic warns."""
    if not isinstance(X, np.ndarray) or X.dtype.kind != "f":
        return X
    missing = np.isnan(X)
    return np.where(missing, X.dtype.type(np.nan), X) if missing.any() else X


def refuse_empty_columns(highest: Array, schema: Schema) -> None:
    """Refuse features without any observed value, of which `highest_values` has none."""
    if schema.sparse:
        return  # a column without stored entries is a column of zeros for the user, not a missing one
    empty = np.flatnonzero(np.isnan(highest))
    if len(empty):
        called = ", ".join(repr(schema.names[i]) if schema.names else f"column {i}" for i in empty[:5])
        raise ValueError(f"X: every value is missing in {called}; remove such features before fitting.")


def same_rows(X: Any, some: Indices, others: Indices) -> Mask:
    """Whether encoded rows have the same features as other ones; missing values are the same as one another.

    Not so in a sparse matrix, where NaN is a value that is stored.
    """
    if scipy.sparse.issparse(X):
        return np.asarray((X[some] != X[others]).sum(axis=1) == 0, dtype=np.bool_).ravel()
    left, right = (X[match_device(rows, X)] for rows in (some, others))
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    return np.asarray(to_host(same.all(axis=1)), dtype=np.bool_)


def highest_values(encoded: Any) -> Array:
    """The largest value of each feature; NaN where all are missing.

    Features that are not in memory know it already.
    """
    if hasattr(encoded, "highest"):
        known: Array = encoded.highest
        return known
    if scipy.sparse.issparse(encoded) and encoded.shape[0]:
        return np.asarray(encoded.nanmax(axis=0).todense(), dtype=np.float64).ravel()
    if scipy.sparse.issparse(encoded):
        return np.full(encoded.shape[1], np.nan)
    if is_on_device(encoded):
        largest = reduce_rows(np.max, encoded)
        return np.asarray(to_host(np.nanmax(encoded, axis=0) if np.isnan(largest).any() else largest), np.float64)
    highest: Array = np.fmax.reduce(encoded, axis=0, initial=np.nan).astype(np.float64)
    return highest


def upper_limits(highest: Array, categories: Collection[int]) -> tuple[float, ...]:
    """Limits at the largest values of features; none for categories, by position, whose codes have no order."""
    limits = np.where(np.isnan(highest), np.inf, highest)
    limits[list(categories)] = np.inf
    return tuple(limits.tolist())


def _read_column(column: Any, name: Any) -> Categories | Array:
    """Read a column of a table: categories, or numbers with NaN for missing values."""
    categories = read_categories(column)
    if categories is not None:
        return categories
    try:
        numbers = as_numbers(column, f"X: column {name!r}", WANTED)
    except ValueError:
        if is_empty(column):  # dates, for example, all of which are missing
            return np.full(len(column), np.nan)
        raise
    if numbers.ndim != 1:
        raise ValueError(f"X: column {name!r} must be {WANTED}; got several values in each row.")
    return numbers


def _check_size(encoded: Any, names: list[Any] | None) -> None:
    """Refuse tables without rows or columns, and values that are infinite, also in the trees' single precision."""
    _refuse_other_shapes(encoded.shape)
    stored = encoded.data if scipy.sparse.issparse(encoded) else encoded
    if is_on_device(stored):
        low, high = stored.min(), stored.max()
        if np.isnan(low):
            low, high = np.nanmin(stored), np.nanmax(stored)
    else:  # these two ignore NaN, and need no memory
        low, high = (reduce(stored, axis=None, initial=0.0) for reduce in (np.fmin.reduce, np.fmax.reduce))
    if max(-float(low), float(high)) <= LARGEST:
        return
    entries = scipy.sparse.coo_matrix(to_host(encoded))
    first = int(np.argmax(np.abs(entries.data) > LARGEST))
    row, column, value = entries.row[first], entries.col[first], entries.data[first]
    called = f"column {names[column]!r}" if names else f"column {column}"
    if np.isinf(value):
        raise ValueError(f"X: {called} is infinite in row {row}; use NaN for a missing value.")
    raise ValueError(
        f"X: {called} is {value:g} in row {row}, which is too large for the trees, whose largest number is "
        f"{LARGEST:.2g}; rescale the column, or take its logarithm."
    )
