"""The true survival functions are those of what is drawn, and observation does to it what it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.harness import laws
from benchmarks.studies.truth.situations import SITUATIONS, draw, first_of_two_causes, observe, scale_of, two_causes

N = 20_000


@pytest.fixture(scope="module", params=list(SITUATIONS))
def name(request):
    return request.param


def test_there_are_many_situations_with_titles_of_their_own():
    assert len(SITUATIONS) >= 22
    assert len({situation.title for situation in SITUATIONS.values()}) == len(SITUATIONS)


def test_truth_agrees_with_a_large_sample(name):
    """Over all subjects, and in the four groups by the signs of two features, where effects and interactions show."""
    subjects = draw(SITUATIONS[name], N, np.random.default_rng(1))
    times = np.linspace(0.0, scale_of(name).horizon, 41)
    alive, truth = subjects.time[:, None] > times, subjects.law.survival(times)
    quadrant = 2 * (subjects.X[:, 0] > 0.0) + (subjects.X[:, 1] > 0.0)
    for rows in (quadrant >= 0, *(quadrant == number for number in range(4))):
        np.testing.assert_allclose(alive[rows].mean(axis=0), truth[rows].mean(axis=0), atol=2.0 / np.sqrt(rows.sum()))


def test_truth_is_a_survival_function(name):
    subjects = draw(SITUATIONS[name], 50, np.random.default_rng(2))
    truth = subjects.law.survival(np.linspace(0.0, 2.0 * scale_of(name).horizon, 200))
    assert truth.shape == (50, 200)
    assert np.isfinite(truth).all()
    assert np.allclose(truth[:, 0], 1.0)
    assert (np.diff(truth, axis=1) <= 1e-15).all()
    assert truth.min() >= 0.0


def test_each_subject_has_its_own_curve(name):
    """Of one subject, drawn many times: the law is right given the features, not only on average."""
    situation = SITUATIONS[name]
    one = draw(situation, 1, np.random.default_rng(3)).X
    law = situation.law(np.repeat(one, N, axis=0))
    time, times = law.draw(np.random.default_rng(4)), np.linspace(0.0, scale_of(name).horizon, 21)
    truth = law.survival(times)
    assert np.ptp(truth, axis=0).max() == 0.0
    np.testing.assert_allclose((time[:, None] > times).mean(axis=0), truth[0], atol=2.0 / np.sqrt(N))


def test_data_have_the_rows_that_were_asked_for(name):
    sample = observe(name, 300, np.random.default_rng(5))
    assert sample.X.shape == (300, SITUATIONS[name].columns)
    assert sample.event.shape == sample.time.shape == (300,)
    assert np.isfinite(sample.time).all()
    assert (sample.entry is not None) == (name == "delayed_entry")
    assert (sample.upper is not None) == (name == "intervals")


def test_data_can_be_drawn_again(name):
    first, second = (observe(name, 50, np.random.default_rng(6)) for _ in range(2))
    assert np.array_equal(first.X, second.X)
    assert np.array_equal(first.time, second.time)


def test_share_of_censored_rows(name):
    sample = observe(name, 5_000, np.random.default_rng(7))
    low, high = {"mostly_censored": (0.88, 0.92), "intervals": (0.0, 0.1), "cure": (0.5, 0.7)}.get(name, (0.3, 0.52))
    assert low <= np.mean(sample.event == 0) <= high


def test_delayed_entry_leaves_out_early_events():
    sample = observe("delayed_entry", 2_000, np.random.default_rng(8))
    assert (sample.entry < sample.time).all()
    assert sample.entry.max() > 0.9 * scale_of("delayed_entry").median


def test_intervals_contain_the_event():
    situation, rng = SITUATIONS["intervals"], np.random.default_rng(9)
    subjects = draw(situation, 2_000, rng)
    sample = situation.observe(subjects.X, subjects.time, rng, scale_of("intervals"))
    assert (sample.time < subjects.time).all()
    assert (subjects.time <= sample.upper).all()
    assert np.array_equal(sample.event, np.isfinite(sample.upper))


@pytest.mark.parametrize(("name", "limit"), [("normal_280_outlier", 2_800.0), ("age_999", 999.0)])
def test_one_time_is_far_beyond_the_others(name, limit):
    sample = observe(name, 500, np.random.default_rng(10))
    assert not sample.event[-1]
    assert sample.time[-1] == limit
    assert sample.time[:-1].max() < limit / 5.0


def test_causes_come_in_proportion_to_their_hazards():
    """The share of the first cause by the integral of its hazard is that of the earlier of two times."""
    rng = np.random.default_rng(11)
    X = np.repeat([[0.5, -0.3, 0.2]], N, axis=0)
    first = laws.weibull(0.8 * X[:, 0] - 0.6 * X[:, 1] + 0.4 * X[:, 2], 1.5).draw(rng)
    second = laws.weibull(-0.5 * X[:, 0], 0.8, 2.0).draw(rng)
    assert first_of_two_causes(X, two_causes(X).draw(rng)).mean() == pytest.approx(np.mean(first < second), abs=0.015)


def test_bisection_reaches_the_level_to_double_precision():
    """A cumulative hazard t^3 at times 1e-6 to 1e6."""
    level = np.logspace(-18, 18, 13)[:, None]
    np.testing.assert_allclose(laws._invert(lambda t: t**3, level)[:, 0], np.logspace(-6, 6, 13), rtol=1e-9)
