"""Reading tables: CSV, Parquet and Feather files by their suffix, as a whole or in blocks of rows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.packages import require
from hazboost.utils.describe import and_more

#: Stands for standard input and standard output.
STANDARD = "-"
#: Rows that are in memory at a time, where tables are read in blocks.
BLOCK = 50_000
#: Kinds of tables by the end of the name.
SUFFIXES = {".csv": "csv", ".csv.gz": "csv", ".parquet": "parquet", ".feather": "feather"}


def read_table(path: str, texts: Sequence[str] = ()) -> Any:
    """A whole table, as a DataFrame of pandas."""
    return next(read_blocks(path, None, texts))


def read_blocks(path: str, rows: int | None = BLOCK, texts: Sequence[str] = ()) -> Iterator[Any]:
    """The rows of a table, so many at a time or all at once, numbered throughout by the index of the DataFrames.

    Columns of ``texts`` are not taken for numbers where they look like some, which may differ between blocks.
    """
    kind, read = kind_of(path), 0
    require("pandas")
    with _named_faults(path):
        blocks = {"parquet": _parquet, "feather": _feather}.get(kind)
        for block in _csv(path, rows, texts) if blocks is None else blocks(path, rows):
            block.index = range(read, read + len(block))
            read += len(block)
            if len(block):
                _refuse_other_separators(path, list(block.columns))
                yield block
    if read == 0:
        raise InputError(f"{path}: the table has no rows; give one with a row for each subject below its header.")


def kind_of(path: str) -> str:
    """Kind of a table by the end of its name; standard input and output are CSV."""
    if path == STANDARD:
        return "csv"
    kind = next((kind for suffix, kind in SUFFIXES.items() if Path(path).name.lower().endswith(suffix)), None)
    if kind is None:
        raise InputError(
            f"{path}: the kind of a table is known by the end of its name; use .csv, .parquet or .feather."
        )
    return kind


def require_columns(path: str, table: Any, names: list[str]) -> None:
    """Refuse a table without some columns, and name those that it has."""
    absent = [repr(name) for name in names if name not in table.columns]
    if absent:
        there = and_more([repr(name) for name in table.columns[:8]], len(table.columns))
        raise InputError(
            f"{path}: there is no column {and_more(absent[:5], len(absent))}; the columns are {there}; check "
            "the spelling."
        )


@contextmanager
def _named_faults(path: str) -> Iterator[None]:
    """Say which file it was that could not be read."""
    errors = require("pandas").errors
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file; check the path.") from error
    except (IsADirectoryError, PermissionError) as error:
        raise InputError(f"{path}: this file cannot be read; give a file that you may read.") from error
    except InputError:
        raise
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not text in UTF-8; write it as CSV in UTF-8.") from error
    except (errors.ParserError, errors.EmptyDataError, errors.ParserWarning, ValueError, EOFError) as error:
        reason = " ".join(str(error).split())[:120].rstrip(".")
        raise InputError(
            f"{path}: this is not a table ({reason}); give one with a header and the same columns in each row."
        ) from error


def _csv(path: str, rows: int | None, texts: Sequence[str]) -> Iterator[Any]:
    source = sys.stdin.buffer if path == STANDARD else path
    # Without low_memory=False, types are guessed for parts of a column; without index_col=False, a surplus value in
    # each row would move all others one column to the right.
    settings = {"low_memory": False, "index_col": False, "chunksize": rows, "dtype": dict.fromkeys(texts, str)}
    read = _strictly(partial(require("pandas").read_csv, source, **settings))
    if rows is None:
        yield read
        return
    with read:
        while (block := _strictly(partial(next, read, None))) is not None:
            yield block


def _strictly(read: Callable[[], Any]) -> Any:
    """Read, and refuse rows with more values than the header has names."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", require("pandas").errors.ParserWarning)
        return read()


def _parquet(path: str, rows: int | None) -> Iterator[Any]:
    with require("pyarrow.parquet").ParquetFile(path) as file:
        if rows is None:
            yield file.read().to_pandas()
            return
        for batch in file.iter_batches(batch_size=rows):
            yield batch.to_pandas()


def _feather(path: str, rows: int | None) -> Iterator[Any]:
    ipc = require("pyarrow.ipc")
    with Path(path).open("rb") as source, ipc.open_file(source) as file:
        if rows is None:
            yield file.read_all().to_pandas()
            return
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            for first in range(0, batch.num_rows, rows):
                yield batch.slice(first, rows).to_pandas()


def _refuse_other_separators(path: str, names: list[Any]) -> None:
    """Refuse a table that seems to have one column only because its values are not separated by commas."""
    if len(names) == 1 and any(mark in str(names[0]) for mark in ";\t|"):
        raise InputError(
            f"{path}: there are no commas between the columns; write the table with commas, and decimals with points."
        )
