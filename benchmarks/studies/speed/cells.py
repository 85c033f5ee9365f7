"""One cell of the study: one model, one task, one repeat; and what its line holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.harness import storage
from benchmarks.harness.cells import from_line
from benchmarks.harness.storage import Line


@dataclass(frozen=True)
class Cell:
    """What to measure.

    Attributes
    ----------
    part : str
        Part of the study.
    model : str
        Key of the model.
    setting : str
        What the part varies besides the rows: the number of heads, the data set, ...
    rows : int
        Number of rows, of which the part says what happens to them; 0 for all rows of a data set.
    threads, repeat : int
        Threads, and the number of the repeat, which is the seed.
    """

    part: str
    model: str
    setting: str
    rows: int
    threads: int
    repeat: int

    @property
    def data(self) -> tuple[str, str, int]:
        """What is fitted, whatever the repeat."""
        return self.part, self.setting, self.rows

    def __str__(self) -> str:
        rows = f" {self.rows:,} rows" if self.rows else ""
        return f"{self.part}: {self.setting}{rows}, {self.model}, repeat {self.repeat}"


Lines = dict[Cell, Line]


def read(folder: Path) -> Lines:
    """What has been measured."""
    return storage.read(folder, partial(from_line, Cell))


def store(folder: Path, cell: Cell, result: Line) -> Line:
    """Append a line, and return it; each part has a file."""
    line = asdict(cell) | result
    storage.append(folder, cell.part, line)
    return line


def is_measured(line: Line) -> bool:
    """Whether a line has a result, and neither an error nor a reason why it was not measured."""
    return line.get("error") is None and line.get("skipped") is None


def repeats_of(lines: Lines, cell: Cell) -> dict[int, Line]:
    """The results of a cell, by repeat."""
    same = {other.repeat: line for other, line in lines.items() if replace(other, repeat=cell.repeat) == cell}
    return {repeat: line for repeat, line in sorted(same.items()) if is_measured(line)}


def median_of(lines: Lines, cell: Cell, field: str) -> float | None:
    """Median of a field over the repeats of a cell; None without any."""
    values = [line[field] for line in repeats_of(lines, cell).values()]
    return median(values) if values else None
