"""Training data on disk: XGBoost reads them batch by batch, bins them, and keeps the bins in files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import scipy.sparse
import xgboost as xgb

#: Values in a page, the part of the data that XGBoost works on at a time. Every page takes a fixed time for every tree.
VALUES_OF_PAGE = 8_000_000
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
    """Gives XGBoost the rows page by page, as often as it asks for them."""

    def __init__(self, X: BatchedFeatures, fields: Fields, common: Mapping[str, Any]) -> None:
        self._X, self._fields, self._common = X, fields, common
        super().__init__(cache_prefix=str((X.cache or Path()) / "bins"))
        self.reset()

    def reset(self) -> None:
        """Begin anew."""
        self._pages, self._first = pages(self._X), 0

    def next(self, input_data: Callable[..., Any]) -> bool:
        """Pass on one page, with the fields of its rows."""
        page = next(self._pages, None)
        if page is None:
            return False
        rows = slice(self._first, self._first + page.shape[0])
        self._first = rows.stop
        input_data(data=page, **self._common, **{name: values[rows] for name, values in self._fields.items()})
        return True


def pages(X: BatchedFeatures) -> Iterator[Any]:
    """The rows in pages of equal size, however they are cut into parts, in single precision."""
    size = max(1, VALUES_OF_PAGE // X.shape[1])
    first, begun = 0, _Page(min(size, X.shape[0]), X.shape[1])
    for part in X.parts():
        rest = part
        while rest.shape[0]:
            rest = begun.add(rest)
            if begun.is_full:
                first += begun.size
                yield begun.take()
                begun = _Page(min(size, X.shape[0] - first), X.shape[1])
        del part, rest  # so that no two parts are in memory at the same time


class _Page:
    """Room for some rows. Dense ones are copied to their place at once, so that they are in memory once only."""

    def __init__(self, size: int, width: int) -> None:
        self.size, self._width = size, width
        self._filled = 0
        self._dense: npt.NDArray[np.float32] | None = None
        self._sparse: list[Any] = []

    @property
    def is_full(self) -> bool:
        """Whether it has all of its rows."""
        return self._filled == self.size

    def add(self, part: Any) -> Any:
        """Take as many rows as there is room for, and return the others."""
        rows = part[: self.size - self._filled]
        if scipy.sparse.issparse(rows):
            self._sparse.append(rows.astype(np.float32))
        else:
            if self._dense is None:
                self._dense = np.empty((self.size, self._width), dtype=np.float32)
            self._dense[self._filled : self._filled + len(rows)] = rows
        self._filled += rows.shape[0]
        return part[rows.shape[0] :]

    def take(self) -> Any:
        """The rows, which the page no longer holds."""
        if self._sparse:
            return scipy.sparse.vstack(self._sparse, format="csr")
        dense, self._dense = self._dense, None
        return dense
