"""Residuals: what happened to each subject, compared with the hazard that was predicted for its time at risk."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.metrics.checks import as_cumulative_hazards, event_of_interest, one_row_target
from hazboost.utils.arrays import Array


class SubjectResiduals(NamedTuple):
    """Result of `residuals`, with one value for each subject."""

    #: The predicted cumulative hazard itself. Of a correct model, a censored sample of the unit exponential
    #: distribution.
    cox_snell: Array
    #: Events that happened less events that were expected, at most 1. Of a correct model the mean is zero.
    martingale: Array
    #: The same on a scale on which it is nearly symmetric, unless many subjects are censored. Of a correct model the
    #: mean is 0.34 if nobody is censored, and lower with censoring.
    deviance: Array


def residuals(y: Any, cumulative_hazard: npt.ArrayLike, *, cause: int | None = None) -> SubjectResiduals:
    r"""Cox-Snell, martingale and deviance residuals.

    With :math:`H_i` predicted for the time at risk of a subject, and :math:`\delta_i = 1` if it had the event, else 0:

    .. math:: r_i = H_i, \qquad M_i = \delta_i - H_i, \qquad
              D_i = \operatorname{sign}(M_i) \sqrt{2 \, (H_i - \delta_i - \delta_i \log H_i)}

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes, one row per subject.
    cumulative_hazard : array-like of shape (n,)
        Predicted cumulative hazard of each subject at its own observed time; with delayed entry, since entry:
        ``H(time) - H(entry)``.
    cause : int, optional
        With competing risks, count only events of this cause, and pass its cumulative hazard. By default any event
        counts, and the hazard is that of all causes.

    Returns
    -------
    SubjectResiduals
        A named tuple of ``cox_snell``, ``martingale`` and ``deviance``, each of shape (n,).

    Notes
    -----
    A subject who had an event without any predicted hazard has an infinite deviance residual.

    Martingale residuals of the subjects that a model was trained with add up to about zero however poor it is, because
    the likelihood chooses the level of the hazard so. Schoenfeld residuals are for the coefficients of models with
    proportional hazards, and have no meaning for others.

    References
    ----------
    Cox, Snell, 1968, A general definition of residuals. Therneau, Grambsch, Fleming, 1990, Martingale-based residuals
    for survival models.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost.metrics import residuals
    >>> residuals(([1, 0], [2.0, 3.0]), [0.5, 0.5]).martingale
    array([ 0.5, -0.5])
    """
    check_alignment({"y": y, "cumulative_hazard": cumulative_hazard})
    target = one_row_target(y, "y")
    hazard = as_cumulative_hazards(cumulative_hazard, len(target))
    event = event_of_interest(target, cause).astype(np.float64)
    martingale = event - hazard
    # Events that were impossible by the model: the logarithm is never taken.
    possible = hazard > 0.0
    log_hazard = np.log(np.where(possible, hazard, 1.0))
    half_square = np.where((event > 0.0) & ~possible, np.inf, -martingale - event * log_hazard)
    # Rounding may make it negative where the hazard is 1 at an event.
    deviance = np.sign(martingale) * np.sqrt(2.0 * np.maximum(half_square, 0.0))
    return SubjectResiduals(hazard, martingale, deviance)
