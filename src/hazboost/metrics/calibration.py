"""Calibration curve: predicted against observed probabilities in groups of similar prediction."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import aalen_johansen, evaluate_steps, kaplan_meier
from hazboost.data.target import Target
from hazboost.metrics.checks import (
    as_grid,
    as_probabilities,
    check_single,
    event_of_interest,
    one_row_target,
    warn_undefined,
)
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.describe import describe
from hazboost.utils.whole_numbers import is_whole_number


class CalibrationCurve(NamedTuple):
    """Result of `calibration_curve`: one value per bin, in increasing order of prediction."""

    #: Mean prediction.
    predicted: Array
    #: Kaplan-Meier estimate; with ``cause``, Aalen-Johansen estimate.
    observed: Array
    #: Number of subjects.
    size: Indices


def calibration_curve(
    y: Any, estimate: npt.ArrayLike, time: float, *, n_bins: int = 10, cause: int | None = None
) -> CalibrationCurve:
    """Compare predicted with observed survival at one time.

    Subjects are sorted by their prediction into bins of equal size. In each bin the mean prediction is compared with
    the Kaplan-Meier estimate; for a calibrated model the two differ only by chance.

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes, one row per subject.
    estimate : array-like of shape (n,)
        Predicted survival probability of each subject at ``time``; with ``cause``, its cumulative incidence.
    time : float
        Time of the prediction, the same for all subjects.
    n_bins : int, default=10
        Number of bins. Equal predictions share a bin, so there may be fewer.
    cause : int, optional
        Cause of interest with competing risks; the observed value is then the Aalen-Johansen estimate.

    Returns
    -------
    CalibrationCurve
        A named tuple of ``predicted``, ``observed`` and ``size``. Observed values are NaN, with a warning, in bins
        whose follow-up ends before ``time``.

    Notes
    -----
    With delayed entry, predictions are made from time zero and are not conditional on entry, because the Kaplan-Meier
    and Aalen-Johansen estimates with delayed entry are not conditional either. An observed value is also NaN, with a
    warning, if the risk set of the bin becomes empty before ``time`` and fills again by later entries.

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
    check_alignment({"y": y, "estimate": estimate})
    target = one_row_target(y, "y")
    grid = as_grid(time)
    check_single(grid)
    predicted = as_probabilities(estimate, len(target), len(grid))[:, 0]
    event_of_interest(target, cause)  # only to check ``cause``
    if not is_whole_number(n_bins, 1):
        raise ValueError(f"n_bins must be a positive whole number; got {describe(n_bins)}.")
    bins = _bins_of_equal_size(predicted, n_bins)
    rows = [np.flatnonzero(bins == k) for k in range(bins.max() + 1)]
    observed = np.array([_observed(target[part], grid, cause) for part in rows])
    if np.isnan(observed).any():
        warn_undefined(
            f"the observed value at time {grid[0]:g} cannot be estimated in {np.isnan(observed).sum()} of {len(rows)} "
            "bins (NaN): their follow-up ends or their risk set is empty before. Use fewer bins or an earlier time."
        )
    means = np.array([predicted[part].mean() for part in rows])
    return CalibrationCurve(means, observed, np.array([len(part) for part in rows]))


def _bins_of_equal_size(values: Array, n_bins: int) -> Indices:
    """Bin number of each value; equal values share a bin, and no bin is empty."""
    # Tied values have the same (average) rank and therefore the same bin. Renumbering removes bins left empty by ties.
    position = (rankdata(values) - 0.5) / len(values)
    return np.unique(np.floor(position * n_bins), return_inverse=True)[1].ravel()


def _observed(target: Target, grid: Array, cause: int | None) -> float:
    """Observed survival, or incidence of a cause, at a time; NaN if it cannot be estimated."""
    survival = kaplan_meier(target)
    value = float(evaluate_steps(survival, grid, start=1.0)[0])
    end = target.lower.max()
    # A Kaplan-Meier estimate of 0 is meaningful only if it is reached at the end of follow-up. With delayed entry it
    # may fall to 0 earlier, when all who have entered so far have had the event; it then stays 0 whoever enters later.
    nobody_left = value == 0.0 and survival[0][survival[1] == 0.0][0] == end
    if (value > 0.0 and grid[0] > end) or (value == 0.0 and not nobody_left):
        return float("nan")
    return value if cause is None else float(evaluate_steps(aalen_johansen(target, cause), grid, start=0.0)[0])
