"""Results on disk: one file for each model, one JSON line for each cell."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

from benchmarks.accuracy.cell import Cell
from hazboost.experiments import storage

RESULTS = Path(__file__).parent / "results"
KEY = tuple(field.name for field in fields(Cell))

append = storage.append


def read(folder: Path) -> dict[Cell, dict[str, Any]]:
    """The last line of each cell; lines cut short by a kill are skipped."""
    return {Cell(*(line[name] for name in KEY)): line for line in storage.read(folder, KEY)}
