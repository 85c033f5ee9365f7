"""One cell of the study: a data set, a variant of FPBoost, a split, a version of the library; all seeds of them."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.harness.cells import Work, attempt, timed
from benchmarks.harness.packages import versions
from benchmarks.harness.storage import Line
from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Sample, Task
from benchmarks.studies.accuracy import data, scores
from hazboost.utils.arrays import Array

SEEDS = 10


@dataclass(frozen=True)
class Cell:
    """What to run; `version` is a name that the user gives to the version of the library."""

    dataset: str
    model: str
    repeat: int
    version: str

    @property
    def data(self) -> str:
        """What is fitted, whatever the split and the version."""
        return self.dataset

    def __str__(self) -> str:
        return f"{self.dataset} {self.model} {self.repeat} {self.version}"


def run_cell(cell: Cell) -> Line:
    """Fit with each seed, and compare; an exception is recorded in the line."""
    return attempt(_measure, failure, cell)


def failure(cell: Cell, message: str) -> Line:
    """The line of a cell without a result."""
    return asdict(cell) | {"error": message, "versions": versions(peers_of("ablation")[cell.model], "SurvSet")}


def range_over_seeds(survival: Array) -> float:
    """Largest minus smallest probability of each subject, and of these the median; ``survival`` is seeds by subjects.

    Examples
    --------
    >>> range_over_seeds(np.array([[0.5, 0.2, 0.9], [0.75, 0.25, 0.9]])).__round__(2)
    0.05
    """
    return float(np.median(np.ptp(survival, axis=0)))


def _measure(cell: Cell) -> Line:
    peer, dataset = peers_of("ablation")[cell.model], data.load(cell.dataset)
    train, test = dataset.split(cell.repeat)
    fitted, tested = ((dataset.event[rows], dataset.time[rows]) for rows in (train, test))
    sample, new = Sample(dataset.X.iloc[train], *fitted), dataset.X.iloc[test]
    grid, median = scores.time_grid(fitted[1]), np.array([np.median(fitted[1][fitted[0]])])
    at_median, found, seconds = [], [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(SEEDS):
            task = Task(sample, None, cell.dataset, seed)
            model, spent = timed(lambda task=task: peer.train(task))  # type: ignore[misc]
            at_median.append(model.survival(new, median)[:, 0])
            found.append(scores.evaluate(fitted, tested, model.risk(new), model.survival(new, grid), grid))
            seconds.append(spent)
    return {
        **asdict(cell),
        "range": range_over_seeds(np.array(at_median)),
        **{name: [one[name] for one in found] for name in ("c_index", "brier")},
        "fit_seconds": seconds,
        "n": len(dataset.X),
        "error": None,
        "versions": versions(peer, "SurvSet"),
    }


WORK = Work(
    run=run_cell,
    failed=failure,
    cell_of=lambda line: Cell(*(line[field] for field in Cell.__dataclass_fields__)),
    file_of=lambda cell: cell.model,
    seconds_of=lambda line: float(sum(line["fit_seconds"])),
    describe=lambda line: f"range {line['range']:.4f}",
)
