"""One cell of the study: a situation, a number of rows, a model, a repeat, a number of threads."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.harness.cells import Work, attempt, timed
from benchmarks.harness.packages import versions
from benchmarks.harness.storage import Line
from benchmarks.peers.shared.base import Sample, Task
from benchmarks.studies.learning.models import models
from benchmarks.studies.learning.scores import evaluate
from benchmarks.studies.learning.situations import Subjects, draw, observe, seed_of, times_of

#: New subjects whose curves are judged.
NEW = 5_000


@dataclass(frozen=True)
class Cell:
    """What to run."""

    situation: str
    rows: int
    model: str
    repeat: int
    threads: int = 1

    @property
    def data(self) -> tuple[str, int, int]:
        """What is fitted, whatever the repeat, and by how many threads."""
        return self.situation, self.rows, self.threads

    def __str__(self) -> str:
        return f"{self.situation} {self.rows} {self.model} {self.repeat}"


def run_cell(cell: Cell) -> Line:
    """Draw, fit, predict and compare with the truth; an exception is recorded in the line."""
    return attempt(_measure, failure, cell)


def failure(cell: Cell, message: str) -> Line:
    """The line of a cell without a result."""
    return asdict(cell) | {"error": message, "versions": versions(models()[cell.model])}


def training_rows(cell: Cell) -> Sample:
    """The data of a cell, the same for all models."""
    return observe(cell.situation, cell.rows, np.random.default_rng([seed_of(cell.situation), cell.repeat, cell.rows]))


def new_subjects(cell: Cell) -> Subjects:
    """Those whose curves are judged, the same for all models and numbers of rows."""
    return draw(cell.situation, NEW, np.random.default_rng([seed_of(cell.situation), cell.repeat]))


def _measure(cell: Cell) -> Line:
    peer, new, times = models()[cell.model], new_subjects(cell), times_of(cell.situation)
    train = training_rows(cell)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        task = Task(train, None, cell.situation, cell.repeat, cell.threads)
        model, fit_seconds = timed(lambda: peer.train(task))
        survival, predict_seconds = timed(lambda: model.survival(new.X, times))
        found = dict(zip(("rmse", "mean_curve"), evaluate(survival, new.survival(times)), strict=True))
        if len(new.laws) > 1:
            incidence = evaluate(model.incidence(new.X, times)[:, 0], new.incidence(times))
            found |= dict(zip(("incidence_rmse", "incidence_mean_curve"), incidence, strict=True))
    return {
        **asdict(cell),
        **found,
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        "events": int((train.event > 0).sum()),
        "chosen": getattr(model.model, "chosen", {}),
        "error": None,
        "versions": versions(peer),
    }


WORK = Work.flat(
    Cell,
    run_cell,
    failure,
    ("fit_seconds", "predict_seconds"),
    lambda line: f"error {line['rmse']:.4f}  {line['fit_seconds']:8.2f} s",
)
