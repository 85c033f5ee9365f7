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
    r"""Probability that a subject with the event until t has a higher risk than one without.

    .. math:: \mathrm{AUC}(t) = \frac{\sum_{i, j} w_i v_j \left([r_i > r_j] + \tfrac12 [r_i = r_j]\right)}
              {\sum_{i, j} w_i v_j}

    over cases :math:`i` with the event at :math:`t_i \le t` and weight :math:`w_i = 1 / G(t_i)`, and controls :math:`j`
    who are without event at :math:`t`, of equal weight. With a cause, cases have had an event of that cause, and
    whoever had another one until :math:`t` is a control too, with weight :math:`v_j = 1 / G(t_j)` beside
    :math:`1 / G(t)` for the others (Blanche et al., 2013, their second definition).

    Parameters
    ----------
    y_train, y_test : structured array, DataFrame, pair of arrays, or result of `Surv`
        What was observed; one row for each subject.
    risk : array-like of shape (n_test,) or (n_test, n_times)
        Higher means earlier; for each subject, or for each subject and time. Risks closer than 1e-8 are tied.
    times : array-like of shape (n_times,)
        Ascending times.
    cause : int, optional
        Cause of interest among competing ones; by default any event counts.

    Returns
    -------
    auc : array of shape (n_times,)
        NaN, with a warning, at times with no case or no control.
    mean : float
        Mean over the times at which the AUC is defined, each weighted with the share of the events (Kaplan-Meier, or
        with a cause Aalen-Johansen, of the test data) since the time before.

    Notes
    -----
    With delayed entry, controls have entered before t, and G becomes the probability of being under
    observation, as in `concordance_index_ipcw`. Beyond the training data G is not known; its smallest
    positive value is used, with a `FollowUpWarning`.

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
    weight = _weight_of_the_gone(test, event, cause, observation, grid[-1])
    # Without competing events all controls have the same weight, and any will do.
    staying = np.ones(len(grid)) if cause is None else 1.0 / observation.under_observation(grid, "times")
    auc = np.empty(len(grid))
    ranking = _Ranking(risks[:, 0])
    for k, time in enumerate(grid):
        if k > 0 and risks.shape[1] > 1:
            ranking = _Ranking(risks[:, k])
        gone = test.lower <= time
        cases = np.where(gone & event, weight, 0.0)
        present = ~gone & (entry < time)
        auc[k] = ranking.area(cases, np.where(gone & ~event, weight, 0.0) + staying[k] * present)
    if np.isnan(auc).any():
        warn_undefined(
            f"the AUC is not defined (NaN) at {name_times(grid[np.isnan(auc)])}: until then nobody of y_test had the "
            "event, or nobody is left without. The mean is over the other times."
        )
    return auc, _mean(auc, test, grid, cause)


def _weight_of_the_gone(test: Target, event: Mask, cause: int | None, observation: Observation, last: float) -> Array:
    """Inverse probability of having been observed, for whoever is a case or a competing control at some time."""
    used = (event if cause is None else test.event) & (test.lower <= last)
    weight = np.zeros(len(test))
    weight[used] = 1.0 / observation.under_observation(test.lower[used], "event times of y_test")
    return weight


class _Ranking:
    """Subjects in ascending order of risk, and who is tied with whom."""

    def __init__(self, risk: Array) -> None:
        self.order = np.argsort(risk)
        self.lowest, self.highest = tied_range(risk[self.order], risk[self.order])

    def area(self, cases: Array, controls: Array) -> float:
        """Area under the ROC curve of weighted cases and controls; NaN without one of them."""
        below = np.concatenate([[0.0], np.cumsum(controls[self.order])])
        won = cases[self.order] @ (below[self.lowest] + below[self.highest])
        possible = cases.sum() * below[-1]
        return float(0.5 * won / possible) if possible > 0.0 else float("nan")


def _mean(auc: Array, test: Target, grid: Array, cause: int | None) -> float:
    """Mean AUC, weighted with the share of events since the time before."""
    if cause is None:
        incidence = 1.0 - evaluate_steps(kaplan_meier(test), grid, start=1.0)
    else:
        incidence = evaluate_steps(aalen_johansen(test, cause), grid, start=0.0)
    share = np.diff(incidence, prepend=0.0)
    defined = ~np.isnan(auc)
    total = share[defined].sum()
    return float(auc[defined] @ share[defined] / total) if total > 0.0 else float("nan")
