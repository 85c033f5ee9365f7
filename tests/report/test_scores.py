"""Scores of the report where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost import FPBoost, Surv
from hazboost.data.nonparametric import at_risk
from hazboost.data.target import Target
from hazboost.metrics import (
    concordance_index,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    d_calibration,
    integrated_brier_score,
    integrated_log_score,
)
from hazboost.report import forecasts, scores
from hazboost.report.forecasts import make_forecasts
from hazboost.report.judged import read_judged
from hazboost.report.scores import calibration_error, calibration_slope, d_calibration_of, observed_to_expected
from tests.report.study import simulate, simulate_ages, split


@pytest.fixture(scope="module")
def exponential():
    """Exponential times with known rates: target, rates, and cumulative hazards until the own times."""
    rng = np.random.default_rng(0)
    rate = np.exp(rng.normal(0.0, 0.8, 6000))
    time, censoring = rng.exponential(1.0 / rate), rng.exponential(2.0, 6000)
    seen = np.minimum(time, censoring)
    return Target.of(seen, np.where(time <= censoring, seen, np.inf)), rate, rate * seen


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_observed_to_expected_is_the_factor_by_which_hazards_are_wrong(exponential, factor):
    target, _, expected = exponential
    assert observed_to_expected(target, factor * expected, None) == pytest.approx(1.0 / factor, rel=0.05)


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0])
def test_slope_says_by_how_much_predictions_are_too_extreme(exponential, slope):
    target, rate, _ = exponential
    wrong = rate ** (1.0 / slope)  # logarithms of hazards are too extreme, or too cautious, by this factor
    assert calibration_slope(target, 3.0 * wrong * target.lower, np.log(wrong), None) == pytest.approx(slope, rel=0.1)


@pytest.fixture(scope="module")
def two_causes():
    """Two causes with constant hazards, of which a feature raises one and lowers the other: target and hazards."""
    rng = np.random.default_rng(0)
    x = rng.normal(0.0, 0.8, 6000)
    rates = np.column_stack([2.0 * np.exp(x), np.exp(-x)])
    times = rng.exponential(1.0 / rates)
    seen, cause = np.minimum(times.min(axis=1), 1.0), 1 + times.argmin(axis=1)
    cause[times.min(axis=1) > 1.0] = 0
    return Target.of(seen, np.where(cause > 0, seen, np.inf), cause=cause), rates


@pytest.mark.parametrize("cause", [1, 2])
def test_calibration_of_a_cause_counts_its_events_only(two_causes, cause):
    target, rates = two_causes
    rate, total = rates[:, cause - 1], rates.sum(axis=1)
    expected, incidence = rate * target.lower, rate / total * -np.expm1(-0.5 * total)
    assert observed_to_expected(target, expected, cause) == pytest.approx(1.0, rel=0.05)
    assert calibration_slope(target, expected, np.log(rate), cause) == pytest.approx(1.0, rel=0.1)
    assert calibration_error(target, incidence, 0.5, cause) < 0.02
    assert calibration_error(target, 0.5 * incidence, 0.5, cause) > 0.1


def test_calibration_error_is_a_mean_over_subjects():
    """Of 90 subjects half have had the event, of 10 none; everybody was predicted to survive."""
    time = np.repeat([0.5, 2.0], [45, 55])
    target = Target.of(time, np.where(time < 1.0, time, np.inf))
    predicted = np.repeat([0.9, 1.0], [90, 10])
    assert calibration_error(target, predicted, 1.0, None) == pytest.approx(0.9 * 0.4)


def test_calibration_error_is_small_for_the_truth(exponential):
    target, rate, _ = exponential
    assert calibration_error(target, np.exp(-rate), 1.0, None) < 0.02
    assert calibration_error(target, np.exp(-2.0 * rate), 1.0, None) > 0.1


def test_the_interval_of_a_difference_is_that_of_the_pairs():
    """Two scores that vary much, and always differ by 0.1; one sample had none."""
    samples = np.random.default_rng(0).normal(0.5, 1.0, 101)
    one = scores.Interval(0.6, np.append(samples + 0.1, np.nan))
    difference = one.minus(scores.Interval(0.5, np.append(samples, 0.0)))
    assert (difference.value, difference.low, difference.high) == pytest.approx((0.1, 0.1, 0.1))
    assert (one.low, one.high) == pytest.approx(tuple(np.quantile(samples + 0.1, [0.025, 0.975])))


def test_scores_are_those_of_the_metrics_and_cox_is_close_to_the_truth():
    data = split(*simulate(0, n=500), 0)
    model = FPBoost(n_estimators=15, random_state=0).fit(data.X_train, data.y_train)
    judged = read_judged(model, data.X_test, data.y_test, data.X_train, data.y_train)
    own, same, cox = judged.scores[0]
    survival = model.predict_survival_function(data.X_test, times=judged.grid)
    assert own["concordance"].value == pytest.approx(model.score(data.X_test, data.y_test))
    brier = integrated_brier_score(data.y_train, data.y_test, survival, judged.grid)
    assert own["integrated_brier"].value == pytest.approx(brier)
    assert own["concordance"].low < own["concordance"].value < own["concordance"].high
    assert same["concordance"].value == 0.5
    assert cox["integrated_brier"].value < same["integrated_brier"].value
    assert cox["concordance"].value == pytest.approx(own["concordance"].value, abs=0.05)


def test_scores_of_causes_are_those_of_the_metrics_given_entry(monkeypatch):
    monkeypatch.setattr(scores, "SAMPLES", 1)
    X, y = simulate(0, n=700, kind="competing")
    y = Surv.right(y["event"], y["time"], entry=np.where(np.arange(700) % 2, 0.6 * y["time"], 0.0))
    train, test = y[:400], y[400:]
    model = FPBoost(n_estimators=5, random_state=0).fit(X[:400], train)
    judged = read_judged(model, X[400:], test, X[:400], train)
    grid = judged.grid
    for cause, (own, *_) in zip((1, 2), judged.scores, strict=True):
        risk = model.predict(X[400:], cause=cause)
        incidence = model.predict_cumulative_incidence_function(
            X[400:], times=grid, cause=cause, alive_at=test["entry"]
        )
        alone = judged.distribution.of_cause(cause)
        at_entry, at_end = (alone.cumulative_hazard(test[name][:, None])[:, 0] for name in ("entry", "time"))
        level = np.log(alone.cumulative_hazard(np.array([judged.moment]))[:, 0])
        expected = {
            "concordance": concordance_index(test, risk, cause=cause),
            "concordance_ipcw": concordance_index_ipcw(train, test, risk, tau=grid[-1], cause=cause),
            "auc": cumulative_dynamic_auc(train, test, risk, [judged.moment], cause=cause)[0][0],
            "integrated_brier": integrated_brier_score(train, test, incidence, grid, cause=cause),
            "integrated_log": integrated_log_score(train, test, incidence, grid, cause=cause),
            "ratio": (test["event"] == cause).sum() / (at_end - at_entry).sum(),
            "slope": calibration_slope(judged.judged.target, at_end - at_entry, level, cause),
        }
        assert {name: own[name].value for name in expected} == pytest.approx(expected)


def test_incidences_of_cox_add_up_with_survival_given_entry(monkeypatch):
    monkeypatch.setattr(forecasts, "STEPS", 1_000)  # all times of events, of which a few are left out otherwise
    X, y = simulate(0, n=600, kind="competing")
    y = Surv.right(y["event"], y["time"], entry=np.where(np.arange(600) % 2, 0.6 * y["time"], 0.0))
    model = FPBoost(n_estimators=5, random_state=0).fit(X, y)
    judged = read_judged(model, X, y, X, y)
    each = [make_forecasts(judged, cause)[2] for cause in (1, 2)]
    whole = make_forecasts(judged, None)[2]
    total = each[0].probability + each[1].probability
    np.testing.assert_allclose(total, 1.0 - whole.probability, atol=1e-9)
    np.testing.assert_allclose(each[0].expected + each[1].expected, whole.expected, rtol=1e-8)
    assert concordance_index(y, each[0].risk, cause=1) > 0.58


@pytest.mark.parametrize("cause", [None, 1, 2])
def test_reference_is_remembered_by_the_model_without_training_rows(cause):
    data = split(*simulate(1, n=500, kind="weibull" if cause is None else "competing"), 0)
    model = FPBoost(n_estimators=3, random_state=0).fit(data.X_train, data.y_train)
    with_rows = read_judged(model, data.X_test, data.y_test, data.X_train, data.y_train)
    without = read_judged(model, data.X_test, data.y_test)
    np.testing.assert_allclose(
        make_forecasts(with_rows, cause)[1].probability, make_forecasts(without, cause)[1].probability, atol=0.02
    )
    assert len(make_forecasts(without, cause)) == 2


def test_with_age_as_the_time_scale_scores_begin_after_entries():
    """Half of the last age, where the times of other data may begin, is before all entries."""
    X, y = simulate(0, n=400)
    aged = Surv.right(y["event"], y["time"] + 50.0, entry=np.full(400, 50.0))
    model = FPBoost(n_estimators=5, random_state=0).fit(X, aged)
    grid = read_judged(model, X, aged).grid
    assert grid[0] > 50.0
    assert np.isfinite(integrated_brier_score(aged, aged, np.full((400, len(grid)), 0.5), grid))


def test_delayed_entry_conditions_predictions():
    X, y = simulate(0, n=400, kind="delayed")
    model = FPBoost(n_estimators=5, random_state=0).fit(X, y)
    judged = read_judged(model, X, y, X, y)
    late = y["entry"] > judged.grid[0]
    for forecast in make_forecasts(judged, None):
        assert (forecast.probability[late, 0] == 1.0).all()
        assert 0.7 < observed_to_expected(judged.judged.target, forecast.expected, None) < 1.4


def test_what_is_expected_of_late_subjects_counts_from_their_entry():
    """Subjects enter at ages at which half of the others are dead."""
    X, y = simulate_ages(0, n=1200)
    model = FPBoost(n_estimators=5, random_state=0).fit(X, y)
    judged = read_judged(model, X, y, X, y)
    for forecast in make_forecasts(judged, None):
        assert observed_to_expected(judged.judged.target, forecast.expected, None) == pytest.approx(1.0, abs=0.1)
    survival = [judged.distribution.survival(y[name][:, None])[:, 0] for name in ("entry", "time")]
    found = d_calibration(y, survival[1] / survival[0])
    p_value, shares = d_calibration_of(judged)
    assert p_value == pytest.approx(found.p_value)
    np.testing.assert_allclose(shares, found.counts / len(y))


def judge(y, **settings):
    """The evidence of a small model on its own training data."""
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    return read_judged(FPBoost(n_estimators=2, random_state=0, **settings).fit(X, y), X, y)


def test_scores_begin_and_end_with_the_events_however_late_they_are():
    time = 80.0 * np.random.default_rng(0).weibull(8.0, 300)
    y = Surv.right(time < 95.0, np.minimum(time, 95.0))
    ends = np.quantile(y["time"][y["event"]], [0.1, 0.9])
    assert judge(y).grid[[0, -1]] == pytest.approx(ends, rel=0.01)
    assert 0.5 * ends[1] < ends[0]


def test_scores_of_subjects_who_enter_late_are_known():
    """Nobody is under observation at half of the last time."""
    judged = judge(simulate_ages(0)[1])
    assert (at_risk(judged.judged.target, judged.grid) >= 10).all()
    assert all(np.isfinite(one["integrated_brier"].value) for one in judged.scores[0])


def test_samples_with_nobody_at_risk_for_a_while_have_no_weighted_scores():
    """Two subjects bridge the time until the others enter: without them a sample has an empty risk set."""
    rng = np.random.default_rng(0)
    time = np.r_[0.2, 0.3, 1.5, 1.0 + rng.weibull(1.5, 60)]
    y = Surv.right(np.ones(63, dtype=bool), time, entry=np.r_[0.0, 0.0, 0.1, np.full(60, 0.9)])
    weighted = judge(y, init="marginal").scores[0][0]["concordance_ipcw"]
    assert 10 < np.isnan(weighted.samples).sum() < 190
    assert weighted.known


@pytest.mark.filterwarnings("ignore:the fitted curves are poor", "ignore:y. .* events share")
@pytest.mark.parametrize(("n", "event_time"), [(60, 3.0), (8, None)])
def test_events_at_one_time_and_few_subjects_are_judged_over_some_time(n, event_time):
    time = np.arange(1.0, n + 1.0) if event_time is None else np.where(np.arange(n) % 2, event_time, 5.0)
    judged = judge(Surv.right(time != 5.0, time), init="marginal")
    assert not judged.spans_time
    assert judged.grid[0] == 0.5 * judged.grid[-1]
    assert np.isfinite(judged.scores[0][0]["integrated_brier"].value)
