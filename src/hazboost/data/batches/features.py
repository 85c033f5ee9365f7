"""Features that stay where they are and are read in passes, in the place of an array of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from hazboost.data.batches.source import Batches, in_batch
from hazboost.data.features import Schema, readable
from hazboost.utils.arrays import Array, Indices, Mask


@dataclass(frozen=True)
class FeatureBatches:
    """Encoded features of some rows and columns of batches. It has the shape of an array, and can be indexed like one.

    Attributes
    ----------
    batches : Batches
        Where the features come from.
    schema : Schema
        How they are encoded.
    sizes : tuple of int
        Number of rows of each batch, when they were read first.
    chosen : array of bool
        Which of the rows of all batches are meant.
    columns : array of int
        Which of the columns, by position.
    highest : array
        The largest value of each of these columns, in all rows that count.
    cache : Path, optional
        A folder in which others may keep what they make of these features.
    """

    batches: Batches
    schema: Schema
    sizes: tuple[int, ...]
    chosen: Mask
    columns: Indices
    highest: Array
    cache: Path | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return int(np.count_nonzero(self.chosen)), len(self.columns)

    def __getitem__(self, key: Any) -> FeatureBatches:
        """Some rows, given by a mask or by their numbers in ascending order; or all rows of some columns."""
        if isinstance(key, tuple):
            rows, columns = key
            if not isinstance(rows, slice) or rows != slice(None):
                raise TypeError("rows and columns of batches cannot be chosen at the same time.")
            return replace(self, columns=self.columns[columns], highest=self.highest[columns])
        rows = np.flatnonzero(self.chosen)[key]
        if not (np.diff(rows) > 0).all():
            raise ValueError("rows of batches can be chosen in their own order only.")
        chosen = np.zeros_like(self.chosen)
        chosen[rows] = True
        return replace(self, chosen=chosen)

    def parts(self) -> Iterator[Any]:
        """Read the batches once: an array, or sparse matrix, of the chosen rows of each that has some."""
        first = 0
        for number, batch in enumerate(self.batches):
            with in_batch(number):
                self._check_size(number, batch.n_rows)
                size = self.sizes[number]
                chosen = self.chosen[first : first + size]
                first += size
                if not chosen.any():
                    continue
                part = self._select(self.schema.encode(readable(batch.X)), chosen)
            del batch  # so that no two batches are in memory at the same time
            yield part
            del part
        if first != len(self.chosen):
            raise ValueError(
                f"batches: there were {len(self.chosen)} rows when they were read first, and {first} now. Every pass "
                "must give the same batches; pass a function that begins to read anew whenever it is called."
            )

    def load(self) -> Any:
        """All of it as one array or sparse matrix in memory."""
        if self.schema.sparse:
            return scipy.sparse.vstack(list(self.parts()), format="csr")
        loaded, first = np.empty(self.shape), 0
        for part in self.parts():
            loaded[first : first + len(part)] = part
            first += len(part)
        return loaded

    def extremes(self) -> Array:
        """Rows that have the largest value of every feature, and every category."""
        rows = np.full((max([1, *map(len, self.schema.categories.values())]), len(self.highest)), np.nan)
        rows[0] = self.highest
        for column, categories in self.schema.categories.items():
            rows[:, column] = np.minimum(np.arange(len(rows)), len(categories) - 1)
        return rows

    def _check_size(self, number: int, found: int) -> None:
        """Refuse a batch that is not the one that was read first."""
        expected = self.sizes[number] if number < len(self.sizes) else 0
        if number >= len(self.sizes) or found != expected:
            raise ValueError(
                f"X had {expected} rows when it was read first, and has {found} now; every pass must give the same "
                "batches."
            )

    def _select(self, encoded: Any, chosen: Mask) -> Any:
        """The chosen rows and columns; without a copy if it is all of them."""
        rows = encoded if chosen.all() else encoded[chosen]
        return rows if len(self.columns) == rows.shape[1] else rows[:, self.columns]
