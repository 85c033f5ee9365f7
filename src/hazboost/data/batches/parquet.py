"""Parquet files, read batch by batch with pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hazboost.utils.describe import and_more

#: Values in a batch where the user does not say how many rows: 16 megabytes. A wide table has fewer rows in each.
VALUES_OF_BATCH = 2_000_000
#: Bytes of each column that are read from a file at a time; else it would be all of a group of rows.
BYTES_AHEAD = 16_384
#: Columns that an outcome can have.
OUTCOME = ("event", "time", "entry", "start", "stop", "id", "lower", "upper")


@dataclass(frozen=True)
class ParquetFiles:
    """Makes batches of Parquet files; every call begins at the first row.

    Attributes
    ----------
    files : tuple of Path
        Files and folders of files.
    outcome : mapping of str to str
        Column of each part of the outcome.
    weight : str, optional
        Column of the weights.
    columns : list of str, optional
        Columns of the features; by default all others.
    batch_rows : int, optional
        Rows in a batch; by default as many as have `VALUES_OF_BATCH`.
    """

    files: tuple[Path, ...]
    outcome: Mapping[str, str]
    weight: str | None
    columns: Sequence[str] | None
    batch_rows: int | None

    def __call__(self) -> Iterator[tuple[Any, ...]]:
        """Read all files once."""
        arrow, parquet = _import("pyarrow"), _import("pyarrow.parquet")
        left = None  # rows of a subject that may go on in the next batch
        features: list[str] = []
        for path in self._paths():
            with _opened(parquet, path) as file:
                features = self._features(file.schema_arrow, path)
                needed = [*features, *self._others()]
                size = self.batch_rows or max(1, VALUES_OF_BATCH // len(needed))
                for rows in file.iter_batches(size, columns=needed, use_threads=False):
                    table = arrow.Table.from_batches([rows])
                    if left is not None:
                        table = arrow.concat_tables([left, table], promote_options="permissive")
                    table, left = self._complete(table)
                    if table.num_rows:
                        yield self._batch(table, features)
                    del rows, table  # so that no two batches are in memory at the same time
        if left is not None:
            yield self._batch(left, features)

    def _paths(self) -> list[Path]:
        """All files, those of a folder in the order of their names."""
        paths = []
        for path in self.files:
            found = sorted(path.glob("**/*.parquet")) if path.is_dir() else [path]
            if not found or not all(one.is_file() for one in found):
                raise FileNotFoundError(
                    f"files: {path} is not a Parquet file, nor a folder with files whose names end in .parquet; check "
                    "the path."
                )
            paths += found
        return paths

    def _others(self) -> list[str]:
        """Columns that are no features."""
        return list(dict.fromkeys([*self.outcome.values(), *([] if self.weight is None else [self.weight])]))

    def _features(self, schema: Any, path: Path) -> list[str]:
        """Columns of the features in a file; labels of rows, which pandas writes as columns, are none."""
        names, others = schema.names, self._others()
        labels = (schema.pandas_metadata or {}).get("index_columns", [])
        features = [one for one in names if one not in (*others, *labels)] if self.columns is None else self.columns
        absent = [repr(name) for name in [*features, *others] if name not in names]
        if absent:
            raise ValueError(
                f"columns: {path.name} has no column {and_more(absent[:5], len(absent))}; check the names that were "
                "given for the outcome, the weight and the features."
            )
        return list(features)

    def _complete(self, table: Any) -> tuple[Any, Any]:
        """Rows of subjects that are complete, and the rows of the last one, which may go on in the next batch."""
        if "id" not in self.outcome or not table.num_rows:
            return table, None
        subject = np.asarray(table[self.outcome["id"]])
        others = np.flatnonzero(subject != subject[-1])
        kept = int(others[-1]) + 1 if len(others) else 0
        return table.slice(0, kept), table.slice(kept)

    def _batch(self, table: Any, features: list[str]) -> tuple[Any, ...]:
        """Features, outcome and weights of some rows."""
        X = table.select(features)
        if not self.outcome:
            return (X,)
        y = table.select(list(self.outcome.values())).rename_columns(list(self.outcome))
        return (X, y) if self.weight is None else (X, y, table[self.weight])


def _opened(parquet: Any, path: Path) -> Any:
    """A file to read from, in pieces: by default a whole group of rows is read at once, which may be all of a file."""
    try:
        return parquet.ParquetFile(path, pre_buffer=False, buffer_size=BYTES_AHEAD)
    except ValueError as error:
        raise ValueError(
            f"files: {path} is no Parquet file, or is damaged ({error}); leave it out, or write it again."
        ) from error


def _import(module: str) -> Any:
    """A module of pyarrow, which is not installed with the library."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            "files: reading Parquet files needs pyarrow, which is not installed; install it with "
            "pip install 'hazboost[parquet]'."
        ) from error
