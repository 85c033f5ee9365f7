"""Writing results: a file takes the place of another when it is complete, and nothing is left of one that is not."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.packages import require
from hazboost.cli.tables import STANDARD, kind_of
from hazboost.utils.files import complete_file


def check_output(path: str) -> None:
    """Refuse a place where no file can be written, before any work is done."""
    if path == STANDARD:
        return
    file = Path(path)
    if not file.parent.is_dir():
        raise InputError(f"{path}: there must be a folder {str(file.parent)!r}; make it first.")
    if file.exists() and not file.is_file():
        raise InputError(f"{path}: this is not a file; give the name of one, or - for standard output.")


def check_file_output(path: str, what: str, example: str) -> None:
    """Refuse standard output, too, for what is only written to files, such as a model."""
    if path == STANDARD:
        raise InputError(f"-o must be the name of a file, such as {example}; {what} is not written to standard output.")
    check_output(path)


def check_table_output(path: str) -> None:
    """Refuse a place where no table can be written; its kind is known by the end of its name."""
    check_output(path)
    if path.lower().endswith(".gz"):
        raise InputError(f"{path}: tables are not compressed here; use .csv, .parquet or .feather.")
    if kind_of(path) != "csv":
        require("pyarrow")


def write_blocks(path: str, blocks: Iterable[Any]) -> None:
    """Write the blocks of a table one after the other, whole or not at all; standard output as they come."""
    if path == STANDARD:
        _write_csv(sys.stdout, blocks)
        sys.stdout.flush()
        return
    with complete_file(path) as beside:
        if kind_of(path) == "csv":
            with beside.open("x", encoding="utf-8", newline="") as file:
                _write_csv(file, blocks)
        else:
            _write_arrow(kind_of(path), beside, blocks)


def write_report(facts: dict[str, Any], *, as_json: bool) -> None:
    """Print facts for people, one in a line, or as JSON."""
    if as_json:
        sys.stdout.write(json.dumps(_without_nan(facts), indent=2) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(facts))


def _write_csv(file: Any, blocks: Iterable[Any]) -> None:
    for number, block in enumerate(blocks):
        block.to_csv(file, index=False, header=number == 0)


def _write_arrow(kind: str, path: Path, blocks: Iterable[Any]) -> None:
    pyarrow, schema, writer = require("pyarrow"), None, None
    new = require("pyarrow.parquet").ParquetWriter if kind == "parquet" else require("pyarrow.ipc").new_file
    try:
        for block in blocks:
            try:
                table = pyarrow.Table.from_pandas(block, schema=schema, preserve_index=False)
            except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError) as error:
                raise InputError(
                    f"a column changes from numbers to text, or has both ({error.args[-1]}); write a .csv file instead."
                ) from error
            schema = table.schema  # that of the first block; a column that is empty in a later one keeps its type
            writer = new(str(path), schema) if writer is None else writer
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _lines(facts: dict[str, Any], indent: str = "") -> Iterator[str]:
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        if isinstance(value, dict) and value:
            yield f"{indent}{name}"
            yield from _lines(value, indent + "  ")
        else:
            shown = ", ".join(map(str, value)) or "none" if isinstance(value, dict | list) else value
            yield f"{indent}{name:<{width}}  {f'{shown:.6g}' if isinstance(shown, float) else shown}"


def _without_nan(value: Any) -> Any:
    """JSON has no NaN and no infinity."""
    if isinstance(value, dict):
        return {name: _without_nan(one) for name, one in value.items()}
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124
        return None
    return value
