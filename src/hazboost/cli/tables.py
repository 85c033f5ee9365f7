"""Reading tables: CSV, Parquet and Feather files by their suffix, as a whole or in blocks of rows."""

from __future__ import annotations

import csv
import gzip
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
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
#: Bytes in which the header of a CSV file is looked for.
PEEK = 2**16
#: What goes wrong with files that are not what their names say, or are cut off; gzip and Arrow use an `OSError`.
NO_TABLE = (ValueError, EOFError, OSError, zlib.error)
#: Kinds of tables by the end of the name.
SUFFIXES = {".csv": "csv", ".csv.gz": "csv", ".parquet": "parquet", ".feather": "feather"}


def read_table(path: str, texts: Sequence[str] = ()) -> Any:
    """A whole table, as a DataFrame of pandas."""
    return next(read_blocks(path, None, texts))


def read_blocks(
    path: str,
    rows: int | None = BLOCK,
    texts: Sequence[str] = (),
    reach: Callable[[float | None], None] | None = None,
) -> Iterator[Any]:
    """The rows of a table, so many at a time or all at once, numbered throughout by the index of the DataFrames.

    Columns of ``texts`` are not taken for numbers where they look like some, which may differ between blocks. ``reach``
    is told before each block which share of the table has been read then; None if nobody knows.
    """
    kind, read = kind_of(path), 0
    require("pandas")
    with _named_faults(path):
        blocks = {"parquet": _parquet, "feather": _feather}.get(kind)
        for block, share in _csv(path, rows, texts) if blocks is None else blocks(path, rows):
            block.index = range(read, read + len(block))
            read += len(block)
            if len(block):
                _refuse_repeated(path, list(block.columns))
                if reach is not None:
                    reach(share)
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
    except (errors.ParserError, errors.EmptyDataError, errors.ParserWarning, *NO_TABLE) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # a fault of the disk, not of what is on it
        reason = " ".join(str(error).split())[:120].rstrip(".")
        raise InputError(
            f"{path}: this is not a table ({reason}); give one with a header and the same columns in each row."
        ) from error


def _csv(path: str, rows: int | None, texts: Sequence[str]) -> Iterator[tuple[Any, float | None]]:
    with ExitStack() as stack:
        source = sys.stdin.buffer if path == STANDARD else stack.enter_context(Path(path).open("rb"))
        size = 0 if path == STANDARD else Path(path).stat().st_size
        stream: Any = gzip.GzipFile(fileobj=source) if path.lower().endswith(".gz") else source
        header = _header(stream)
        # Before rows are read, which have too many values where commas stand for decimal points.
        _refuse_other_separators(path, header)
        _refuse_repeated(path, header)
        # Without low_memory=False, types are guessed for parts of a column; without index_col=False, a surplus value in
        # each row would move all others one column to the right.
        settings = {"low_memory": False, "index_col": False, "chunksize": rows, "dtype": dict.fromkeys(texts, str)}
        read = _strictly(partial(require("pandas").read_csv, stream, **settings))
        if rows is None:
            yield read, None
            return
        stack.enter_context(read)
        while (block := _strictly(partial(next, read, None))) is not None:
            yield block, source.tell() / size if size else None


def _header(stream: Any) -> list[str]:
    """Names of the columns, as far as they can be seen without reading on; pandas would rename a second x to x.1."""
    lines = stream.peek(PEEK).lstrip(b"\r\n").splitlines()
    return next(csv.reader([lines[0].decode("utf-8-sig", "replace")]), []) if len(lines) > 1 else []


def _strictly(read: Callable[[], Any]) -> Any:
    """Read, and refuse rows with more values than the header has names."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", require("pandas").errors.ParserWarning)
        return read()


def _parquet(path: str, rows: int | None) -> Iterator[tuple[Any, float | None]]:
    with require("pyarrow.parquet").ParquetFile(path) as file:
        if rows is None:
            yield file.read().to_pandas(), None
            return
        read = 0
        for batch in file.iter_batches(batch_size=rows):
            read += batch.num_rows
            yield batch.to_pandas(), read / file.metadata.num_rows


def _feather(path: str, rows: int | None) -> Iterator[tuple[Any, float | None]]:
    ipc = require("pyarrow.ipc")
    with Path(path).open("rb") as source, ipc.open_file(source) as file:
        if rows is None:
            yield file.read_all().to_pandas(), None
            return
        for number in range(file.num_record_batches):
            batch = file.get_batch(number)
            for first in range(0, batch.num_rows, rows):
                within = min(first + rows, batch.num_rows) / batch.num_rows
                yield batch.slice(first, rows).to_pandas(), (number + within) / file.num_record_batches


def _refuse_repeated(path: str, names: list[Any]) -> None:
    """Refuse a table in which it is not clear which column a name means."""
    name = next((name for name in names if name != "" and names.count(name) > 1), None)
    if name is not None:
        raise InputError(f"{path}: two columns have the name {name!r}; rename one of them.")


def _refuse_other_separators(path: str, names: list[str]) -> None:
    """Refuse a table that seems to have one column only because its values are not separated by commas."""
    # A header of text: a binary file is refused by whoever reads it.
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|") and names[0].replace("\t", " ").isprintable():
        raise InputError(
            f"{path}: there are no commas between the columns; write the table with commas, and decimals with points."
        )
