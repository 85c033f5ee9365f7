"""Time-dependent area under the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.nonparametric import aalen_johansen, evaluate_steps, kaplan_meier, start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.checks import as_grid, as_risks, event_of_interest, name_times, one_row_target, warn_undefined
from hazboost.metrics.pairs import tied_range
from hazboost.metrics.weights import Observation
from hazboost.utils.arrays import Array, Mask


def cumulative_dynamic_auc(
    y_train: Any, y_test: Any, risk: npt.ArrayLike, times: npt.ArrayLike, *, cause: int | None = None
) -> tuple[Array, float]:
    r"""Probability that a subject with the event by time t has a higher risk than a subject without.

    .. math:: \mathrm{AUC}(t) = \frac{\sum_{i, j} w_i v_j \left([r_i > r_j] + \tfrac12 [r_i = r_j]\right)}
              {\sum_{i, j} w_i v_j}

    Cases :math:`i` have the event at :math:`t_i \le t` and weight :math:`w_i = 1 / G(t_i)`; controls :math:`j` are
    event-free at :math:`t` and have equal weights. With ``cause``, cases have an event of that cause. Subjects with an
    event of another cause by :math:`t` are controls as well, with weight :math:`v_j = 1 / G(t_j)`; event-free controls
    then have weight :math:`1 / G(t)` (second definition of Blanche et al., 2013).

    Parameters
    ----------
    y_train, y_test : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes, one row per subject. The censoring distribution :math:`G` is estimated from ``y_train``.
    risk : array-like of shape (n_test,) or (n_test, n_times)
        Risk of each subject, or of each subject at each time; higher means an earlier event. Risks closer than 1e-8
        are tied.
    times : array-like of shape (n_times,)
        Strictly increasing times.
    cause : int, optional
        Cause of interest with competing risks; by default any event counts.

    Returns
    -------
    auc : array of shape (n_times,)
        NaN, with a warning, at times without cases or without controls.
    mean : float
        Mean over the times at which the AUC is defined. The weight of a time is the increase of the cumulative
        incidence of the test data since the previous time (Kaplan-Meier; Aalen-Johansen with ``cause``).

    Notes
    -----
    With delayed entry, controls must have entered before t, and G becomes the probability of being under observation,
    as in `concordance_index_ipcw`. Beyond the follow-up of the training data G is unknown; its smallest positive value
    is used there, with a `FollowUpWarning`.

    References
    ----------
    Uno, Cai, Tian, Wei, 2007, Evaluating prediction rules for t-year survivors. Blanche, Dartigues, Jacqmin-Gadda,
    2013, Estimating and comparing time-dependent areas under ROC curves for censored event times with competing risks.

    Examples
    --------
    >>> from hazboost.metrics import cumulative_dynamic_auc
    >>> y = ([True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0])
    >>> auc, mean = cumulative_dynamic_auc(y, y, [5.0, 4.0, 1.0, 2.0, 3.0], [1.5, 3.5])
    >>> auc.round(3).tolist(), round(mean, 3)
    ([1.0, 0.429], 0.673)
    """
    train, test, grid = one_row_target(y_train, "y_train"), one_row_target(y_test, "y_test"), as_grid(times)
    risks, event = as_risks(risk, len(test), len(grid)), event_of_interest(test, cause)
    observation, entry = Observation(train), start_of_risk(test)
    weight = _event_weights(test, event, cause, observation, grid[-1])
    # Without competing risks all controls have the same weight, which cancels. Not evaluating G(t) then also avoids a
    # needless FollowUpWarning at times beyond the training data.
    staying = np.ones(len(grid)) if cause is None else 1.0 / observation.under_observation(grid, "times")
    auc = np.empty(len(grid))
    # A risk that does not change over time is sorted only once.
    ranking = _Ranking(risks[:, 0])
    for k, time in enumerate(grid):
        if k > 0 and risks.shape[1] > 1:
            ranking = _Ranking(risks[:, k])
        left = test.lower <= time
        cases = np.where(left & event, weight, 0.0)
        present = ~left & (entry < time)
        # Subjects censored by t have weight 0 in both groups: it is unknown which of the two they belong to.
        auc[k] = ranking.area(cases, np.where(left & ~event, weight, 0.0) + staying[k] * present)
    if np.isnan(auc).any():
        warn_undefined(
            f"times: the AUC is not defined (NaN) at times {name_times(grid[np.isnan(auc)])}: by then no subject of "
            "y_test has had the event, or none is event-free. The mean is taken over the other times; use times at "
            "which there are both."
        )
    return auc, _mean(auc, test, grid, cause)


def _event_weights(test: Target, event: Mask, cause: int | None, observation: Observation, last: float) -> Array:
    """Inverse probability of observation of the events that are used at some time; 0 for all other subjects.

    Without ``cause`` these are the cases; with ``cause`` also the competing events, whose subjects are controls.
    """
    used = (event if cause is None else test.event) & (test.lower <= last)
    weight = np.zeros(len(test))
    weight[used] = 1.0 / observation.under_observation(test.lower[used], "event times of y_test")
    return weight


class _Ranking:
    """Subjects sorted by increasing risk, and the range of subjects tied with each of them."""

    def __init__(self, risk: Array) -> None:
        self.order = np.argsort(risk)
        self.lowest, self.highest = tied_range(risk[self.order], risk[self.order])

    def area(self, cases: Array, controls: Array) -> float:
        """Area under the ROC curve for weighted cases and controls; NaN if there are none of either."""
        below = np.concatenate([[0.0], np.cumsum(controls[self.order])])
        # [r_i > r_j] + [r_i = r_j] / 2 is the mean of the weights strictly below and up to the end of the ties.
        won = cases[self.order] @ (below[self.lowest] + below[self.highest])
        possible = cases.sum() * below[-1]
        return float(0.5 * won / possible) if possible > 0.0 else float("nan")


def _mean(auc: Array, test: Target, grid: Array, cause: int | None) -> float:
    """Mean AUC, each time weighted by the share of events since the previous time, as in scikit-survival."""
    if cause is None:
        incidence = 1.0 - evaluate_steps(kaplan_meier(test), grid, start=1.0)
    else:
        incidence = evaluate_steps(aalen_johansen(test, cause), grid, start=0.0)
    share = np.diff(incidence, prepend=0.0)
    defined = ~np.isnan(auc)
    total = share[defined].sum()
    return float(auc[defined] @ share[defined] / total) if total > 0.0 else float("nan")
