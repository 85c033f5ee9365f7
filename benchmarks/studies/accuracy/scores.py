"""The four metrics: C-index, IPCW C-index, integrated Brier score, integrated binomial log score.

Inverse probability of censoring weights come from the Kaplan-Meier curve of the censoring in the training part.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sksurv.metrics import concordance_index_ipcw
from sksurv.util import Surv

from hazboost.metrics import concordance_index

Array = npt.NDArray[np.float64]
Outcome = tuple[npt.NDArray[np.bool_], Array]

GRID_SIZE = 100
HORIZON = 0.8
SURVIVAL_CLIP = 1e-4
CENSORING_FLOOR = 0.05
#: Metrics for which more is better; less is better for the others.
HIGHER_IS_BETTER = {"c_index": True, "c_index_ipcw": True, "brier": False, "log_score": False}


def time_grid(time: Array) -> Array:
    """100 equidistant times up to the 80 % quantile of the observed times (zero excluded)."""
    horizon = np.quantile(time, HORIZON)
    return np.linspace(0.0, horizon, GRID_SIZE + 1)[1:]


def evaluate(train: Outcome, test: Outcome, risk: Array, survival: Array, grid: Array) -> dict[str, float]:
    """All metrics of a prediction.

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
        ``c_index``, ``c_index_ipcw``, ``brier``, ``log_score``.

    Raises
    ------
    ValueError
        If a prediction has the wrong shape, is not finite, or is a survival probability outside of [0, 1].
    """
    _check(len(test[0]), risk, survival, grid)
    brier, log_score = integrated_scores(train, test, survival, grid)
    return {
        "c_index": concordance_index(test, risk),
        "c_index_ipcw": ipcw_concordance(train, test, risk, grid[-1]),
        "brier": brier,
        "log_score": log_score,
    }


def _check(n: int, risk: Array, survival: Array, grid: Array) -> None:
    if risk.shape != (n,) or survival.shape != (n, len(grid)):
        raise ValueError(f"shapes {risk.shape} and {survival.shape} for {n} subjects and {len(grid)} times")
    if not np.all(np.isfinite(risk)):
        raise ValueError("risk is not finite")
    if not np.all((survival >= -1e-6) & (survival <= 1 + 1e-6)):
        raise ValueError("survival is not a probability")


def ipcw_concordance(train: Outcome, test: Outcome, risk: Array, tau: float) -> float:
    """C-index of Uno et al. up to `tau`; NaN where it is not defined."""
    try:
        return float(concordance_index_ipcw(Surv.from_arrays(*train), Surv.from_arrays(*test), risk, tau=tau)[0])
    except (ValueError, ZeroDivisionError):
        return float("nan")


def integrated_scores(train: Outcome, test: Outcome, survival: Array, grid: Array) -> tuple[float, float]:
    """Integrated Brier score and integrated binomial log score, both averaged over the grid's range."""
    died, alive = ipcw_weights(train, test, grid)
    clipped = np.clip(survival, SURVIVAL_CLIP, 1 - SURVIVAL_CLIP)
    brier = np.mean(died * survival**2 + alive * (1 - survival) ** 2, axis=0)
    log_score = -np.mean(died * np.log1p(-clipped) + alive * np.log(clipped), axis=0)
    span = grid[-1] - grid[0]
    return float(np.trapezoid(brier, grid) / span), float(np.trapezoid(log_score, grid) / span)


def ipcw_weights(train: Outcome, test: Outcome, grid: Array) -> tuple[Array, Array]:
    """Weights of the test subjects that had the event until t, and of those still under observation.

    With G the probability of not being censored: ``1 / G(time-)`` for the former, ``1 / G(t)`` for the latter,
    zero for everybody else. G is floored at 0.05.
    """
    event, time = test
    steps, values = censoring_survival(*train)
    before = np.maximum(values[np.searchsorted(steps, time, side="left")], CENSORING_FLOOR)
    at_grid = np.maximum(values[np.searchsorted(steps, grid, side="right")], CENSORING_FLOOR)
    past = time[:, None] <= grid
    died = (past & event[:, None]) / before[:, None]
    alive = ~past / at_grid
    return died, alive


def censoring_survival(event: npt.NDArray[np.bool_], time: Array) -> tuple[Array, Array]:
    """Kaplan-Meier curve of the censoring; at equal times events come first.

    Returns
    -------
    steps : array
        Distinct times.
    values : array, one longer
        1, then the curve from each step on.
    """
    steps, inverse = np.unique(time, return_inverse=True)
    events = np.bincount(inverse, weights=event, minlength=len(steps))
    censored = np.bincount(inverse, weights=~event, minlength=len(steps))
    total = events + censored
    at_risk = np.cumsum(total[::-1])[::-1] - events
    factors = 1.0 - np.divide(censored, at_risk, out=np.zeros_like(censored), where=at_risk > 0)
    return steps, np.concatenate([[1.0], np.cumprod(factors)])
