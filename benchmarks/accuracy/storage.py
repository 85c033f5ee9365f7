"""Results on disk: one file for each model, one JSON line for each cell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.accuracy.cell import Cell

RESULTS = Path(__file__).parent / "results"


def append(folder: Path, line: dict[str, Any]) -> None:
    """Write a line to the file of its model."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{line['model']}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, allow_nan=False) + "\n")


def read(folder: Path) -> dict[Cell, dict[str, Any]]:
    """The last line of each cell; lines cut short by a kill are skipped."""
    lines: dict[Cell, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(text)
            except json.JSONDecodeError:
                continue
            lines[Cell(line["dataset"], line["model"], line["repeat"])] = line
    return lines
