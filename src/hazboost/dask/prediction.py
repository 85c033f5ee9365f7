"""Predictions for Dask collections, which are made partition by partition when they are needed.

The model is one task of the graph, on which those of all partitions depend: a worker gets it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask import delayed

from hazboost.dask.partitions import Collection, is_collection, row_counts, split_features, split_like
from hazboost.dask.parts import of_partition
from hazboost.data.observations import check_id, find_divided, hash_labels
from hazboost.estimator import FPBoost
from hazboost.utils.describe import describe


@dataclass(frozen=True)
class Lazy:
    """Calls a method of a fitted estimator with each partition.

    Attributes
    ----------
    estimator : FPBoost
        The fitted estimator.
    method : str
        Name of the method, whose first argument is ``X``.
    X : dask collection
        The features.
    by_row : mapping
        Further arguments with a value for each row, as Dask collections with the partitions of ``X``.
    options : mapping
        Further arguments that are the same for all rows.
    """

    estimator: FPBoost
    method: str
    X: Collection
    by_row: Mapping[str, Any]
    options: Mapping[str, Any]

    def array(self, tail: tuple[int, ...], kind: Any = np.float64, *, aligned: bool = True) -> da.Array:
        """A prediction as an array of shape (n, *tail); with chunks of the rows of ``X`` if there is one for each."""
        parts = self._parts(tail, kind)
        counts = row_counts(self.X, len(parts)) if aligned else [np.nan] * len(parts)
        blocks = [da.from_delayed(one, (count, *tail), dtype=kind) for one, count in zip(parts, counts, strict=True)]
        return da.concatenate(blocks, axis=0, allow_unknown_chunksizes=True)

    def series(self) -> Any:
        """One number for each row: a Series with the index of ``X`` if it is a DataFrame, and an array elsewhere."""
        if not isinstance(self.X, dd.DataFrame):
            return self.array(())
        parts = self._parts((), np.float64)
        indexed = [delayed(_with_index)(one, X) for one, X in zip(parts, split_features(self.X), strict=True)]
        divisions = self.X.divisions if self.X.known_divisions else None
        return dd.from_delayed(indexed, meta=pd.Series(dtype=np.float64), divisions=divisions)

    def table(self, meta: Any) -> dd.DataFrame:
        """A table with a column ``subject``, numbered through all partitions."""
        features = split_features(self.X)
        lengths = [delayed(len)(X) for X in features]
        parts = self._parts((), None, meta)
        numbered = [delayed(_number_on)(one, lengths[:i]) for i, one in enumerate(parts)]
        return dd.from_delayed(numbered, meta=meta)

    def _parts(self, tail: tuple[int, ...], kind: Any, empty: Any = None) -> list[Any]:
        """The prediction of each partition; ``empty`` or an empty array for those without rows."""
        features = split_features(self.X)
        rows = {name: split_like(self.X, len(features), one, name) for name, one in self.by_row.items()}
        by_part = [{name: one[i] for name, one in rows.items()} for i in range(len(features))]
        model = delayed(self.estimator, pure=True)
        nothing = np.empty((0, *tail), dtype=kind) if empty is None else empty
        checked = delayed(_refuse_divided)([delayed(_hashes)(one) for one in rows["id"]]) if "id" in rows else None
        return [
            delayed(_predict_part)(i, model, self.method, X, {**self.options, **by_row}, nothing, checked)
            for i, (X, by_row) in enumerate(zip(features, by_part, strict=True))
        ]


@of_partition
def _predict_part(
    number: int, model: FPBoost, method: str, X: Any, arguments: Mapping[str, Any], nothing: Any, checked: None
) -> Any:
    """Predict for one partition; ``nothing`` if it is empty."""
    return getattr(model, method)(X, **arguments) if X.shape[0] else nothing


def _with_index(values: Any, X: Any) -> pd.Series:
    """Predictions as a Series with the rows' labels."""
    return pd.Series(values, index=X.index)


def _number_on(table: pd.DataFrame, before: Sequence[int]) -> pd.DataFrame:
    """A table whose subjects are numbered on after those of the partitions before."""
    return table.assign(subject=table["subject"] + sum(before))


def _hashes(labels: Any) -> Any:
    """A number for each id of a partition."""
    return np.unique(hash_labels(check_id(labels, "id"))) if len(labels) else np.empty(0, dtype=np.uint64)


def _refuse_divided(ids: Sequence[Any]) -> None:
    """Refuse subjects with rows in several partitions, whose paths would be cut."""
    if find_divided(ids) is not None:
        raise ValueError(
            "id: some subjects have rows in several partitions; all rows of a subject must lie in one. Shuffle the "
            "whole table by its id first: data.shuffle('id'), or data.set_index('id')."
        )


def one_or_by_row(alive_at: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """``alive_at`` as an argument that has a value for each row, or as one that is the same for all rows."""
    if is_collection(alive_at):
        return {"alive_at": alive_at}, {}
    if np.ndim(alive_at) > 0:
        raise TypeError(
            f"alive_at must be one time, or a Dask collection with the partitions of X; got {describe(alive_at)}."
        )
    return {}, {"alive_at": alive_at}
