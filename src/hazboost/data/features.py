"""Features: from arrays, sparse matrices and DataFrames to what the trees are grown on.

A `Schema` remembers at fit which columns are categorical and with which categories, so that prediction reads
every container alike: a category keeps its meaning whatever order or container it comes in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_array

from hazboost.utils.arrays import Array


@dataclass(frozen=True)
class Schema:
    """What is remembered of the training features.

    Attributes
    ----------
    names : list of str or None
        Column names, where the features came with names.
    categories : dict
        For each categorical column, by position, its categories in order.
    sparse : bool
        Whether training saw a sparse matrix, whose unstored entries are missing values to the trees.
    """

    names: list[str] | None
    categories: dict[int, list[Any]]
    sparse: bool

    def encode(self, X: Any) -> Array | scipy.sparse.csr_matrix:
        """Turn readable features into numbers; categories into codes, unknown ones into missing values."""
        if not _is_frame(X):
            if self.categories:
                called = ", ".join(repr(self.names[i]) for i in self.categories) if self.names else ""
                raise ValueError(
                    f"X: the model was fitted with categories in {called}; give a DataFrame that has them."
                )
            return self._like_training(X)
        columns = [_read_column(X, name) for name in X.columns]
        encoded = np.empty((X.shape[0], len(columns)))
        for i, column in enumerate(columns):
            if (i in self.categories) != (column.categories is not None):
                was, now = ("categorical", "numeric") if i in self.categories else ("numeric", "categorical")
                raise ValueError(f"X: column {X.columns[i]!r} was {was} when the model was fitted and is {now} now.")
            encoded[:, i] = column.codes(self.categories[i]) if i in self.categories else column.values
        _check_finite(encoded, list(X.columns))
        return self._like_training(encoded)

    @property
    def tree_names(self) -> list[str] | None:
        """Names for XGBoost; None, so that it makes its own, where it would refuse one."""
        if self.names is None or any(set("[]<") & set(name) for name in self.names):
            return None
        return self.names

    @property
    def types(self) -> list[str] | None:
        """XGBoost's feature types; None where all columns are numbers."""
        if not self.categories or self.names is None:
            return None
        return ["c" if i in self.categories else "q" for i in range(len(self.names))]

    def _like_training(self, X: Any) -> Any:
        """Trees send a missing value and a zero different ways: keep unstored zeros what they were in training."""
        if self.sparse:
            X = scipy.sparse.csr_matrix(X, copy=True)
            X.eliminate_zeros()  # a stored zero is a zero like any other
            return X
        return X.toarray() if scipy.sparse.issparse(X) else X


def readable(X: Any) -> Any:
    """Pass a DataFrame on, and check everything else to be an array or a sparse matrix of numbers.

    NaN means missing; infinity is refused.
    """
    if _is_frame(X):
        return X
    return check_array(X, accept_sparse="csr", dtype=np.float64, ensure_all_finite="allow-nan", input_name="X")


def learn_schema(X: Any) -> Schema:
    """Read the names and categories of readable features."""
    if not _is_frame(X):
        return Schema(None, {}, scipy.sparse.issparse(X))
    columns = [_read_column(X, name) for name in X.columns]
    categories = {i: column.categories for i, column in enumerate(columns) if column.categories is not None}
    return Schema([str(name) for name in X.columns], categories, sparse=False)


def refuse_empty_columns(encoded: Any, names: list[str] | None) -> None:
    """Refuse features of which every value is missing."""
    if scipy.sparse.issparse(encoded):
        return  # an unstored column is a column of zeros to its owner
    empty = np.flatnonzero(np.isnan(encoded).all(axis=0))
    if len(empty):
        called = ", ".join(repr(names[i]) if names else f"column {i}" for i in empty[:5])
        raise ValueError(f"X: every value is missing in {called}; remove such features before fitting.")


@dataclass(frozen=True)
class _Column:
    """A column of a DataFrame: numbers, or codes into ``categories`` with -1 for missing."""

    values: Array
    categories: list[Any] | None = None

    def codes(self, known: list[Any]) -> Array:
        """Codes among the ``known`` categories; NaN for missing and unknown ones."""
        code_of = {category: float(code) for code, category in enumerate(known)}
        lookup = np.array([code_of.get(category, np.nan) for category in self.categories or []] + [np.nan])
        return lookup[self.values.astype(np.intp)]


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def _read_column(X: Any, name: Any) -> _Column:
    """Read a pandas or polars column without importing either."""
    series = X[name]
    kind = str(series.dtype)
    if kind == "category":
        return _Column(series.cat.codes.to_numpy(), list(series.cat.categories))
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
        raise refusal  # would turn into numbers silently
    try:
        if hasattr(series, "to_pandas"):
            return _Column(series.cast(float).to_numpy())
        return _Column(series.to_numpy(dtype=np.float64, na_value=np.nan))
    except Exception as error:
        raise refusal from error


def _check_finite(encoded: Array, names: list[Any]) -> None:
    if encoded.size == 0:
        raise ValueError(f"X is empty: it has shape {encoded.shape}, and at least one row and column is needed.")
    infinite = np.isinf(encoded)
    if infinite.any():
        row, column = np.argwhere(infinite)[0]
        raise ValueError(f"X: column {names[column]!r} is infinite in row {row}; use NaN for a missing value.")
