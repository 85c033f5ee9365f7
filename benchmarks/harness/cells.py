"""Cells: the units of a study, one model on one split of one data set; how they are measured and run."""

from __future__ import annotations

import sys
import time as clock
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from benchmarks.harness import storage
from benchmarks.harness.costs import Costs
from benchmarks.harness.pool import Limits, run_tasks, short_traceback
from benchmarks.harness.progress import Progress
from benchmarks.harness.storage import Line

T = TypeVar("T")


class AnyCell(Hashable, Protocol):
    """A cell of any study; ``str(cell)`` names it in the progress."""

    @property
    def model(self) -> str:
        """Name of the model."""

    @property
    def data(self) -> Hashable:
        """The data set, in the form that is fitted; cells that share it and the model take about the same time."""


C = TypeVar("C", bound=AnyCell)


@dataclass(frozen=True)
class Work(Generic[C]):
    """How the cells of a study are measured, stored and reported.

    Attributes
    ----------
    run : callable
        From a cell to its line; a function of a module, as it runs in other processes. It should not raise.
    failed : callable
        From a cell and a message to the line of a cell without a result.
    cell_of : callable
        From a line to its cell; KeyError where it is a line of something else.
    file_of : callable
        From a cell to the name of the file of its line, without ending.
    seconds_of : callable
        From a line without an error to the seconds that the cell took.
    describe : callable
        From a line without an error to a few words for the progress.
    """

    run: Callable[[C], Line]
    failed: Callable[[C, str], Line]
    cell_of: Callable[[Line], C]
    file_of: Callable[[C], str]
    seconds_of: Callable[[Line], float]
    describe: Callable[[Line], str]

    @classmethod
    def flat(
        cls,
        kind: type[C],
        run: Callable[[C], Line],
        failed: Callable[[C, str], Line],
        seconds: Sequence[str],
        describe: Callable[[Line], str],
    ) -> Work[C]:
        """Work whose lines hold the fields of the cell, in one file for each model.

        Parameters
        ----------
        kind : type
            Dataclass of the cells.
        run, failed, describe : callable
            As above.
        seconds : sequence of str
            Fields of a line whose sum is the seconds of the cell.
        """
        return cls(
            run=run,
            failed=failed,
            cell_of=partial(from_line, kind),
            file_of=lambda cell: cell.model,
            seconds_of=lambda line: sum(line[field] for field in seconds),
            describe=describe,
        )

    def read(self, folder: Path) -> dict[C, Line]:
        """What has been measured."""
        return storage.read(folder, self.cell_of)

    def costs(self, rows: Mapping[Hashable, float], lines: Mapping[C, Line]) -> Costs:
        """Expected seconds of cells, learned from the lines of cells that have been measured."""
        costs = Costs(rows)
        for cell, line in lines.items():
            self._learn(costs, cell, line)
        return costs

    def execute(
        self,
        cells: Sequence[C],
        folder: Path,
        limits: Limits,
        costs: Costs,
        memory: Callable[[C], float] | None = None,
    ) -> None:
        """Run cells in processes that may be killed, append their lines, and show the progress.

        Parameters
        ----------
        cells : sequence
            What to run, the first first.
        folder : Path
            Where the lines go.
        limits : Limits
            Processes, seconds for a cell, and memory.
        costs : Costs
            For the time left; it learns from every line.
        memory : callable, optional
            From a cell to the GiB that it takes.
        """
        progress, left = Progress(len(cells)), set(cells)
        for line in run_tasks(cells, self.run, self.failed, limits, memory):
            cell = self.cell_of(line)
            storage.append(folder, self.file_of(cell), line)
            left.remove(cell)
            spent = self._learn(costs, cell, line)
            error = line.get("error")
            outcome = self.describe(line) if error is None else f"ERROR {error.strip().splitlines()[-1]:.100}"
            progress.advance(str(cell), outcome, spent, sum(map(costs.of, left)), failed=error is not None)
        progress.close()

    def _learn(self, costs: Costs, cell: C, line: Line) -> float:
        """Seconds of a cell, which the costs take note of; 0 for a failure, which tells nothing."""
        if line.get("error") is not None:
            return 0.0
        seconds = self.seconds_of(line)
        costs.learn(cell, seconds)
        return seconds


def unfinished(cells: Sequence[C], lines: Mapping[C, Line], *, retry_errors: bool) -> list[C]:
    """The cells without a line, with `retry_errors` also those whose line is an error; says how many are done."""
    left = [cell for cell in cells if cell not in lines or (retry_errors and lines[cell].get("error") is not None)]
    sys.stderr.write(f"{len(cells) - len(left):,} cells of {len(cells):,} are done.\n")
    return left


def failures(lines: Mapping[C, Line], models: Sequence[str]) -> str:
    """A sentence that says how many cells of these models ended with an error."""
    failed = Counter(cell.model for cell, line in lines.items() if line["error"] and cell.model in models)
    listed = ", ".join(f"{name} {count}" for name, count in failed.items())
    return f"Cells with an error: {listed or 'none'}.\n"


def attempt(measure: Callable[[C], Line], failed: Callable[[C, str], Line], cell: C) -> Line:
    """The line of a cell; an exception is recorded in the line."""
    try:
        return measure(cell)
    except Exception:  # noqa: BLE001 - whatever a model raises belongs into its line
        return failed(cell, short_traceback())


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What the work returns, and its seconds, rounded to 0.1 ms."""
    started = clock.perf_counter()
    result = work()
    return result, round(clock.perf_counter() - started, 4)


def from_line(kind: Callable[..., C], line: Mapping[str, Any]) -> C:
    """The cell of a line that holds the fields of the cell's dataclass."""
    return kind(*(line[field] for field in kind.__dataclass_fields__))  # type: ignore[attr-defined]
