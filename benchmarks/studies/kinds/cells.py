"""The comparisons on real data, their cells, and how one is measured.

A comparison is a module of its own with ``measure(dataset, model, repeat)``; it is imported when a cell of it is run.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.harness.cells import Work, attempt, timed
from benchmarks.harness.storage import Line
from benchmarks.peers import peers_of
from benchmarks.studies.kinds import changing, competing, intercepts


@dataclass(frozen=True)
class Comparison:
    """Data sets by models by repeats."""

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    repeats: int


def comparisons() -> dict[str, Comparison]:
    """The three comparisons; the models of two of them are peers."""
    return {
        "intercepts": Comparison(tuple(intercepts.DATASETS), tuple(intercepts.FITTERS), 1),
        "changing": Comparison(changing.DATASETS, tuple(peers_of("changing", ("FPBoost", "Cox"))), changing.REPEATS),
        "competing": Comparison(
            tuple(competing.CAUSES),
            tuple(peers_of("competing", ("FPBoost", "SurvivalBoost", "Aalen-Johansen"))),
            competing.REPEATS,
        ),
    }


@dataclass(frozen=True)
class Cell:
    """One thing to measure; `study` is the name of the comparison."""

    study: str
    dataset: str
    model: str
    repeat: int

    @property
    def data(self) -> tuple[str, str]:
        """What is fitted, whatever the repeat."""
        return self.study, self.dataset

    def __str__(self) -> str:
        return f"{self.study} {self.dataset} {self.model} {self.repeat}"


def plan(names: Sequence[str]) -> list[Cell]:
    """All cells of some comparisons, the first repeat of everything before the second."""
    return [
        Cell(name, dataset, model, repeat)
        for name, comparison in comparisons().items()
        if name in names
        for repeat in range(comparison.repeats)
        for dataset in comparison.datasets
        for model in comparison.models
    ]


def run_cell(cell: Cell) -> Line:
    """Scores of a cell and its seconds; an exception is recorded in the line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # other libraries' remarks on convergence and pandas
        return attempt(_measure, failure, cell)


def failure(cell: Cell, message: str) -> Line:
    """The line of a cell without a result."""
    return {"cell": asdict(cell), "error": message}


def _measure(cell: Cell) -> Line:
    module = import_module(f"benchmarks.studies.kinds.{cell.study}")
    scores, seconds = timed(lambda: module.measure(cell.dataset, cell.model, cell.repeat))
    return {"cell": asdict(cell), "seconds": round(seconds, 1), "scores": rounded(scores)}


def rounded(scores: dict[str, Any]) -> dict[str, Any]:
    """Seven digits, which is more than any score has."""
    return {name: np.vectorize(lambda value: float(f"{value:.7g}"))(values).tolist() for name, values in scores.items()}


WORK = Work(
    run=run_cell,
    failed=failure,
    cell_of=lambda line: Cell(**line["cell"]),
    file_of=lambda cell: cell.study,
    seconds_of=lambda line: line["seconds"],
    describe=lambda line: f"{line['seconds']:8.1f} s",
)
