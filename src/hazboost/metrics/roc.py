"""ROC curve at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.metrics.cases import Ranking, cases_and_controls
from hazboost.metrics.checks import as_grid, as_risks, check_single, one_row_target, warn_undefined
from hazboost.utils.arrays import Array


class RocCurve(NamedTuple):
    """Result of `cumulative_dynamic_roc`: one point for each threshold, from the highest to the lowest."""

    #: Share of the controls whose risk is the threshold or higher: one minus the specificity.
    false_positive: Array
    #: Share of the cases whose risk is the threshold or higher: the sensitivity.
    true_positive: Array
    #: Risks from which on subjects count as positive; infinity for the first point, where nobody does.
    threshold: Array
    #: Area under the curve, the AUC of `cumulative_dynamic_auc`.
    auc: float


def cumulative_dynamic_roc(
    y_train: Any, y_test: Any, risk: npt.ArrayLike, time: float, *, cause: int | None = None
) -> RocCurve:
    r"""Sensitivity against one minus specificity of a risk for having the event by a time.

    .. math:: \mathrm{TP}(c) = \frac{\sum_i w_i [r_i \ge c]}{\sum_i w_i}, \qquad
              \mathrm{FP}(c) = \frac{\sum_j v_j [r_j \ge c]}{\sum_j v_j}

    Cases :math:`i` have the event by the time, and controls :math:`j` are event-free then. They and their weights
    :math:`w_i` and :math:`v_j` are those of `cumulative_dynamic_auc`, which is the area under this curve.

    Parameters
    ----------
    y_train, y_test : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes, one row per subject. The censoring distribution :math:`G` is estimated from ``y_train``.
    risk : array-like of shape (n_test,)
        Risk of each subject; higher means an earlier event. Risks closer than 1e-8 are tied.
    time : float
        The time.
    cause : int, optional
        Cause of interest with competing risks; by default any event counts.

    Returns
    -------
    RocCurve
        A named tuple of ``false_positive``, ``true_positive``, ``threshold`` and ``auc``. The curve begins at (0, 0),
        ends at (1, 1), and is straight in between; tied risks are one threshold. Without any case the true positives
        are NaN, and without any control the false positives, with a warning.

    Notes
    -----
    Delayed entry, and times beyond the follow-up of the training data, are treated as in `cumulative_dynamic_auc`.
    Where risks are so dense that ties form chains, those tied with the highest of them are one threshold, and the area
    under the points differs from ``auc``, which compares all pairs, by less than the share of tied pairs.

    References
    ----------
    Uno, Cai, Tian, Wei, 2007, Evaluating prediction rules for t-year survivors. Blanche, Dartigues, Jacqmin-Gadda,
    2013, Estimating and comparing time-dependent areas under ROC curves for censored event times with competing risks.

    Examples
    --------
    >>> from hazboost.metrics import cumulative_dynamic_roc
    >>> y = ([True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0])
    >>> curve = cumulative_dynamic_roc(y, y, [5.0, 4.0, 1.0, 2.0, 3.0], 3.5)
    >>> curve.false_positive.tolist(), curve.true_positive.round(3).tolist()
    ([0.0, 0.0, 0.0, 0.5, 1.0, 1.0], [0.0, 0.429, 0.429, 0.429, 0.429, 1.0])
    >>> round(curve.auc, 3)
    0.429
    """
    check_alignment({"y_test": y_test, "risk": risk})
    train, test, grid = one_row_target(y_train, "y_train"), one_row_target(y_test, "y_test"), as_grid(time)
    check_single(grid)
    risks = as_risks(risk, len(test), len(grid))[:, 0]
    ((cases, controls),) = cases_and_controls(train, test, grid, cause)
    ranking = Ranking(risks)
    auc, starts = ranking.area(cases, controls), ranking.levels()
    if np.isnan(auc):
        warn_undefined(
            f"time: the ROC curve is not defined (NaN) at time {grid[0]:g}: by then no subject of y_test has had the "
            "event, or none is event-free. Use a time at which there are both."
        )
    return RocCurve(
        ranking.share_from(starts, controls),
        ranking.share_from(starts, cases),
        np.append(np.inf, risks[ranking.order][starts[1:]]),
        auc,
    )
