"""Predicted against observed probabilities, in groups of similar prediction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from hazboost.data.nonparametric import aalen_johansen, evaluate_steps, kaplan_meier
from hazboost.data.target import Target
from hazboost.metrics.checks import as_grid, as_probabilities, event_of_interest, one_row_target, warn_undefined
from hazboost.utils.arrays import Array, Indices


class CalibrationCurve(NamedTuple):
    """Result of `calibration_curve`: one value for each bin, in ascending order of prediction."""

    #: Mean prediction.
    predicted: Array
    #: Kaplan and Meier's estimate; with a cause, Aalen and Johansen's.
    observed: Array
    #: Number of subjects.
    size: Indices


def calibration_curve(
    y: Any, estimate: npt.ArrayLike, time: float, *, n_bins: int = 10, cause: int | None = None
) -> CalibrationCurve:
    """Compare predicted with observed survival at one time.

    Subjects are sorted by their prediction into bins of equal size. In each, the mean prediction stands against
    the survival that Kaplan and Meier's estimate finds; of a calibrated model the two are equal but for chance.

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        What was observed; one row for each subject.
    estimate : array-like of shape (n,)
        Survival probability of each subject at ``time``; with a cause, its cumulative incidence.
    time : float
        Time of the prediction, the same for all.
    n_bins : int, default=10
        Number of bins. Equal predictions are not torn apart, so there may be fewer.
    cause : int, optional
        Cause of interest among competing ones; the observed incidence is then Aalen and Johansen's.

    Returns
    -------
    CalibrationCurve
        A named tuple of ``predicted``, ``observed`` and ``size``. Observed values are NaN, with a warning, where the
        follow-up of a bin ends before ``time``.

    Notes
    -----
    With delayed entry, predictions are ordinary ones from time zero on, not conditional on entry: the estimates with
    delayed entry are of the same kind. An observed value is also NaN, with a warning, if the bin's risk set runs empty
    before ``time`` and fills again.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost.metrics import calibration_curve
    >>> rng = np.random.default_rng(0)
    >>> rate = rng.uniform(0.2, 2.0, 10_000)
    >>> time = rng.exponential(1.0 / rate)
    >>> curve = calibration_curve((time < 2.0, np.minimum(time, 2.0)), np.exp(-rate), 1.0, n_bins=4)
    >>> curve.predicted.round(2).tolist(), curve.observed.round(2).tolist(), curve.size.tolist()
    ([0.17, 0.27, 0.42, 0.66], [0.17, 0.26, 0.42, 0.68], [2500, 2500, 2500, 2500])
    """
    target = one_row_target(y, "y")
    grid = as_grid(time)
    if len(grid) > 1:
        raise ValueError(f"time must be a single time; got {len(grid)}.")
    predicted = as_probabilities(estimate, len(target), len(grid))[:, 0]
    event_of_interest(target, cause)
    if isinstance(n_bins, bool) or not isinstance(n_bins, int | np.integer) or n_bins < 1:
        raise ValueError(f"n_bins must be a positive whole number; got {n_bins!r}.")
    bins = _bins_of_equal_size(predicted, n_bins)
    rows = [np.flatnonzero(bins == k) for k in range(bins.max() + 1)]
    observed = np.array([_observed(target[part], grid, cause) for part in rows])
    if np.isnan(observed).any():
        warn_undefined(
            f"nothing is observed at time {grid[0]:g} in {np.isnan(observed).sum()} of {len(rows)} bins: the observed "
            "value is NaN there. Use fewer bins or an earlier time."
        )
    means = np.array([predicted[part].mean() for part in rows])
    return CalibrationCurve(means, observed, np.array([len(part) for part in rows]))


def _bins_of_equal_size(values: Array, n_bins: int) -> Indices:
    """Number of the bin of each value; equal values share one, and no bin is empty."""
    position = (rankdata(values) - 0.5) / len(values)
    return np.unique(np.floor(position * n_bins), return_inverse=True)[1].ravel()


def _observed(target: Target, grid: Array, cause: int | None) -> float:
    """Survival, or incidence of a cause, at a time; NaN if it cannot be estimated."""
    survival = kaplan_meier(target)
    value = float(evaluate_steps(survival, grid, start=1.0)[0])
    end = target.lower.max()
    nobody_left = value == 0.0 and survival[0][survival[1] == 0.0][0] == end
    if (value > 0.0 and grid[0] > end) or (value == 0.0 and not nobody_left):
        return float("nan")
    return value if cause is None else float(evaluate_steps(aalen_johansen(target, cause), grid, start=0.0)[0])
