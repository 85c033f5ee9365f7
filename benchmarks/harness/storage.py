"""Results on disk: files of JSON lines, one line for each cell, safe to kill at any moment."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any, TypeVar

Line = dict[str, Any]
C = TypeVar("C", bound=Hashable)


def append(folder: Path, name: str, line: Line) -> None:
    """Write a line to ``<name>.jsonl``; it is on the disk when this returns.

    A line is a single write at the end of the file, so that processes may write at the same time. If the line before
    was cut short by a kill, the new one starts on a line of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(line, allow_nan=False) + "\n"
    with (folder / f"{name}.jsonl").open("a+b", buffering=0) as file:
        file.write((text if _ends_a_line(file) else "\n" + text).encode())
        os.fsync(file.fileno())


def _ends_a_line(file: Any) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) == b"\n")


def read(folder: Path, cell_of: Callable[[Line], C]) -> dict[C, Line]:
    """The last line of each cell, in the order of the files; lines cut short by a kill are skipped.

    Parameters
    ----------
    folder : Path
        Where the files are.
    cell_of : callable
        From a line to its cell; a KeyError means that the line is no result of this study.

    Returns
    -------
    dict
        Cell -> line; empty if there is no such folder.
    """
    found: dict[C, Line] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in _whole_lines(path):
            try:
                found[cell_of(line)] = line
            except KeyError:
                continue
    return found


def _whole_lines(path: Path) -> Iterator[Line]:
    for text in path.read_bytes().splitlines():
        try:
            line = json.loads(text)
        except (json.JSONDecodeError, UnicodeDecodeError):
            continue
        if isinstance(line, dict):
            yield line
