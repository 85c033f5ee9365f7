"""Four scores (C-index, IPCW C-index, integrated Brier score, integrated binomial log score), and calibration."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hazboost.data.nonparametric import censoring_distribution, evaluate_steps, kaplan_meier
from hazboost.data.reading import as_target
from hazboost.metrics import concordance_index, concordance_index_ipcw, d_calibration
from hazboost.utils.arrays import Array, Mask

Outcome = tuple[Mask, Array]

GRID_SIZE = 100
HORIZON = 0.8
SURVIVAL_CLIP = 1e-4
CENSORING_FLOOR = 0.05
#: Subjects whose survival is predicted at once, each at its own time.
BLOCK = 1_000
#: Title of each score, and whether more is better.
SCORES = {
    "c_index": ("C-index", True),
    "brier": ("integrated Brier score", False),
    "c_index_ipcw": ("IPCW C-index", True),
    "log_score": ("integrated log score", False),
}


def time_grid(time: Array) -> Array:
    """100 equidistant times up to the 80 % quantile of the observed times (zero excluded)."""
    return np.linspace(0.0, np.quantile(time, HORIZON), GRID_SIZE + 1)[1:]


def evaluate(train: Outcome, test: Outcome, risk: Array, survival: Array, grid: Array) -> dict[str, float]:
    """All scores of a prediction that has been checked to be finite and a survival function.

    Parameters
    ----------
    train, test : (event, time)
        Outcomes of both parts.
    risk : array of shape (n_test,)
        Higher means earlier.
    survival : array of shape (n_test, len(grid))
        Survival probabilities at the times of the grid.
    grid : array
        Result of `time_grid` for the training part.

    Returns
    -------
    dict
        ``c_index``, ``c_index_ipcw``, ``brier``, ``log_score``; NaN where a concordance is not defined.
    """
    brier, log_score = integrated_scores(train, test, survival, grid)
    return {
        "c_index": concordance_index(test, risk),
        "c_index_ipcw": concordance_index_ipcw(train, test, risk, grid[-1]),
        "brier": brier,
        "log_score": log_score,
    }


def integrated_scores(train: Outcome, test: Outcome, survival: Array, grid: Array) -> tuple[float, float]:
    """Integrated Brier score and integrated binomial log score, both averaged over the grid's range.

    They differ from those of `hazboost.metrics` by design. The censoring probability is floored at 0.05 and survival
    is clipped to [0.0001, 0.9999] in the log score, so that in small sets no single subject decides the score; and an
    event is weighted with the censoring just before its time, not at it, as sets with few distinct times have many
    censored then.
    """
    died, alive = censoring_weights(train, test, grid)
    clipped = np.clip(survival, SURVIVAL_CLIP, 1 - SURVIVAL_CLIP)
    brier = np.mean(died * survival**2 + alive * (1 - survival) ** 2, axis=0)
    log_score = -np.mean(died * np.log1p(-clipped) + alive * np.log(clipped), axis=0)
    span = grid[-1] - grid[0]
    return float(np.trapezoid(brier, grid) / span), float(np.trapezoid(log_score, grid) / span)


def censoring_weights(train: Outcome, test: Outcome, grid: Array) -> tuple[Array, Array]:
    """Weights of the test subjects that had the event until t, and of those still under observation.

    With G the probability of not being censored in the training part: ``1 / G(time-)`` for the former, ``1 / G(t)`` for
    the latter, zero for all others.
    """
    event, time = test
    censoring = censoring_distribution(as_target(train))
    before = np.maximum(evaluate_steps(censoring, time, start=1.0, before=True), CENSORING_FLOOR)
    at_grid = np.maximum(evaluate_steps(censoring, grid, start=1.0), CENSORING_FLOOR)
    past = time[:, None] <= grid
    return (past & event[:, None]) / before[:, None], ~past / at_grid


def calibration(test: Outcome, survival: Callable[[Any, Array], Array], X: Any) -> dict[str, float]:
    r"""How well predicted survival agrees with what was observed of the test part.

    Parameters
    ----------
    test : (event, time)
        Outcomes.
    survival : callable
        From a table of features and times to survival probabilities, subjects by times.
    X : DataFrame
        Features of the test part.

    Returns
    -------
    dict
        ``d_calibration_p``: p-value of the D-calibration test with ten bins.
        ``d_deviation``: :math:`\sqrt{\chi^2 / n}` of its statistic. This is the root mean square of the bins' relative
        deviations from their expected size, and does not grow with the number of subjects.
        ``median_excess``: mean predicted survival at the median event time, minus the Kaplan-Meier estimate there.
    """
    event, time = test
    found = d_calibration(test, at_own_times(survival, X, time))
    median = np.array([np.median(time[event])])
    observed = evaluate_steps(kaplan_meier(as_target(test)), median, start=1.0)[0]
    return {
        "d_calibration_p": float(found.p_value),
        "d_deviation": math.sqrt(found.statistic / len(time)),
        "median_excess": float(survival(X, median).mean() - observed),
    }


def at_own_times(survival: Callable[[Any, Array], Array], X: Any, time: Array) -> Array:
    """Survival of each subject at its own time, predicted for blocks of subjects with similar times."""
    own = np.empty(len(time))
    for rows in np.array_split(np.argsort(time, kind="stable"), math.ceil(len(time) / BLOCK)):
        times, position = np.unique(time[rows], return_inverse=True)
        own[rows] = survival(X.iloc[rows], times)[np.arange(len(rows)), position]
    return own


def distance(survival: Array, truth: Array) -> float:
    """Root mean squared difference of predicted from true survival."""
    return float(np.sqrt(np.mean((survival - truth) ** 2)))
