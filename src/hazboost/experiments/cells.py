"""One cell of the study: a data set, a model, a seed, and whether the leaks of the data are in."""

from __future__ import annotations

import math
import time as clock
import warnings
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal

from hazboost.datasets import Dataset, load_dataset
from hazboost.experiments.baselines import BASELINES
from hazboost.experiments.evaluation import METRICS, predict, score
from hazboost.experiments.packages import versions
from hazboost.experiments.pool import short_traceback
from hazboost.experiments.protocol import prepare

Variant = Literal["paper", "leak_free"]
#: As in the paper, and without what tells the outcome.
VARIANTS: tuple[Variant, ...] = ("paper", "leak_free")


@dataclass(frozen=True)
class Cell:
    """What to run."""

    dataset: str
    model: str
    seed: int
    variant: Variant = "paper"


@lru_cache(maxsize=4)
def load(name: str, variant: Variant) -> Dataset:
    """The data of a cell."""
    return load_dataset(name, leak_free=variant == "leak_free")


def run_cell(cell: Cell) -> dict[str, Any]:
    """Prepare the data, fit, predict and evaluate; what goes wrong is part of the result.

    Returns
    -------
    dict
        The line of the cell: what it is, its metrics, seconds, rows of the training part, versions and ``error``, which
        is None if every metric is a number.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _measure(cell)
    except Exception:  # noqa: BLE001 - whatever a model raises belongs into its line
        return failure(cell, short_traceback())


def failure(cell: Cell, message: str) -> dict[str, Any]:
    """The line of a cell without a result."""
    return asdict(cell) | dict.fromkeys(METRICS) | {"versions": versions(BASELINES[cell.model]), "error": message}


def _measure(cell: Cell) -> dict[str, Any]:
    baseline = BASELINES[cell.model]
    split = prepare(load(cell.dataset, cell.variant), cell.seed)
    started = clock.perf_counter()
    model = baseline.fit(split, cell.dataset, cell.seed)
    fitted = clock.perf_counter()
    predictions = predict(split, model)
    predicted = clock.perf_counter()
    scores = score(split, predictions)
    return {
        **asdict(cell),
        **{name: value if math.isfinite(value) else None for name, value in scores.items()},
        "seconds": round(fitted - started, 4),
        "predict_seconds": round(predicted - fitted, 4),
        "n_train": len(split.train.time),
        "versions": versions(baseline),
        "error": _undefined(scores),
    }


def _undefined(scores: dict[str, float]) -> str | None:
    names = [name for name, value in scores.items() if not math.isfinite(value)]
    return f"not finite: {', '.join(names)}" if names else None
