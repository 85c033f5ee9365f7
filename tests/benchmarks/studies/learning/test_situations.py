"""The true curves are those of what is drawn."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.studies.learning.situations import COLUMNS, QUANTILES, SITUATIONS, draw, observe, times_of
from hazboost.data.nonparametric import evaluate_steps, kaplan_meier
from hazboost.data.reading import as_target

N = 20_000


@pytest.fixture(scope="module", params=list(SITUATIONS))
def name(request):
    return request.param


def test_times_are_quantiles_of_the_event_time(name):
    survival = draw(name, N, np.random.default_rng(0)).survival(times_of(name))
    np.testing.assert_allclose(survival.mean(axis=0), 1.0 - QUANTILES, atol=0.01)


def test_truth_agrees_with_the_kaplan_meier_curve_of_the_data(name):
    """Over all rows, and where the first feature is positive."""
    sample = observe(name, N, np.random.default_rng(1))
    subjects = draw(name, N, np.random.default_rng(1))
    times = times_of(name)[:16]
    truth = subjects.survival(times)
    assert np.array_equal(sample.X, subjects.X)
    for rows in (np.ones(N, dtype=bool), sample.X[:, 0] > 0.0):
        seen = as_target((sample.event[rows] > 0, sample.time[rows]))
        found = evaluate_steps(kaplan_meier(seen), times, start=1.0)
        np.testing.assert_allclose(found, truth[rows].mean(axis=0), atol=0.02)


def test_each_subject_has_its_own_curve(name):
    """Of one subject, drawn many times: the law is right given the features, not only on average."""
    X = np.repeat(np.random.default_rng(2).normal(size=(1, COLUMNS)), N, axis=0)
    rng, times = np.random.default_rng(3), times_of(name)
    laws = SITUATIONS[name].laws(X)
    alive = np.min([law.draw(rng) for law in laws], axis=0)[:, None] > times
    truth = np.prod([law.survival(times)[0] for law in laws], axis=0)
    np.testing.assert_allclose(alive.mean(axis=0), truth, atol=2.0 / np.sqrt(N))


def test_incidence_of_the_first_cause_is_its_share():
    subjects, times = draw("causes", N, np.random.default_rng(4)), times_of("causes")
    happened = (subjects.cause == 1)[:, None] & (subjects.time[:, None] <= times)
    found = subjects.incidence(times)
    for rows in (subjects.X[:, 0] > 0.0, subjects.X[:, 3] > 0.0):
        np.testing.assert_allclose(found[rows].mean(axis=0), happened[rows].mean(axis=0), atol=0.015)


def test_shares_of_the_causes_add_up():
    subjects, times = draw("causes", 50, np.random.default_rng(5)), times_of("causes")
    other = subjects._replace(laws=subjects.laws[::-1])
    total = subjects.incidence(times) + other.incidence(times) + subjects.survival(times)
    np.testing.assert_allclose(total, 1.0, atol=1e-4)


def test_share_of_censored_rows(name):
    assert 0.2 <= np.mean(observe(name, 5_000, np.random.default_rng(6)).event == 0) <= 0.45
