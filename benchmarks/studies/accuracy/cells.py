"""One cell of the study: a model, a data set, a repeat."""

from __future__ import annotations

import math
import warnings
from dataclasses import asdict, dataclass

from benchmarks.harness.cells import Work, attempt, timed
from benchmarks.harness.packages import versions
from benchmarks.harness.storage import Line
from benchmarks.peers.shared.base import Sample, Task
from benchmarks.studies.accuracy import data, scores
from benchmarks.studies.accuracy.dataset import Dataset
from benchmarks.studies.accuracy.models import OWN, peer_of
from hazboost.utils.arrays import Array, Indices

#: What FPBoost says of the data: times are rounded, so that curves are poor, or a category is in the test part only.
#: The other models take the data as they are, without a word.
SAID_OF_DATA = ("y: .* events share only", "the fitted curves are poor", "X: column .* not in the training data")


@dataclass(frozen=True)
class Cell:
    """What to run."""

    dataset: str
    model: str
    repeat: int

    @property
    def data(self) -> str:
        """What is fitted, whatever the repeat."""
        return self.dataset

    def __str__(self) -> str:
        return f"{self.dataset} {self.model} {self.repeat}"


def run_cell(cell: Cell) -> Line:
    """Fit, predict and evaluate; an exception is recorded in the line.

    Warnings of the other packages are silenced. A warning of FPBoost is an error, unless it is one of the data.
    """
    return attempt(_measure, failure, cell)


def failure(cell: Cell, message: str) -> Line:
    """The line of a cell without a result."""
    return asdict(cell) | {"error": message, "versions": _versions(cell)}


def _versions(cell: Cell) -> dict[str, str]:
    return versions(peer_of(cell.model), "SurvSet")


def _measure(cell: Cell) -> Line:
    dataset = data.load(cell.dataset)
    train, test = dataset.split(cell.repeat)
    grid = scores.time_grid(dataset.time[train])
    fitted, tested = ((dataset.event[rows], dataset.time[rows]) for rows in (train, test))
    task = Task(Sample(dataset.X.iloc[train], *fitted), None, cell.dataset, cell.repeat)
    new = dataset.X.iloc[test]
    with warnings.catch_warnings():
        warnings.simplefilter("error" if cell.model == OWN else "ignore")
        for said in SAID_OF_DATA:
            warnings.filterwarnings("ignore", said)
        model, fit_seconds = timed(lambda: peer_of(cell.model).train(task))
        (risk, survival), predict_seconds = timed(lambda: (model.risk(new), model.survival(new, grid)))
        calibration = scores.calibration(tested, model.survival, new)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = scores.evaluate(fitted, tested, risk, survival, grid)
        found |= calibration | _next_to_truth(dataset, (train, test), survival, grid)
    return {
        **asdict(cell),
        **{name: value if math.isfinite(value) else None for name, value in found.items()},
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        "n": len(dataset.X),
        "d": dataset.X.shape[1],
        "columns": dataset.columns,
        "events": int(dataset.event.sum()),
        "error": None,
        "versions": _versions(cell),
    }


def _next_to_truth(dataset: Dataset, parts: tuple[Indices, Indices], survival: Array, grid: Array) -> dict[str, float]:
    """Distance of survival from the truth, and the scores that the truth itself has; nothing where it is not known."""
    if dataset.truth is None:
        return {}
    train, test = ((dataset.event[rows], dataset.time[rows]) for rows in parts)
    truth = dataset.truth(parts[1], grid)
    best = scores.evaluate(train, test, -truth.mean(axis=1), truth, grid)
    return {"distance": scores.distance(survival, truth)} | {f"true_{name}": value for name, value in best.items()}


def _describe(line: Line) -> str:
    concordance = math.nan if line["c_index"] is None else line["c_index"]
    return f"C {concordance:.3f}  {line['fit_seconds']:8.2f} s"


WORK = Work.flat(Cell, run_cell, failure, ("fit_seconds", "predict_seconds"), _describe)
