"""`hazboost.evaluate` against the metrics, and what it refuses."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from hazboost import FPBoost, Surv, evaluate, metrics
from hazboost.data.nonparametric import aalen_johansen, evaluate_steps, kaplan_meier
from hazboost.data.reading import as_target


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    time = rng.weibull(1.5, 300) * np.exp(-X[:, 0]) + 0.05
    entry = np.where(np.arange(300) % 3 == 0, 0.3 * time, 0.0)
    return X, Surv.right(rng.integers(0, 3, 300), time, entry=entry)


@pytest.fixture(scope="module")
def model(data):
    return FPBoost(n_estimators=5, random_state=0).fit(*data)


@pytest.mark.parametrize("cause", [None, 2])
def test_scores_are_those_of_the_metrics(cause, model, data):
    X, y = data
    scores = evaluate(model, X, y, cause)
    counted = y["event"] > 0 if cause is None else y["event"] == cause
    assert (scores["rows"], scores["events"]) == (300, counted.sum())
    assert scores["concordance"] == model.score(X, y, cause)
    grid = np.unique(np.quantile(y["time"][counted], np.linspace(0.1, 0.9, 100)))
    if cause is None:
        estimate = model.predict_survival_function(X, times=grid, alive_at=y["entry"])
    else:
        estimate = model.predict_cumulative_incidence_function(X, times=grid, cause=cause, alive_at=y["entry"])
    brier = metrics.integrated_brier_score(y, y, estimate, grid, cause=cause)
    assert scores["integrated_brier_score"] == pytest.approx(brier, rel=1e-12)
    assert (scores["brier_from"], scores["brier_to"]) == (grid[0], grid[-1])
    uno = metrics.concordance_index_ipcw(y, y, model.predict(X, cause), cause=cause)
    assert scores["concordance_ipcw"] == pytest.approx(uno, abs=1e-3)  # of logarithms, which may tie otherwise
    if cause is None:
        own = [S(t) / S(s) for S, t, s in zip(model.predict_survival_function(X), y["time"], y["entry"], strict=True)]
        expected = metrics.d_calibration(y, own)
        assert scores["d_calibration_statistic"] == pytest.approx(expected.statistic, rel=1e-9)
        assert scores["d_calibration_p_value"] == pytest.approx(expected.p_value, rel=1e-9)
    else:
        assert not [name for name in scores if name.startswith("d_calibration")]


@pytest.mark.parametrize("cause", [None, 2])
def test_without_features_everybody_has_the_estimate_given_entry(cause, model, data):
    X, y = data
    target, entry = as_target(y), y["entry"][:, None]
    survival = kaplan_meier(target)
    at_entry = evaluate_steps(survival, entry, start=1.0)
    counted = y["event"] > 0 if cause is None else y["event"] == cause
    grid = np.unique(np.quantile(y["time"][counted], np.linspace(0.1, 0.9, 100)))
    if cause is None:
        estimate = np.where(grid > entry, evaluate_steps(survival, grid, start=1.0) / at_entry, 1.0)
    else:
        of_cause = aalen_johansen(target, cause)
        gained = evaluate_steps(of_cause, grid, start=0.0) - evaluate_steps(of_cause, entry, start=0.0)
        estimate = np.where(grid > entry, gained / at_entry, 0.0)
    brier = metrics.integrated_brier_score(y, y, estimate, grid, cause=cause)
    assert evaluate(model, X, y, cause)["integrated_brier_score_kaplan_meier"] == pytest.approx(brier)


def test_the_unit_of_time_does_not_matter(data):
    X, y = data
    other = y.copy()
    other["time"] *= 1024.0
    other["entry"] *= 1024.0
    ours, theirs = (evaluate(FPBoost(n_estimators=2, random_state=0).fit(X, one), X, one) for one in (y, other))
    assert ours["concordance_ipcw"] == pytest.approx(theirs["concordance_ipcw"], rel=1e-9)


def test_one_warning_says_that_events_are_at_the_end_of_follow_up(model, data):
    """In words of this function, which has neither training data nor times to choose."""
    X, y = data
    late = Surv.right(y["event"], np.minimum(y["time"], 0.7))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(model, X, late)
    (warning,) = caught
    assert issubclass(warning.category, metrics.FollowUpWarning)
    assert warning.filename == __file__
    assert "y: some events are at the end of the follow-up, 0.7, when nobody is left" in str(warning.message)
    assert not any(word in str(warning.message) for word in ("y_train", "y_test", "tau", "times"))


def test_other_warnings_are_those_of_the_metrics(model, data):
    X, y = data
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        evaluate(model, X[:1], Surv.right([1], y["time"][:1]))


def test_with_nobody_under_observation_for_a_while_only_the_weighted_index_is_unknown(model, data):
    X, y = data
    later = Surv.right(np.r_[1, y["event"][1:]], np.r_[0.01, y["time"][1:] + 1.0], entry=np.r_[0.0, np.full(299, 0.5)])
    with pytest.warns(UndefinedMetricWarning, match="y: nobody is under observation for a while"):
        scores = evaluate(model, X, later)
    assert [name for name, score in scores.items() if np.isnan(score)] == ["concordance_ipcw"]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda y: Surv.right(np.zeros(300, dtype=bool), y["time"]), "y has no event to compare predictions with"),
        (lambda y: Surv.interval(y["time"], y["time"] + 1.0), "interval-censored; the metrics need exact event times"),
    ],
)
def test_other_outcomes_are_refused(spoil, message, model, data):
    with pytest.raises(ValueError, match=message):
        evaluate(model, data[0], spoil(data[1]))


@pytest.mark.parametrize("cause", [None, 1])
def test_other_rows_are_refused(cause, model, data):
    with pytest.raises(ValueError, match="y must have a row for each of the 300 rows of X; got 50"):
        evaluate(model, data[0], data[1][:50], cause)
