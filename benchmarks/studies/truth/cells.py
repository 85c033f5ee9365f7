"""One cell of the study: a situation, a number of rows, a model, a repeat."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from benchmarks.harness.cells import Work, attempt, timed
from benchmarks.harness.packages import versions
from benchmarks.harness.storage import Line
from benchmarks.peers.shared.base import Peer, Sample, Task
from benchmarks.studies.truth.models import OWN, peer_of
from benchmarks.studies.truth.scores import evaluate, time_grid
from benchmarks.studies.truth.situations import SITUATIONS, Subjects, draw, observe, scale_of, seed_of
from hazboost.utils.arrays import Array

#: New subjects whose curves are judged.
NEW = 500
#: Characters of a warning that are kept.
WARNING = 200


@dataclass(frozen=True)
class Cell:
    """What to run."""

    situation: str
    rows: int
    model: str
    repeat: int

    @property
    def data(self) -> tuple[str, int]:
        """What is fitted, whatever the repeat."""
        return self.situation, self.rows

    def __str__(self) -> str:
        return f"{self.situation} {self.rows} {self.model} {self.repeat}"


def run_cell(cell: Cell) -> Line:
    """Draw, fit, predict and compare with the truth; an exception is recorded in the line."""
    return attempt(_measure, failure, cell)


def failure(cell: Cell, message: str) -> Line:
    """The line of a cell without a result."""
    return asdict(cell) | {"error": message, "versions": versions(peer_of(cell.model))}


def training_rows(cell: Cell, peer: Peer) -> Sample:
    """The data of a cell; models that do not know causes get events of any cause."""
    rng = np.random.default_rng([seed_of(cell.situation), cell.repeat, cell.rows])
    sample = observe(cell.situation, cell.rows, rng)
    event = sample.event if "causes" in peer.takes else sample.event > 0
    return replace(sample, X=as_table(sample.X), event=event)


def new_subjects(cell: Cell) -> Subjects:
    """Those whose curves are judged, the same for all models and numbers of rows."""
    return draw(SITUATIONS[cell.situation], NEW, np.random.default_rng([seed_of(cell.situation), cell.repeat]))


def as_table(X: Array) -> Any:
    """Features with names."""
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame(X, columns=[f"x{column}" for column in range(X.shape[1])])


def _measure(cell: Cell) -> Line:
    peer, new = peer_of(cell.model), new_subjects(cell)
    train, grid = training_rows(cell, peer), time_grid(scale_of(cell.situation))
    table = as_table(new.X)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model, fit_seconds = timed(lambda: peer.train(Task(train, None, cell.situation, cell.repeat)))
        (risk, survival), predict_seconds = timed(lambda: (model.risk(table), model.survival(table, grid)))
    return {
        **asdict(cell),
        **evaluate(survival, new.law.survival(grid), risk, new.time),
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        "events": int((train.event > 0).sum()),
        # What other packages have to say about their own code is of no interest here.
        "warnings": [str(each.message)[:WARNING] for each in caught] if cell.model == OWN else [],
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
