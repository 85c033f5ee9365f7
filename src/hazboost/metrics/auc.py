"""Time-dependent area under the ROC curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import aalen_johansen, evaluate_steps, kaplan_meier
from hazboost.data.target import Target
from hazboost.metrics.cases import Ranking, cases_and_controls
from hazboost.metrics.checks import as_grid, as_risks, name_times, one_row_target, warn_undefined
from hazboost.utils.arrays import Array


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
    check_alignment({"y_test": y_test, "risk": risk})
    train, test, grid = one_row_target(y_train, "y_train"), one_row_target(y_test, "y_test"), as_grid(times)
    risks = as_risks(risk, len(test), len(grid))
    auc = np.empty(len(grid))
    # A risk that does not change over time is sorted only once.
    ranking = Ranking(risks[:, 0])
    for k, (cases, controls) in enumerate(cases_and_controls(train, test, grid, cause)):
        if k > 0 and risks.shape[1] > 1:
            ranking = Ranking(risks[:, k])
        auc[k] = ranking.area(cases, controls)
    if np.isnan(auc).any():
        warn_undefined(
            f"times: the AUC is not defined (NaN) at times {name_times(grid[np.isnan(auc)])}: by then no subject of "
            "y_test has had the event, or none is event-free. The mean is taken over the other times; use times at "
            "which there are both."
        )
    return auc, _mean(auc, test, grid, cause)


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
