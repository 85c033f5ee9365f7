"""One cell of the benchmark: a model, a data set, a repeat."""

from __future__ import annotations

import math
import time as clock
import warnings
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from hazboost.experiments.pool import short_traceback

from benchmarks.accuracy import data, metrics
from benchmarks.accuracy.models import MODELS, OWN

PACKAGES = ("hazboost", "numpy", "scikit-learn", "scikit-survival", "lifelines", "xgboost", "hazardous", "SurvSet")


@dataclass(frozen=True)
class Cell:
    """What to run."""

    dataset: str
    model: str
    repeat: int


def run_cell(cell: Cell) -> dict[str, Any]:
    """Fit, predict and evaluate; what goes wrong is part of the result.

    Warnings of the other packages are silenced. A warning of FPBoost is an error.
    """
    try:
        return asdict(cell) | _measure(cell)
    except Exception:  # noqa: BLE001 - whatever a model raises belongs into its line
        return failure(cell, short_traceback())


def failure(cell: Cell, message: str) -> dict[str, Any]:
    """The line of a cell without a result."""
    return asdict(cell) | {"error": message, "versions": versions()}


def versions() -> dict[str, str]:
    """Versions of the packages that matter."""
    return {package: version(package) for package in PACKAGES}


def _measure(cell: Cell) -> dict[str, Any]:
    dataset = data.load(cell.dataset)
    train, test = data.split(cell.dataset, cell.repeat)
    grid = metrics.time_grid(dataset.time[train])
    outcomes = [(dataset.event[rows], dataset.time[rows]) for rows in (train, test)]

    with warnings.catch_warnings():
        warnings.simplefilter("error" if cell.model == OWN else "ignore")
        started = clock.perf_counter()
        model = MODELS[cell.model](cell.repeat).fit(dataset.X.iloc[train], *outcomes[0])
        fitted = clock.perf_counter()
        risk, survival = model.risk(dataset.X.iloc[test]), model.survival(dataset.X.iloc[test], grid)
        predicted = clock.perf_counter()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = metrics.evaluate(*outcomes, risk, survival, grid)
    return {
        **{name: value if math.isfinite(value) else None for name, value in scores.items()},
        "fit_seconds": round(fitted - started, 4),
        "predict_seconds": round(predicted - fitted, 4),
        "n": len(dataset.X),
        "d": dataset.X.shape[1],
        "columns": dataset.columns,
        "events": int(dataset.event.sum()),
        "error": None,
        "versions": versions(),
    }
