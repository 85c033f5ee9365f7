"""Results on disk: one file for each model, one JSON line for each cell, safe to kill at any moment."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Line = dict[str, Any]

#: What tells one cell of the study from another.
KEY = ("dataset", "model", "seed", "variant")


def append(folder: Path, line: Line) -> None:
    """Write a line to the file of its model, and have it on the disk when this returns.

    A line is a single write at the end of the file, so that processes may write at the same time. If a kill has cut the
    line before, the new one begins on a line of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(line, allow_nan=False) + "\n"
    with (folder / f"{line['model']}.jsonl").open("a+b", buffering=0) as file:
        file.write((text if _ends_a_line(file) else "\n" + text).encode())
        os.fsync(file.fileno())


def _ends_a_line(file: Any) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def read(folder: Path, key: tuple[str, ...] = KEY) -> list[Line]:
    """The last line of each cell, in the order of the files; lines cut short by a kill are skipped.

    Parameters
    ----------
    folder : Path
        Where the files are.
    key : tuple of str
        The fields that tell a cell.

    Returns
    -------
    list of dict
        Empty if there is no such folder.
    """
    found: dict[tuple[Any, ...], Line] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in _whole_lines(path):
            if all(field in line for field in key):
                found[tuple(line[field] for field in key)] = line
    return list(found.values())


def _whole_lines(path: Path) -> Iterator[Line]:
    for text in path.read_bytes().splitlines():
        try:
            line = json.loads(text)
        except (json.JSONDecodeError, UnicodeDecodeError):
            continue
        if isinstance(line, dict):
            yield line
