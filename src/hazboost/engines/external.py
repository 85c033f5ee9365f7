"""Training data on disk: XGBoost reads them batch by batch, bins them, and keeps the bins in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy.typing as npt
import xgboost as xgb

#: Arrays of all rows, by the name of a field of XGBoost's data.
Fields = Mapping[str, npt.NDArray[Any]]


@runtime_checkable
class BatchedFeatures(Protocol):
    """Encoded features of rows that are not in memory."""

    #: A folder for the files of XGBoost.
    cache: Path | None

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""

    def parts(self) -> Iterator[Any]:
        """All rows in their order, as arrays or sparse matrices of some of them. Every call begins anew."""


def external_matrix(X: BatchedFeatures, fields: Fields, common: Mapping[str, Any], **settings: Any) -> xgb.DMatrix:
    """Binned data that stay on disk.

    Parameters
    ----------
    X : BatchedFeatures
        The features. Files are made in their folder, and removed together with the data.
    fields : mapping of str to array
        Start, outcomes and weights of all rows, which stay in memory.
    common : mapping
        What XGBoost wants to be told of each batch: names and types of the features.
    **settings
        Number of bins and of threads, and data whose bins to use.
    """
    return xgb.ExtMemQuantileDMatrix(_Reader(X, fields, common), enable_categorical=True, **settings)


class _Reader(xgb.DataIter):
    """Gives XGBoost the batches, as often as it asks for them."""

    def __init__(self, X: BatchedFeatures, fields: Fields, common: Mapping[str, Any]) -> None:
        self._X, self._fields, self._common = X, fields, common
        super().__init__(cache_prefix=str((X.cache or Path()) / "bins"))
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self._parts, self._first = self._X.parts(), 0

    def next(self, input_data: Callable[..., Any]) -> bool:
        """Pass on one batch, with the fields of its rows."""
        part = next(self._parts, None)
        if part is None:
            return False
        rows = slice(self._first, self._first + part.shape[0])
        self._first = rows.stop
        input_data(data=part, **self._common, **{name: values[rows] for name, values in self._fields.items()})
        return True
