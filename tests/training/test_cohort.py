"""What a model remembers of the people on whom it was trained."""

import numpy as np
import pytest
from lifelines import AalenJohansenFitter, KaplanMeierFitter
from sksurv.datasets import load_gbsg2

from hazboost import FPBoost, Surv
from hazboost.training import cohort as module

QUICK = {"init": "marginal", "n_estimators": 2, "random_state": 0}


@pytest.fixture(scope="module")
def competing():
    rng = np.random.default_rng(0)
    n = 300
    return rng.normal(size=(n, 2)), rng.integers(0, 3, n), rng.exponential(2.0, n) + 0.1


def test_numbers_and_curves_are_those_of_lifelines():
    X, y = load_gbsg2()
    cohort = FPBoost(**QUICK).fit(X, y).cohort_
    event, time = y["cens"], y["time"]
    fitter = KaplanMeierFitter().fit(time, event)
    assert (cohort.subjects, cohort.events.tolist()) == (686, [299.0])
    assert cohort.follow_up == KaplanMeierFitter().fit(time, ~event).median_survival_time_
    assert cohort.times[[0, -1]].tolist() == [0.0, time.max()]
    np.testing.assert_allclose(1.0 - cohort.observed[0], fitter.survival_function_at_times(cohort.times), atol=1e-12)
    assert len(cohort.features) == X.shape[1]


def test_causes_have_the_incidence_of_lifelines(competing):
    X, cause, time = competing
    cohort = FPBoost(**QUICK).fit(X, Surv.right(cause, time)).cohort_
    assert cohort.events.tolist() == [(cause == 1).sum(), (cause == 2).sum()]
    for i in (1, 2):
        fitter = AalenJohansenFitter(calculate_variance=False).fit(time, cause, event_of_interest=i)
        steps = fitter.cumulative_density_
        known = steps.iloc[np.searchsorted(steps.index, cohort.times, side="right") - 1, 0]
        np.testing.assert_allclose(cohort.observed[i - 1], known, atol=1e-12)


def test_follow_up_counts_from_entry(competing):
    X, cause, time = competing
    entry = np.random.default_rng(1).uniform(40.0, 75.0, len(X))
    from_zero, late = (
        FPBoost(**QUICK).fit(X, y)
        for y in (Surv.right(cause > 0, time), Surv.right(cause > 0, entry + time, entry=entry))
    )
    assert late.cohort_.follow_up == pytest.approx(from_zero.cohort_.follow_up)
    assert f"median {late.cohort_.follow_up:.4g} since entry, latest time {(entry + time).max():.4g}" in str(
        late.summary()
    )


def test_expected_curves_are_means_of_predictions(competing):
    X, cause, time = competing
    model = FPBoost(**QUICK).fit(X, Surv.right(cause, time))
    predicted = model.predict_cumulative_incidence_function(X, cause=2, times=model.cohort_.times)
    np.testing.assert_allclose(model.cohort_.expected[1], np.asarray(predicted).mean(axis=0), rtol=1e-10)


def test_expected_curves_are_means_over_subjects_by_their_weights(competing):
    """A row counts by its part of the time of its subject."""
    X, cause, time = competing
    person, weight = np.arange(300) // 2, np.repeat(np.random.default_rng(1).uniform(0.5, 4.0, 150), 2)
    first = np.arange(300) % 2 == 0
    start = np.where(first, 0.0, np.roll(time, 1))
    y = Surv.counting(start, start + time, (cause > 0) & ~first, id=person)
    model = FPBoost(**QUICK).fit(X, y, sample_weight=weight)
    whole = np.bincount(person, time)[person]
    predicted = 1.0 - model.predict_survival_function(X, times=model.cohort_.times)
    np.testing.assert_allclose(model.cohort_.expected[0], np.average(predicted, axis=0, weights=weight * time / whole))
    assert np.isnan(model.cohort_.follow_up)


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")
def test_what_cannot_be_observed_is_missing(competing):
    X, _, time = competing
    interval = FPBoost(**QUICK).fit(X, Surv.interval(time, time + 1.0)).cohort_
    assert np.isnan(interval.observed).all()
    assert np.isnan(interval.follow_up)
    assert interval.events[0] == pytest.approx(len(X))
    assert np.isfinite(interval.expected).all()


def test_many_rows_are_drawn(competing, monkeypatch):
    monkeypatch.setattr(module, "MOST_SUBJECTS", 50)
    X, cause, time = competing
    y = cause > 0, time
    cohort = FPBoost(**QUICK).fit(X, y).cohort_
    assert cohort.subjects == len(X)
    assert cohort.events.sum() == (cause > 0).sum()
    assert len(cohort.times) <= 50 + 2  # events of drawn rows, zero and the longest
    assert cohort.times[-1] == time.max()
