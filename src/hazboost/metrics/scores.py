"""Brier and logarithmic scores of predicted probabilities, with inverse probability of censoring weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.integrate import trapezoid

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.checks import (
    as_grid,
    as_probabilities,
    event_of_interest,
    name_times,
    one_row_target,
    warn_follow_up,
    warn_undefined,
)
from hazboost.metrics.weights import FollowUp
from hazboost.utils.arrays import Array, Mask

#: Lower bound of the probability in a logarithmic score; a single certain but wrong prediction would cost infinity.
SMALLEST_PROBABILITY = 1e-7

#: Maps the probability that was predicted for the observed outcome to its cost.
Cost = Callable[[Array], Array]


def brier_score(
    y_train: Any, y_test: Any, estimate: npt.ArrayLike, times: npt.ArrayLike, *, cause: int | None = None
) -> Array:
    r"""Mean squared error of predicted survival probabilities, corrected for censoring.

    .. math:: \mathrm{BS}(t) = \frac1n \sum_i \left( \frac{[t_i \le t, \text{event}]}{G(t_i)} \, S_i(t)^2
              + \frac{[t_i > t]}{G(t)} \, (1 - S_i(t))^2 \right)

    :math:`G` is the probability of not being censored, estimated from the training data. With ``cause`` the prediction
    is the cumulative incidence :math:`F_i` of that cause. A subject with an event by :math:`t` contributes
    :math:`(1 - F_i(t))^2 / G(t_i)` if the event is of that cause and :math:`F_i(t)^2 / G(t_i)` if it is of another; an
    event-free subject contributes :math:`F_i(t)^2 / G(t)`.

    Parameters
    ----------
    y_train, y_test : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes, one row per subject. The censoring distribution is estimated from ``y_train``.
    estimate : array-like of shape (n_test, n_times)
        Predicted survival probabilities; with ``cause``, cumulative incidences. With delayed entry they are
        conditional on being event-free at entry: ``S(t) / S(entry)``.
    times : array-like of shape (n_times,)
        Strictly increasing times.
    cause : int, optional
        Cause of interest with competing risks; by default any event counts.

    Returns
    -------
    array of shape (n_times,)
        0 is perfect; predicting 0.5 for everybody gives 0.25. NaN, with a warning, at times at which no test subject
        has had an event or is under observation, and at those until which nobody could be followed.

    Notes
    -----
    With delayed entry at :math:`a_i`, all times in :math:`G` are counted from entry: the weights are
    :math:`1 / G(t_i - a_i)` and :math:`1 / G(t - a_i)`. **This assumes that the length of the follow-up does not
    depend on the time of entry.** At :math:`t` only the :math:`n` subjects count who entered before, :math:`a_i < t`,
    and could be followed until then, :math:`G(t - a_i) > 0`. The others are left out, also if they had an event: of
    those who entered so early that nobody is followed until :math:`t`, only the ones with an event could be judged.

    Without delayed entry in ``y_test`` nobody is left out. Beyond the follow-up of the training data :math:`G` is
    unknown; its smallest positive value is used there, with a `FollowUpWarning`. The same warning is given for times
    after the end of follow-up of the test data.

    :math:`G` is evaluated at the event time and not just before it, as in scikit-survival. Where many are censored at
    exactly the times of events, as with times in whole years, the score is too large and best for risks that are too
    high.

    References
    ----------
    Graf, Schmoor, Sauerbrei, Schumacher, 1999, Assessment and comparison of prognostic classification schemes for
    survival data. Gerds, Schumacher, 2006, Consistent estimation of the expected Brier score.

    Examples
    --------
    >>> from hazboost.metrics import brier_score
    >>> y = ([True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0])
    >>> survival = [[0.5, 0.2], [0.9, 0.7], [0.8, 0.4], [0.9, 0.6], [0.9, 0.8]]
    >>> brier_score(y, y, survival, [1.5, 3.5]).round(4).tolist()
    [0.064, 0.104]
    """
    return _score(y_train, y_test, estimate, times, cause, _squared_error)


def integrated_brier_score(
    y_train: Any, y_test: Any, estimate: npt.ArrayLike, times: npt.ArrayLike, *, cause: int | None = None
) -> float:
    r"""Mean of the Brier score over time.

    .. math:: \mathrm{IBS} = \frac{1}{t_m - t_1} \int_{t_1}^{t_m} \mathrm{BS}(t) \, dt

    The integral is computed by the trapezoidal rule over the given times, at least two. NaN if the score is undefined
    at one of them. See `brier_score` for the arguments and conventions.

    Examples
    --------
    >>> from hazboost.metrics import integrated_brier_score
    >>> y = ([True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0])
    >>> survival = [[0.5, 0.2], [0.9, 0.7], [0.8, 0.4], [0.9, 0.6], [0.9, 0.8]]
    >>> round(integrated_brier_score(y, y, survival, [1.5, 3.5]), 4)
    0.084
    """
    return _mean_over_time(_score(y_train, y_test, estimate, times, cause, _squared_error), times)


def log_score(
    y_train: Any, y_test: Any, estimate: npt.ArrayLike, times: npt.ArrayLike, *, cause: int | None = None
) -> Array:
    r"""Negative binomial log-likelihood of predicted survival probabilities, corrected for censoring.

    .. math:: \mathrm{LS}(t) = -\frac1n \sum_i \left( \frac{[t_i \le t, \text{event}]}{G(t_i)} \log(1 - S_i(t))
              + \frac{[t_i > t]}{G(t)} \log S_i(t) \right)

    Compared with the Brier score, confident errors cost more. The predicted probability of the observed outcome is
    bounded below by 1e-7, so that no subject contributes more than 16.1 times its weight. See `brier_score` for the
    arguments and conventions.

    References
    ----------
    Graf, Schmoor, Sauerbrei, Schumacher, 1999, Assessment and comparison of prognostic classification schemes for
    survival data.

    Examples
    --------
    >>> from hazboost.metrics import log_score
    >>> y = ([True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0])
    >>> survival = [[0.5, 0.2], [0.9, 0.7], [0.8, 0.4], [0.9, 0.6], [0.9, 0.8]]
    >>> log_score(y, y, survival, [1.5, 3.5]).round(4).tolist()
    [0.2465, 0.3766]
    """
    return _score(y_train, y_test, estimate, times, cause, _log_loss)


def integrated_log_score(
    y_train: Any, y_test: Any, estimate: npt.ArrayLike, times: npt.ArrayLike, *, cause: int | None = None
) -> float:
    """Mean of the logarithmic score over time, by the trapezoidal rule.

    See `log_score` for the score and `integrated_brier_score` for the mean.

    Examples
    --------
    >>> from hazboost.metrics import integrated_log_score
    >>> y = ([True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0])
    >>> survival = [[0.5, 0.2], [0.9, 0.7], [0.8, 0.4], [0.9, 0.6], [0.9, 0.8]]
    >>> round(integrated_log_score(y, y, survival, [1.5, 3.5]), 4)
    0.3115
    """
    return _mean_over_time(_score(y_train, y_test, estimate, times, cause, _log_loss), times)


def _squared_error(probability: Array) -> Array:
    return (1.0 - probability) ** 2


def _log_loss(probability: Array) -> Array:
    return -np.log(np.maximum(probability, SMALLEST_PROBABILITY))


def _score(
    y_train: Any, y_test: Any, estimate: npt.ArrayLike, times: npt.ArrayLike, cause: int | None, cost: Cost
) -> Array:
    """Mean cost at each time, weighted by the inverse probability of being observed."""
    check_alignment({"y_test": y_test, "estimate": estimate})
    train, test, grid = one_row_target(y_train, "y_train"), one_row_target(y_test, "y_test"), as_grid(times)
    predicted, event = as_probabilities(estimate, len(test), len(grid)), event_of_interest(test, cause)
    # Both cases become predictions of the binary outcome "event (of the cause) by t".
    incidence = 1.0 - predicted if cause is None else predicted
    weights, score = _Weights(FollowUp(train), test, grid), np.full(len(grid), np.nan)
    for k, time in enumerate(grid):
        weight, judged = weights.at(k)
        if weight.any():
            # Censored subjects and those with a competing event are costed as "no event"; the former have weight 0.
            happened = event & (test.lower <= time)
            costs = cost(np.where(happened, incidence[:, k], 1.0 - incidence[:, k]))
            # Dividing by the number of subjects, not by the sum of the weights, is the convention of Graf et al. and
            # of scikit-survival.
            score[k] = weight @ costs / judged.sum()
    if np.isnan(score).any():
        warn_undefined(
            f"times: the score is not defined (NaN) at times {name_times(grid[np.isnan(score)])}: by then no subject "
            "of y_test has had an event, and none is under observation, or with delayed entry all of them entered so "
            "early that nobody in y_train was followed that long; use other times."
        )
    return score


class _Weights:
    """Inverse probability of censoring weights of the test subjects at each time of a grid."""

    def __init__(self, follow_up: FollowUp, test: Target, grid: Array) -> None:
        self.test, self.grid, self.entry = test, grid, start_of_risk(test)
        own = follow_up.since_entry(test.lower, test.entry)
        # Who entered together has the same weight while event-free; without delayed entry that is everybody.
        entries, self.group = np.unique(test.entry, return_inverse=True)
        since = follow_up.since_entry(grid, entries[:, None])
        at_end, staying = follow_up.probability(own), follow_up.probability(since)
        followed = grid < test.lower.max()
        if not np.isfinite(self.entry).any():
            ended = test.event & (test.lower <= grid[-1])
            at_end[ended] = follow_up.clipped(own[ended], "event times of y_test")
            # After the last test subject has left, nobody has weight 1 / G(t). G is not evaluated there, which would
            # only add a warning about the training data.
            staying[0, ~followed] = 1.0
            staying[0, followed] = follow_up.clipped(grid[followed], "times")
        self.after_event, self.event_free = _inverse(np.where(test.event, at_end, 0.0)), _inverse(staying)
        if not (followed.all() or test.event.all()):
            warn_follow_up(
                f"times: the follow-up of y_test ends at {test.lower.max():g}; at times {name_times(grid[~followed])} "
                "the score is computed only from subjects with an earlier event. Use times within the follow-up."
            )

    def at(self, k: int) -> tuple[Array, Mask]:
        """Weights at one time, and who is judged: has entered, and could be followed until then."""
        event_free = self.event_free[self.group, k]
        judged = (self.entry < self.grid[k]) & (event_free > 0.0)
        return np.where(self.test.lower <= self.grid[k], self.after_event, event_free) * judged, judged


def _inverse(probability: Array) -> Array:
    """Weights of probabilities; 0 where they are."""
    weights: Array = np.divide(1.0, probability, out=np.zeros_like(probability), where=probability > 0.0)
    return weights


def _mean_over_time(score: Array, times: npt.ArrayLike) -> float:
    grid = as_grid(times)
    if len(grid) < 2:
        raise ValueError("times must contain at least two times to integrate over; for one time, use the score itself.")
    return float(trapezoid(score, grid) / (grid[-1] - grid[0]))
