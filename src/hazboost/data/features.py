"""Features: conversion of arrays, sparse matrices and DataFrames to the numeric matrix for the trees.

A `Schema` stores the names and categories of the training columns. At prediction a category gets the same code as in
training, whatever the order of the categories or the type of container.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_array

from hazboost.utils.arrays import Array


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

    def encode(self, X: Any) -> Array | scipy.sparse.csr_matrix:
        """Convert features from `readable` to numbers; categories become codes, unknown categories missing values."""
        if not _is_frame(X):
            if self.categories:
                called = ", ".join(repr(self.names[i]) for i in self.categories) if self.names else ""
                raise ValueError(
                    f"X: the model was fitted with categories in {called}; pass a DataFrame with these columns."
                )
            return self._like_training(X)
        columns = [_read_column(X, name) for name in X.columns]
        encoded = np.empty((X.shape[0], len(columns)))
        for i, column in enumerate(columns):
            # Codes of categories would be read as numbers, or numbers as codes, without an error from XGBoost.
            if (i in self.categories) != (column.categories is not None):
                was, now = ("categorical", "numeric") if i in self.categories else ("numeric", "categorical")
                raise ValueError(f"X: column {X.columns[i]!r} was {was} when the model was fitted and is {now} now.")
            encoded[:, i] = column.codes(self.categories[i]) if i in self.categories else column.values
        _check_finite(encoded, list(X.columns))
        return self._like_training(encoded)

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
    """Return a DataFrame as it is; convert anything else to an array or a CSR matrix of numbers.

    NaN means missing; infinity is refused. DataFrames are checked by `Schema.encode`, because scikit-learn's
    ``check_array`` would lose their categories.
    """
    if _is_frame(X):
        _refuse_repeated_names(list(X.columns))
        return X
    return check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")


def _refuse_repeated_names(names: list[Any]) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        listed = ", ".join(map(repr, repeated[:5]))
        raise ValueError(f"X: column names must be unique; {listed} is repeated. Rename or drop one of the columns.")


def learn_schema(X: Any) -> Schema:
    """Read the names and categories of features from `readable`."""
    if not _is_frame(X):
        return Schema(None, {}, scipy.sparse.issparse(X))
    columns = [_read_column(X, name) for name in X.columns]
    categories = {i: column.categories for i, column in enumerate(columns) if column.categories is not None}
    return Schema([str(name) for name in X.columns], categories, sparse=False)


def refuse_empty_columns(encoded: Any, names: list[str] | None) -> None:
    """Refuse features without any observed value."""
    if scipy.sparse.issparse(encoded):
        return  # a column without stored entries is a column of zeros for the user, not a missing one
    empty = np.flatnonzero(np.isnan(encoded).all(axis=0))
    if len(empty):
        called = ", ".join(repr(names[i]) if names else f"column {i}" for i in empty[:5])
        raise ValueError(f"X: every value is missing in {called}; remove such features before fitting.")


@dataclass(frozen=True)
class _Column:
    """A column of a DataFrame: numbers, or codes of ``categories`` with -1 for missing values."""

    values: Array
    categories: list[Any] | None = None

    def codes(self, known: list[Any]) -> Array:
        """Codes in terms of the ``known`` categories; NaN for missing and unknown ones."""
        # The last entry of the table is NaN: the code -1 of a missing value indexes it.
        code_of = {category: float(code) for code, category in enumerate(known)}
        lookup = np.array([code_of.get(category, np.nan) for category in self.categories or []] + [np.nan])
        return lookup[self.values.astype(np.intp)]


def _is_frame(X: Any) -> bool:
    # True for pandas and polars alike, without importing either.
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _read_column(X: Any, name: Any) -> _Column:
    """Read a pandas or polars column without importing either."""
    series = X[name]
    kind = str(series.dtype)
    # pandas, whose codes are -1 for missing values.
    if kind == "category":
        return _Column(series.cat.codes.to_numpy(), list(series.cat.categories))
    # polars: physical codes depend on the order of appearance, so categories are sorted to be reproducible.
    if kind.startswith(("Categorical", "Enum")):
        texts = series.cast(str).to_list()
        categories = sorted({text for text in texts if text is not None})
        code_of = {category: code for code, category in enumerate(categories)}
        return _Column(np.array([code_of.get(text, -1) for text in texts]), categories)
    refusal = ValueError(
        f"X: column {name!r} has dtype {kind}, which is neither a number nor a category; "
        "convert it to one of them (for text, use the dtype 'category')."
    )
    if kind.startswith(("datetime", "timedelta", "complex", "Date", "Duration", "Time")):
        raise refusal  # NumPy would convert these to numbers without an error
    try:
        # Only polars has `to_pandas`; the two libraries convert missing values in different ways.
        if hasattr(series, "to_pandas"):
            return _Column(series.cast(float).to_numpy())
        return _Column(series.to_numpy(dtype=np.float64, na_value=np.nan))
    # pandas and polars raise errors of several types for values that are not numbers.
    except Exception as error:
        raise refusal from error


def _check_finite(encoded: Array, names: list[Any]) -> None:
    """Refuse empty tables and infinite values; NaN is allowed and means missing."""
    if encoded.size == 0:
        raise ValueError(f"X is empty: it has shape {encoded.shape}, and at least one row and column is needed.")
    infinite = np.isinf(encoded)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(f"X: column {names[column]!r} is infinite in row {row}; use NaN for a missing value.")
