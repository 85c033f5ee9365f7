"""The study: which cells there are, in which order they run, and what is done already."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from hazboost.experiments import storage
from hazboost.experiments.baselines import BASELINES
from hazboost.experiments.cells import Cell, Variant, failure, load, run_cell
from hazboost.experiments.packages import why_not
from hazboost.experiments.pool import Limits, run_tasks
from hazboost.experiments.progress import Progress
from hazboost.experiments.protocol import prepare

Line = dict[str, Any]
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

    May be killed at any moment and started again. Models and data sets that are not there are left out, with a line
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
    shapes = available_data(study)
    models = [name for name in study.models if is_available(name)]
    lines = storage.read(folder)
    done = {cell_of(line) for line in lines if not (retry_errors and line["error"] is not None)}
    costs = Costs(shapes, lines)
    todo = order([cell for cell in plan(models, shapes, study.seeds) if cell not in done], costs)

    def memory(cell: Cell) -> float:
        return BASELINES[cell.model].memory(*shapes[cell.dataset, cell.variant])

    execute(todo, folder, limits, memory, costs)


class Costs:
    """Seconds that a cell will take, from those that were run.

    The mean over the seeds of the same data set and model; before there is one, the mean seconds per row of the model
    on other data, or of all models.

    Parameters
    ----------
    shapes : dict
        (data set, variant) -> rows and columns.
    lines : iterable of dict
        Results so far.
    """

    def __init__(self, shapes: Mapping[tuple[str, Variant], Shape], lines: Iterable[Line] = ()) -> None:
        self._rows = {data: rows for data, (rows, _) in shapes.items()}
        self._seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
        self._per_row: dict[str | None, list[float]] = defaultdict(list)
        for line in lines:
            self.learn(line)

    def learn(self, line: Line) -> None:
        """Take note of a result; a failure tells nothing."""
        data = line["dataset"], line["variant"]
        if (seconds := seconds_of(line)) > 0.0 and data in self._rows:
            self._seconds[(*data, line["model"])].append(seconds)
            for model in (line["model"], None):
                self._per_row[model].append(seconds / self._rows[data])

    def of(self, cell: Cell) -> float:
        """Expected seconds of a cell."""
        if known := self._seconds.get((cell.dataset, cell.variant, cell.model)):
            return fmean(known)
        per_row = self._per_row.get(cell.model) or self._per_row.get(None) or [1e-3]
        return fmean(per_row) * self._rows[cell.dataset, cell.variant]


def available_data(study: Study) -> dict[tuple[str, Variant], Shape]:
    """Rows and columns of the data of a study; of what is not there, a line says why."""
    shapes: dict[tuple[str, Variant], Shape] = {}
    for name in study.datasets:
        try:
            variants = [variant for variant in study.variants if variant == "paper" or load(name, "paper").leaks]
            shapes |= {(name, variant): training_shape(name, variant) for variant in variants}
        except (ImportError, OSError) as error:
            _tell(f"Skipping the data set {name}: {error}")
    return shapes


def training_shape(name: str, variant: Variant) -> Shape:
    """Rows and columns that a model is trained on."""
    rows, columns = prepare(load(name, variant), 0).train.X.shape
    return rows, columns


def is_available(model: str) -> bool:
    """Whether the packages of a model are there; if not, a line says which to install."""
    reason = why_not(BASELINES[model])
    if reason is not None:
        _tell(f"Skipping the model {model}: {reason}")
    return reason is None


def plan(models: Iterable[str], datasets: Iterable[tuple[str, Variant]], seeds: Iterable[int]) -> list[Cell]:
    """All cells, seed by seed, so that a part of the study has as many seeds of one model as of another."""
    pairs = [(name, variant, model) for name, variant in datasets for model in models]
    return [Cell(name, model, seed, variant) for seed in seeds for name, variant, model in pairs]


def order(cells: Iterable[Cell], costs: Costs) -> list[Cell]:
    """Seed by seed, the longest cells first: the short ones fill the gaps at the end."""
    seeds: dict[int, list[Cell]] = defaultdict(list)
    for cell in cells:
        seeds[cell.seed].append(cell)
    return [cell for group in seeds.values() for cell in sorted(group, key=costs.of, reverse=True)]


def execute(todo: Sequence[Cell], folder: Path, limits: Limits, memory: Callable[[Cell], float], costs: Costs) -> None:
    """Run cells, append their lines and show how far it is."""
    progress, left = Progress(len(todo)), set(todo)
    for line in run_tasks(todo, run_cell, failure, limits, memory):
        storage.append(folder, line)
        left.remove(cell_of(line))
        costs.learn(line)
        progress.advance(line, seconds_of(line), sum(map(costs.of, left)))
    progress.close()


def seconds_of(line: Line) -> float:
    """What a cell has cost; 0 if it failed."""
    return float(line["seconds"] + line["predict_seconds"]) if line["error"] is None else 0.0


def cell_of(line: Mapping[str, Any]) -> Cell:
    """The cell of a line."""
    return Cell(*(line[field] for field in Cell.__dataclass_fields__))


def _tell(message: str) -> None:
    sys.stderr.write(message + "\n")
