"""How well a model predicts for subjects that it has not seen: the usual scores in one table."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import aalen_johansen, kaplan_meier, probabilities_since_entry
from hazboost.data.reading import as_target
from hazboost.data.target import Target
from hazboost.metrics import FollowUpWarning, concordance_index_ipcw, d_calibration, integrated_brier_score
from hazboost.metrics.checks import one_row_target, warn_follow_up, warn_undefined
from hazboost.metrics.weights import EmptyRiskSetError
from hazboost.prediction.predictor import Predictor, check_one_outcome_each, log_risk
from hazboost.utils.arrays import Array, Mask
from hazboost.utils.devices import to_host

#: The integrated Brier score is a mean over so many times, between these quantiles of the event times.
TIMES, FIRST, LAST = 100, 0.1, 0.9


def evaluate(model: Predictor, X: Any, y: Any, cause: int | None = None) -> dict[str, float]:
    """Compare predictions with what was observed.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array, DataFrame or sparse matrix of shape (n, features)
        Subjects that the model was not fitted to.
    y : structured array, DataFrame, or pair of arrays
        Their outcomes as in `FPBoost.fit`, one row for each; they may have entered late.
    cause : int, optional
        With competing risks, evaluate the predictions for this cause; by default for any event.

    Returns
    -------
    dict of str to float
        ``rows`` and ``events``, which are whole numbers; ``concordance``, that of `FPBoost.score`, and
        ``concordance_ipcw``, with weights for censoring; ``integrated_brier_score`` from ``brier_from`` to
        ``brier_to``, the times of the first 10 % and of 90 % of the events, and
        ``integrated_brier_score_kaplan_meier``, that of predicting the Kaplan-Meier estimate (with a cause, Aalen and
        Johansen's) for everybody; without a cause ``d_calibration_statistic`` and ``d_calibration_p_value``, which are
        not defined for one of several. The Brier scores are NaN if all events have the same time, and
        ``concordance_ipcw`` if nobody is under observation for a while.

    Notes
    -----
    The probability of censoring and the Kaplan-Meier estimate are computed from ``y`` itself, which makes the latter
    look a little better than it is. `hazboost.metrics` has functions for every other need.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost import FPBoost, evaluate
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.ones(300, dtype=bool), rng.weibull(1.5, size=300) * np.exp(-X[:, 0])
    >>> model = FPBoost(n_estimators=20, random_state=0).fit(X[:200], (y[0][:200], y[1][:200]))
    >>> scores = evaluate(model, X[200:], (y[0][200:], y[1][200:]))
    >>> scores["integrated_brier_score"] < scores["integrated_brier_score_kaplan_meier"]
    True
    """
    check_alignment({"X": X, "y": y})
    target = one_row_target(as_target(y, causes_known=len(model.causes_) > 1), "y")
    counted = target.event if cause is None else target.cause == cause
    if not counted.any():
        kind = "" if cause is None else f" of cause {cause}"
        raise ValueError(f"y has no event{kind} to compare predictions with; use other subjects.")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FollowUpWarning)
        scores = _scores(model, X, target, counted, cause)
    _pass_on(caught, float(target.lower.max()))
    return scores


def _scores(model: Predictor, X: Any, target: Target, counted: Mask, cause: int | None) -> dict[str, float]:
    """The scores by name."""
    predicted = to_host(model.predict(X, cause))
    check_one_outcome_each(target, len(predicted))
    grid = np.unique(np.quantile(target.lower[counted], np.linspace(FIRST, LAST, TIMES)))
    scores = {
        "rows": len(target),
        "events": int(counted.sum()),
        "concordance": model._concordance(predicted, target, cause, None),
        "concordance_ipcw": _weighted_concordance(target, log_risk(predicted, cause), cause),
        "integrated_brier_score": _brier(target, _estimate(model, X, target, grid, cause), grid, cause),
        "integrated_brier_score_kaplan_meier": _brier(target, _without_features(target, grid, cause), grid, cause),
        "brier_from": float(grid[0]),
        "brier_to": float(grid[-1]),
    }
    if cause is None:
        calibration = d_calibration(target, model._survival_at_own_times(X, target))
        scores["d_calibration_statistic"] = float(calibration.statistic)
        scores["d_calibration_p_value"] = float(calibration.p_value)
    return scores


def _pass_on(caught: list[warnings.WarningMessage], end: float) -> None:
    """Give the warnings of the metrics again, those about the follow-up as one.

    The metrics speak of training data and of times that the user may choose, and there is neither here.
    """
    for one in caught:
        if not issubclass(one.category, FollowUpWarning):
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    if any(issubclass(one.category, FollowUpWarning) for one in caught):
        warn_follow_up(
            f"y: some events are at the end of the follow-up, {end:g}, when nobody is left under observation; "
            "concordance_ipcw and the Brier scores only approximate the weights for censoring there. Use subjects who "
            "are followed for longer, or read these scores with care."
        )


def _weighted_concordance(target: Target, risk: Array, cause: int | None) -> float:
    try:
        return concordance_index_ipcw(target, target, risk, cause=cause)
    except EmptyRiskSetError:
        warn_undefined(
            "y: nobody is under observation for a while, until others enter, so that the weights for censoring cannot "
            "be estimated and concordance_ipcw is not defined (NaN); leave out the subjects who leave before that."
        )
        return float("nan")


def _brier(target: Target, estimate: Array, grid: Array, cause: int | None) -> float:
    if len(grid) < 2:
        return float("nan")  # all events at one time
    return integrated_brier_score(target, target, estimate, grid, cause=cause)


def _estimate(model: Predictor, X: Any, target: Target, grid: Array, cause: int | None) -> Array:
    """Survival, or the incidence of a cause; whoever entered late is known to have had no event before."""
    if cause is None:
        survival: Array = to_host(model.predict_survival_function(X, times=grid, alive_at=target.entry))
        return survival
    incidence = model.predict_cumulative_incidence_function(X, times=grid, cause=cause, alive_at=target.entry)
    return np.asarray(incidence)


def _without_features(target: Target, grid: Array, cause: int | None) -> Array:
    """What is predicted for everybody without features: Kaplan-Meier, or Aalen-Johansen for one cause.

    It is estimated from the same subjects, and conditional on being event-free at entry.
    """
    incidence = None if cause is None else aalen_johansen(target, cause)
    return probabilities_since_entry(kaplan_meier(target), incidence, grid, target.entry)
