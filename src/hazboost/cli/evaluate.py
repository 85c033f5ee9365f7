"""``hazboost evaluate``: how well a model predicts for other subjects, by the functions of `hazboost.metrics`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.cli.errors import InputError
from hazboost.cli.models import feature_table, read_model
from hazboost.cli.options import threads
from hazboost.cli.outcomes import add_outcome_options, read_outcome
from hazboost.cli.writing import write_report
from hazboost.data.nonparametric import aalen_johansen, evaluate_steps, kaplan_meier
from hazboost.data.reading import as_target
from hazboost.data.target import Target
from hazboost.estimator import FPBoost
from hazboost.metrics import concordance_index_ipcw, d_calibration, integrated_brier_score
from hazboost.utils.arrays import Array

ABOUT = "compare predictions with what was observed"
#: The integrated Brier score is a mean over so many times, between these quantiles of the event times.
TIMES, FIRST, LAST = 100, 0.1, 0.9


def add_options(parser: ArgumentParser) -> None:
    """What to evaluate, and on whom."""
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with the outcome, of subjects that the model was not fitted to")
    add_outcome_options(parser, ("time", "event", "entry"))
    parser.add_argument("--cause", type=int, help="cause of interest, of several; by default any event")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--jobs", type=threads, metavar="N", help="number of threads, -1 for all; by default 1")


def run(options: Namespace) -> None:
    """Evaluate."""
    model = read_model(options.model, options.jobs)
    table, X = feature_table(model, options.data)
    y = read_outcome(options.data, table, options)
    write_report(scores(model, X, y, options.cause), as_json=options.json)


def scores(model: FPBoost, X: Any, y: npt.NDArray[Any], cause: int | None) -> dict[str, Any]:
    """Rows, events and all scores, by name."""
    target = as_target(y, causes_known=True)
    counted = target.event if cause is None else target.cause == cause
    if not counted.any():
        raise InputError("--event has no event that could be compared with predictions; use other data.")
    # Survival time, or with a cause the time that is lost to it; as logarithms, ties do not depend on the unit.
    time = np.log(np.maximum(np.abs(model.predict(X, cause)), np.finfo(float).tiny))
    risk = -time if cause is None else time
    grid = np.unique(np.quantile(target.lower[counted], np.linspace(FIRST, LAST, TIMES)))
    # Whoever entered late is known to have had no event before.
    entry = y["entry"] if "entry" in (y.dtype.names or ()) else None
    own = model.predict_survival_function(X, times=grid, alive_at=entry)
    if cause is not None:
        own = np.asarray(model.predict_cumulative_incidence_function(X, times=grid, cause=cause, alive_at=entry))
    calibration = d_calibration(y, survival_at(model, X, target.lower, entry))
    return {
        "rows": len(y),
        "events": int(counted.sum()),
        "concordance": model.score(X, y, cause),
        "concordance_ipcw": concordance_index_ipcw(y, y, risk, cause=cause),
        "integrated_brier_score": _brier(y, own, grid, cause),
        "integrated_brier_score_kaplan_meier": _brier(y, without_features(target, grid, cause), grid, cause),
        "brier_from": float(grid[0]),
        "brier_to": float(grid[-1]),
        "d_calibration_statistic": float(calibration.statistic),
        "d_calibration_p_value": float(calibration.p_value),
    }


def _brier(y: npt.NDArray[Any], estimate: Array, grid: Array, cause: int | None) -> float:
    if len(grid) < 2:
        return float("nan")  # all events at one time
    return integrated_brier_score(y, y, estimate, grid, cause=cause)


def survival_at(model: FPBoost, X: Any, time: Array, entry: Array | None) -> Array:
    """Survival of each subject at its own time, a block of subjects at a time; after entry, if there is one."""
    found = np.empty(len(time))
    for first in range(0, len(time), 500):
        rows = slice(first, first + 500)
        distinct, position = np.unique(time[rows], return_inverse=True)
        late = None if entry is None else entry[rows]
        values = model.predict_survival_function(X.iloc[rows], times=distinct, alive_at=late)
        found[rows] = values[np.arange(len(position)), position]
    return found


def without_features(target: Target, grid: Array, cause: int | None) -> Array:
    """What is predicted for everybody without features: Kaplan-Meier, or Aalen-Johansen for one cause.

    It is estimated from the same subjects, and conditional on being event-free at entry.
    """
    curve = kaplan_meier(target)
    entry = np.maximum(target.entry, 0.0)
    at_entry = np.maximum(evaluate_steps(curve, entry, start=1.0), np.finfo(float).tiny)[:, None]
    after = grid > entry[:, None]
    if cause is None:
        return np.where(after, np.minimum(evaluate_steps(curve, grid, start=1.0) / at_entry, 1.0), 1.0)
    steps = aalen_johansen(target, cause)
    gained = evaluate_steps(steps, grid, start=0.0) - evaluate_steps(steps, entry, start=0.0)[:, None]
    return np.where(after, np.clip(gained / at_entry, 0.0, 1.0), 0.0)
