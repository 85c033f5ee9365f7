"""Dask collections as lists of partitions that belong together, row by row."""

from __future__ import annotations

from typing import Any, TypeAlias

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import Delayed

from hazboost.utils.describe import describe

#: Collections that have rows.
Collection: TypeAlias = da.Array | dd.DataFrame | dd.Series


def is_collection(data: Any) -> bool:
    """Whether this is a Dask array, DataFrame or Series."""
    return isinstance(data, Collection)


def split_features(X: Any) -> list[Delayed]:
    """The partitions of the features, each with all columns."""
    if not isinstance(X, da.Array | dd.DataFrame):
        raise TypeError(
            f"X must be a Dask DataFrame or array; got {describe(X)}. Use dask.dataframe.from_pandas or "
            "dask.array.from_array, or hazboost.FPBoost for data in memory."
        )
    if isinstance(X, dd.DataFrame):
        return list(X.to_delayed())
    if X.ndim != 2:
        raise ValueError(
            "X must be a table with one row for each subject and one column for each feature; got "
            f"{X.ndim} dimension{'s' * (X.ndim != 1)} instead of two."
        )
    return [block for (block,) in X.rechunk({1: -1}).to_delayed().tolist()]


def split_like(X: Collection, parts: int, data: Any, name: str) -> list[Any]:
    """The partitions of data that have a row for each row of ``X``; a pair of collections becomes pairs.

    Parameters
    ----------
    X : dask collection
        The features.
    parts : int
        Number of its partitions.
    data : dask collection, or pair of them
        To be divided in the same way.
    name : str
        What to call it in an error.
    """
    if isinstance(data, tuple | list) and len(data) == 2:
        pair = [split_like(X, parts, one, f"{name}[{position}]") for position, one in enumerate(data)]
        return list(zip(*pair, strict=True))
    if not is_collection(data):
        raise TypeError(
            f"{name} must be a Dask collection, as X is; got {describe(data)}. Use dask.dataframe.from_pandas or "
            "dask.array.from_array with the partitions of X."
        )
    if isinstance(data, da.Array):
        data = _with_chunks_of(X, data)
    pieces: list[Any] = np.ravel(data.to_delayed()).tolist()
    if len(pieces) != parts:
        raise ValueError(
            f"{name} has {len(pieces)} partitions and X has {parts}; both need the same rows in each. Use .repartition "
            "or .rechunk, or make both from one DataFrame."
        )
    return pieces


def _with_chunks_of(X: Collection, data: da.Array) -> da.Array:
    """An array in one piece across its columns and, if both lengths are known, cut where ``X`` is."""
    if data.ndim > 1:
        data = data.rechunk(dict.fromkeys(range(1, data.ndim), -1))
    known = isinstance(X, da.Array) and not np.isnan([*X.chunks[0], *data.chunks[0]]).any()
    if known and X.shape[0] == data.shape[0] and X.chunks[0] != data.chunks[0]:
        return data.rechunk({0: X.chunks[0]})
    return data


def row_counts(X: Collection, parts: int) -> list[float]:
    """Number of rows of each partition; NaN where it is not known before they are computed."""
    return list(X.chunks[0]) if isinstance(X, da.Array) else [np.nan] * parts
