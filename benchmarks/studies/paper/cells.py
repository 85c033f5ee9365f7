"""One cell of the study: a data set, a model, a seed, and whether the leaks of the data are in."""

from __future__ import annotations

import math
import warnings
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Literal

from benchmarks.harness.cells import Work, attempt, timed
from benchmarks.harness.packages import versions
from benchmarks.harness.storage import Line
from benchmarks.peers.shared.base import Task
from benchmarks.studies.paper.evaluation import METRICS, predict, score
from benchmarks.studies.paper.models import models
from benchmarks.studies.paper.protocol import prepare
from hazboost.datasets import Dataset, load_dataset

Variant = Literal["paper", "leak_free"]
#: As in the paper, and without the columns that tell the outcome.
VARIANTS: tuple[Variant, ...] = ("paper", "leak_free")


@dataclass(frozen=True)
class Cell:
    """What to run."""

    dataset: str
    model: str
    seed: int
    variant: Variant = "paper"

    @property
    def data(self) -> tuple[str, Variant]:
        """What is fitted, whatever the seed."""
        return self.dataset, self.variant

    def __str__(self) -> str:
        return f"{self.dataset} {self.variant} {self.model} {self.seed}"


@lru_cache(maxsize=4)
def load(name: str, variant: Variant) -> Dataset:
    """The data of a cell."""
    return load_dataset(name, leak_free=variant == "leak_free")


def run_cell(cell: Cell) -> Line:
    """Prepare the data, fit, predict and evaluate; an exception is recorded in the line.

    Returns
    -------
    dict
        The line of the cell: what it is, its metrics, seconds, rows of the training part, versions and ``error``, which
        is None if every metric is a number.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return attempt(_measure, failure, cell)


def failure(cell: Cell, message: str) -> Line:
    """The line of a cell without a result."""
    return asdict(cell) | dict.fromkeys(METRICS) | {"versions": versions(models()[cell.model]), "error": message}


def _measure(cell: Cell) -> Line:
    peer = models()[cell.model]
    split = prepare(load(cell.dataset, cell.variant), cell.seed)
    task = Task(split.train, split.validation, cell.dataset, cell.seed)
    model, seconds = timed(lambda: peer.train(task))
    predictions, predict_seconds = timed(lambda: predict(split, model))
    scores = score(split, predictions)
    return {
        **asdict(cell),
        **{name: value if math.isfinite(value) else None for name, value in scores.items()},
        "seconds": seconds,
        "predict_seconds": predict_seconds,
        "n_train": len(split.train.time),
        "versions": versions(peer),
        "error": _undefined(scores),
    }


def _undefined(scores: dict[str, float]) -> str | None:
    names = [name for name, value in scores.items() if not math.isfinite(value)]
    return f"not finite: {', '.join(names)}" if names else None


WORK = Work.flat(
    Cell,
    run_cell,
    failure,
    ("seconds", "predict_seconds"),
    describe=lambda line: f"C {line['c_index']:.3f}  IBS {line['ibs']:.3f}  {line['seconds']:8.2f} s",
)
