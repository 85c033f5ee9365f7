"""Scores of predicted probabilities at given times: Brier and logarithmic, with censoring weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.integrate import trapezoid

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
from hazboost.metrics.weights import Observation
from hazboost.utils.arrays import Array

#: Probabilities in a logarithmic score are kept that far from 0 and 1.
SMALLEST_PROBABILITY = 1e-7

#: From the probability that was given to what happened, to what it costs.
Cost = Callable[[Array], Array]


def brier_score(
    y_train: Any, y_test: Any, estimate: npt.ArrayLike, times: npt.ArrayLike, *, cause: int | None = None
) -> Array:
    r"""Mean squared error of predicted survival probabilities, corrected for censoring.

    .. math:: \mathrm{BS}(t) = \frac1n \sum_i \left( \frac{[t_i \le t, \text{event}]}{G(t_i)} \, S_i(t)^2
              + \frac{[t_i > t]}{G(t)} \, (1 - S_i(t))^2 \right)

    :math:`G` is the probability of not being censored, from the training data. With a cause :math:`c` the prediction
    is its cumulative incidence :math:`F_i`: whoever had an event until :math:`t` costs :math:`(1 - F_i(t))^2` if it was
    of that cause and :math:`F_i(t)^2` if of another, both over :math:`G(t_i)`; the others cost
    :math:`F_i(t)^2 / G(t)`.

    Parameters
    ----------
    y_train, y_test : structured array, DataFrame, pair of arrays, or result of `Surv`
        What was observed; one row for each subject.
    estimate : array-like of shape (n_test, n_times)
        Survival probabilities; with a cause, its cumulative incidences. Of a subject with delayed entry,
        probabilities given that it was without event at entry: ``S(t) / S(entry)``.
    times : array-like of shape (n_times,)
        Ascending times.
    cause : int, optional
        Cause of interest among competing ones; by default any event counts.

    Returns
    -------
    array of shape (n_times,)
        0 is perfect, and 0.25 the score of always saying one half. NaN, with a warning, at times about which no
        subject tells anything.

    Notes
    -----
    With delayed entry at :math:`a_i`, subjects with :math:`a_i \ge t` do not count at :math:`t`, :math:`n` is the
    number of the others, and all weights are multiplied with :math:`G(a_i)`: nobody could be censored before entry.

    Beyond the training data :math:`G` is not known; its smallest positive value is used, with a `FollowUpWarning`. The
    same warning tells of times after the last subject of the test data has left.

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
    r"""Mean of the Brier score over a span of time.

    .. math:: \mathrm{IBS} = \frac{1}{t_m - t_1} \int_{t_1}^{t_m} \mathrm{BS}(t) \, dt

    by the trapezoidal rule over the given times, of which there are at least two. NaN if the score is not
    defined at one of them. For arguments and rules see `brier_score`.

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

    As the Brier score, but a confident error costs more. So that one error does not cost everything, the
    probability of what happened counts as 1e-7 where it is smaller: no subject costs more than 16.1, times
    its weight. For arguments and rules see `brier_score`.

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
    """Mean of the logarithmic score over a span of time, by the trapezoidal rule.

    See `integrated_brier_score`, and `log_score` for the score itself.

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
    """Mean cost at each time, weighted with the inverse probability of being observed."""
    train, test, grid = one_row_target(y_train, "y_train"), one_row_target(y_test, "y_test"), as_grid(times)
    predicted, event = as_probabilities(estimate, len(test), len(grid)), event_of_interest(test, cause)
    incidence = 1.0 - predicted if cause is None else predicted
    entry, weights = start_of_risk(test), _Weights(Observation(train), test, grid)
    score = np.full(len(grid), np.nan)
    for k, time in enumerate(grid):
        weight = weights.at(k)
        if weight.any():
            happened = event & (test.lower <= time)
            costs = cost(np.where(happened, incidence[:, k], 1.0 - incidence[:, k]))
            score[k] = weight @ costs / (entry < time).sum()
    if np.isnan(score).any():
        warn_undefined(
            f"the score is not defined (NaN) at {name_times(grid[np.isnan(score)])}: nobody of y_test had an event "
            "until then, or is under observation."
        )
    return score


class _Weights:
    """Weights of the test subjects at each time of a grid."""

    def __init__(self, observation: Observation, test: Target, grid: Array) -> None:
        self.test, self.grid, self.entry = test, grid, start_of_risk(test)
        self.at_entry = np.ones(len(test))
        delayed = np.isfinite(self.entry)
        self.at_entry[delayed] = observation.uncensored(self.entry[delayed], "entry times of y_test")
        ended = test.event & (test.lower <= grid[-1])
        self.gone = np.zeros(len(test))
        self.gone[ended] = 1.0 / observation.uncensored(test.lower[ended], "event times of y_test")
        followed = grid < test.lower.max()
        self.present = np.zeros(len(grid))
        self.present[followed] = 1.0 / observation.uncensored(grid[followed], "times")
        if not (followed.all() or test.event.all()):
            warn_follow_up(
                f"the follow-up of y_test ends at {test.lower.max():g}; at {name_times(grid[~followed])} the score "
                "sees only those who had an event before."
            )

    def at(self, k: int) -> Array:
        """Weights at one time: 0 for those who had left without event, or had not entered."""
        time = self.grid[k]
        staying = np.where(self.entry < time, self.present[k], 0.0)
        return self.at_entry * np.where(self.test.lower <= time, self.gone, staying)


def _mean_over_time(score: Array, times: npt.ArrayLike) -> float:
    grid = as_grid(times)
    if len(grid) < 2:
        raise ValueError("times must be at least two to integrate over; at one time, use the score itself.")
    return float(trapezoid(score, grid) / (grid[-1] - grid[0]))
