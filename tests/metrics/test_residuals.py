"""Residuals against the distribution that they have by the true model, against lifelines, and their sums."""

import numpy as np
import pytest
from lifelines import CoxPHFitter, KaplanMeierFitter
from lifelines.datasets import load_rossi
from scipy.integrate import quad

from hazboost import FPBoost, Surv
from hazboost.metrics import residuals


def draw(rng, n, *, entry=False):
    """Weibull times of two causes, with censoring and perhaps delayed entry: y, and the cumulative hazards at risk."""
    rates = np.exp(0.5 * rng.normal(size=(2, 3 * n)))
    shapes = np.array([[1.4], [0.7]])
    times = (rng.exponential(size=rates.shape) / rates) ** (1.0 / shapes)
    cause, time = times.argmin(axis=0) + 1, times.min(axis=0)
    start = rng.uniform(0.01, 0.4, 3 * n) if entry else np.zeros(3 * n)
    end = np.minimum(time, start + rng.exponential(1.0, 3 * n))
    rows = np.flatnonzero(time > start)[:n]
    hazards = rates * (end**shapes - start**shapes)
    y = Surv.right(np.where(time <= end, cause, 0)[rows], end[rows], entry=start[rows])
    return y, hazards[:, rows]


@pytest.mark.parametrize("entry", [False, True])
@pytest.mark.parametrize("cause", [None, 1, 2])
def test_by_the_true_model_they_are_a_censored_exponential_sample(entry, cause):
    y, hazards = draw(np.random.default_rng(0), 20_000, entry=entry)
    found = residuals(y, hazards.sum(axis=0) if cause is None else hazards[cause - 1], cause=cause)
    event = y["event"] > 0 if cause is None else y["event"] == cause
    at = np.array([0.1, 0.3, 0.6, 1.0])
    estimate = KaplanMeierFitter().fit(found.cox_snell, event).predict(at)
    np.testing.assert_allclose(estimate, np.exp(-at), atol=0.015)
    assert abs(found.martingale.mean()) < 3.0 * found.martingale.std() / np.sqrt(20_000)


def test_they_are_those_of_lifelines():
    """Of a Cox model, whose cumulative hazards lifelines has at the subjects' own times."""
    rossi = load_rossi()
    cox = CoxPHFitter().fit(rossi, "week", "arrest")
    week = rossi["week"].to_numpy()
    hazards = cox.predict_cumulative_hazard(rossi, times=np.unique(week))
    own = [hazards.loc[time, row] for row, time in enumerate(week)]
    found = residuals((rossi["arrest"].to_numpy(), week), own)
    for kind in ("martingale", "deviance"):
        expected = cox.compute_residuals(rossi, kind).sort_index()[kind]
        np.testing.assert_allclose(getattr(found, kind), expected, rtol=1e-6)


def test_those_of_training_sum_to_about_zero():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    time, censoring = rng.weibull(1.5, 500) * np.exp(-0.5 * X[:, 0]), rng.uniform(0.2, 3.0, 500)
    event, end = time <= censoring, np.minimum(time, censoring)
    model = FPBoost(n_estimators=30, random_state=0).fit(X, (event, end))
    hazard = [H(t) for H, t in zip(model.predict_cumulative_hazard_function(X), end, strict=True)]
    found = residuals((event, end), hazard)
    assert abs(found.martingale.sum()) < 0.03 * event.sum()


def test_extreme_hazards():
    found = residuals(([1, 1, 0, 0, 1], [1.0] * 5), [0.0, 1.0, 0.0, 1e300, -1e-9])
    np.testing.assert_array_equal(found.martingale, [1.0, 0.0, 0.0, -1e300, 1.0])
    np.testing.assert_allclose(found.deviance, [np.inf, 0.0, 0.0, -np.sqrt(2e300), np.inf])


@pytest.mark.parametrize(
    ("hazard", "message"),
    [
        ([0.5], r"cumulative_hazard must have one value for each of the 2 subjects, at its own time; got shape \(1,\)"),
        ([0.5, -1.0], r"cumulative_hazard must be finite and not negative; got -1.0 \(row 1\)"),
        ([np.inf, np.nan], r"cumulative_hazard must be finite and not negative; got inf \(row 0\), nan \(row 1\)"),
    ],
)
def test_wrong_hazards_are_refused(hazard, message):
    with pytest.raises(ValueError, match=message):
        residuals(([1, 0], [1.0, 2.0]), hazard)


def test_intervals_and_several_rows_are_refused():
    with pytest.raises(ValueError, match="row 0 is interval-censored"):
        residuals(Surv.interval([1.0], [2.0]), [0.5])
    with pytest.raises(ValueError, match="of a subject with several rows"):
        residuals(Surv.counting([0.0, 1.0], [1.0, 2.0], [0, 1], [7, 7]), [0.5, 0.5])


def test_deviance_residuals_of_a_correct_model_are_symmetric_but_not_about_zero():
    """Without censoring their mean is an integral over the unit exponential distribution, 0.34; with it, less."""

    def of(hazard, event):
        return residuals((event, hazard), hazard)

    expected, _ = quad(lambda h: of(np.array([h]), [1]).deviance[0] * np.exp(-h), 0.0, 50.0, points=[1.0], limit=200)
    assert round(expected, 2) == 0.34
    rng = np.random.default_rng(0)
    hazard, end = rng.exponential(size=(2, 100_000))
    complete = of(hazard, np.ones(len(hazard)))
    assert complete.martingale.mean() == pytest.approx(0.0, abs=0.02)
    assert complete.deviance.mean() == pytest.approx(expected, abs=0.02)
    assert np.median(complete.deviance) == pytest.approx(expected, abs=0.02)
    censored = of(np.minimum(hazard, 0.2 * end), hazard <= 0.2 * end)
    assert censored.martingale.mean() == pytest.approx(0.0, abs=0.02)
    assert censored.deviance.mean() < -0.1
