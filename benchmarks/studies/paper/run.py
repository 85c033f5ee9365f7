"""The study: which cells there are, in which order they run, and what is done already."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.cells import unfinished
from benchmarks.harness.costs import Costs
from benchmarks.harness.packages import is_available
from benchmarks.harness.pool import Limits
from benchmarks.studies.paper.cells import WORK, Cell, Variant, load
from benchmarks.studies.paper.models import models
from benchmarks.studies.paper.protocol import prepare

#: Rows and columns of a training part.
Shape = tuple[int, int]


@dataclass(frozen=True)
class Study:
    """What to run.

    Attributes
    ----------
    models, datasets : tuple of str
        Names.
    seeds : tuple of int
        Splits into training and validation part.
    variants : tuple of str
        ``"paper"``, ``"leak_free"`` or both. Data sets without a leak have only the first.
    """

    models: tuple[str, ...]
    datasets: tuple[str, ...]
    seeds: tuple[int, ...]
    variants: tuple[Variant, ...]


def run_study(study: Study, folder: Path, limits: Limits, *, retry_errors: bool = False) -> None:
    """Run all cells of a study that have no line yet, and append their lines.

    May be killed at any moment and started again. Models and data sets that are not available are left out, with a line
    on standard error that says what to do.

    Parameters
    ----------
    study : Study
        The cells.
    folder : Path
        Where the results are.
    limits : Limits
        Processes, seconds for a cell, memory.
    retry_errors : bool
        Whether cells that ended with an error are run again.
    """
    peers, shapes, lines = models(), available_data(study), WORK.read(folder)
    costs = WORK.costs({data: rows for data, (rows, _) in shapes.items()}, lines)
    missing = unfinished(plan(study.models, shapes, study.seeds), lines, retry_errors=retry_errors)
    available = {name for name in study.models if is_available(name, peers[name])}
    todo = order([cell for cell in missing if cell.model in available], costs)

    def memory(cell: Cell) -> float:
        return peers[cell.model].memory(*shapes[cell.data])

    WORK.execute(todo, folder, limits, costs, memory)


def available_data(study: Study) -> dict[tuple[str, Variant], Shape]:
    """Rows and columns of the data of a study; for data that cannot be loaded, standard error says why."""
    shapes: dict[tuple[str, Variant], Shape] = {}
    for name in study.datasets:
        try:
            variants = [variant for variant in study.variants if variant == "paper" or load(name, "paper").leaks]
            shapes |= {(name, variant): training_shape(name, variant) for variant in variants}
        except (ImportError, OSError) as error:
            sys.stderr.write(f"Skipping the data set {name}: {error}\n")
    return shapes


def training_shape(name: str, variant: Variant) -> Shape:
    """Rows and columns that a model is trained on."""
    rows, columns = prepare(load(name, variant), 0).train.X.shape
    return rows, columns


def plan(names: Iterable[str], datasets: Iterable[tuple[str, Variant]], seeds: Iterable[int]) -> list[Cell]:
    """All cells, seed by seed, so that a part of the study has as many seeds of one model as of another."""
    pairs = [(dataset, variant, name) for dataset, variant in datasets for name in names]
    return [Cell(dataset, name, seed, variant) for seed in seeds for dataset, variant, name in pairs]


def order(cells: Iterable[Cell], costs: Costs) -> list[Cell]:
    """Seed by seed, the longest cells first: the short ones fill the gaps at the end."""
    seeds: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        seeds[cell.seed].append(cell)
    return [cell for group in seeds.values() for cell in sorted(group, key=costs.of, reverse=True)]
