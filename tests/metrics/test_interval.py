"""Standard errors of the concordance: against derivatives, R, the bootstrap, and repeated samples."""

import time as clock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lifelines import CoxPHFitter
from lifelines.datasets import load_lung
from scipy.special import logit
from sklearn.exceptions import UndefinedMetricWarning

from hazboost import Surv
from hazboost.metrics import concordance_difference, concordance_index, concordance_interval

STEP = 1e-4


@pytest.fixture(scope="module")
def lung():
    table = load_lung()
    return table, (table["status"].to_numpy() == 1, table["time"].to_numpy(dtype=float))


def slopes(y, risk, subject, cause):
    """Derivative of the concordance with respect to the weight of each subject."""

    def moved(chosen, step):
        weight = np.where(subject == chosen, 1.0 + step, 1.0)
        return concordance_index(y, risk, cause=cause, sample_weight=weight)

    return np.array([(moved(one, STEP) - moved(one, -STEP)) / (2.0 * STEP) for one in np.unique(subject)])


def check(y, risk, other, subject, cause):
    concordances = [concordance_index(y, one, cause=cause) for one in (risk, other)]
    if not all(0.0 < one < 1.0 for one in concordances):
        return
    first, second = (slopes(y, one, subject, cause) for one in (risk, other))
    found = concordance_interval(y, risk, cause=cause)
    assert found.estimate == pytest.approx(concordances[0], abs=1e-12)
    assert found.standard_error == pytest.approx(np.linalg.norm(first), abs=1e-6)
    found = concordance_difference(y, risk, other, cause=cause)
    assert found.estimate == pytest.approx(concordances[0] - concordances[1], abs=1e-12)
    assert found.standard_error == pytest.approx(np.linalg.norm(first - second), abs=1e-6)


@pytest.mark.parametrize("cause", [None, 1])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore:.* no two subjects")
@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_it_is_the_infinitesimal_jackknife(examples, as_y, cause, data):
    rows, _, _, _ = data.draw(examples)
    risks = [data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))) for _ in range(2)]
    check(as_y(rows), *(np.array(risk, dtype=float) for risk in risks), np.arange(len(rows)), cause)


def test_with_several_rows_subjects_are_what_varies():
    rng = np.random.default_rng(0)
    subject = np.repeat(np.arange(20), 2)
    middle, end = rng.uniform(0.1, 1.0, 20), rng.uniform(1.0, 3.0, 20)
    start, stop = np.ravel([np.zeros(20), middle], "F"), np.ravel([middle, end], "F")
    event = (rng.random(40) < 0.7) & (np.arange(40) % 2 == 1)
    y = Surv.counting(start, stop, event, id=subject)
    check(y, rng.normal(size=40), rng.normal(size=40).round(), subject, None)
    # A row cut in two is the same subject.
    whole, risk = Surv.right(event[1::2], end), rng.normal(size=20)
    np.testing.assert_allclose(concordance_interval(y, np.repeat(risk, 2)), concordance_interval(whole, risk))


@pytest.mark.parametrize(
    ("features", "expected"),
    [(["age"], (0.55, 0.025)), (["sex"], (0.579, 0.021)), (["age", "sex"], (0.603, 0.025))],
)
def test_agrees_with_r(lung, features, expected):
    """``summary(coxph(Surv(time, status) ~ age + sex, lung))`` prints ``Concordance= 0.603  (se = 0.025 )``."""
    table, y = lung
    model = CoxPHFitter().fit(table[["time", "status", *features]], "time", "status")
    found = concordance_interval(y, model.predict_log_partial_hazard(table))
    assert (round(found.estimate, 3), round(found.standard_error, 3)) == expected


def test_agrees_with_the_bootstrap(lung):
    table, (event, time) = lung
    age, sex = table["age"].to_numpy(dtype=float), -table["sex"].to_numpy(dtype=float)
    rng = np.random.default_rng(0)
    draws = rng.integers(len(time), size=(300, len(time)))
    values = np.array([[concordance_index((event[i], time[i]), risk[i]) for risk in (age, sex)] for i in draws])
    for risk, spread in zip((age, sex), values.std(axis=0), strict=True):
        assert concordance_interval((event, time), risk).standard_error == pytest.approx(spread, rel=0.12)
    difference = concordance_difference((event, time), sex, age)
    assert difference.standard_error == pytest.approx((values[:, 1] - values[:, 0]).std(), rel=0.12)


def test_intervals_contain_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)

    def sample(n):
        x, noise = rng.normal(size=(2, n))
        time, censoring = rng.exponential(np.exp(-1.5 * x)), rng.exponential(2.0, n)
        return (time <= censoring, np.minimum(time, censoring)), x, x + noise

    y, better, worse = sample(200_000)
    truth = concordance_index(y, better), concordance_index(y, better) - concordance_index(y, worse)
    covered = np.zeros(2)
    for _ in range(400):
        y, better, worse = sample(60)
        intervals = concordance_interval(y, better, level=0.8), concordance_difference(y, better, worse, level=0.8)
        covered += [one.low <= value <= one.high for one, value in zip(intervals, truth, strict=True)]
    # Four standard errors of 400 repetitions.
    np.testing.assert_allclose(covered / 400, 0.8, atol=0.08)


@pytest.mark.parametrize(("n", "mean_censoring", "coverage"), [(100, 2.0, 0.948), (40, 0.4, 0.913)])
def test_coverage_depends_on_the_number_of_events(n, mean_censoring, coverage):
    """What the documentation says: 64 events on average are enough, and with 13 intervals are too narrow."""
    rng = np.random.default_rng(0)

    def sample(size):
        x = rng.normal(size=size)
        time, censoring = rng.exponential(np.exp(-x)), rng.exponential(mean_censoring, size)
        return (time <= censoring, np.minimum(time, censoring)), x

    truth = concordance_index(*sample(200_000))
    intervals = [concordance_interval(*sample(n)) for _ in range(1000)]
    # Three standard errors of 1,000 repetitions.
    found = np.mean([one.low <= truth <= one.high for one in intervals])
    assert found == pytest.approx(coverage, abs=3.0 * np.sqrt(coverage * (1.0 - coverage) / 1000))


def test_ends_are_symmetric_on_their_scales(lung):
    table, y = lung
    age, sex = table["age"], -table["sex"]
    one, wide = concordance_interval(y, age), concordance_interval(y, age, level=0.99)
    assert wide.low < one.low < one.estimate < one.high < wide.high
    assert logit(one.high) + logit(one.low) == pytest.approx(2.0 * logit(one.estimate))
    assert one.high - one.low == pytest.approx(2.0 * 1.96 * one.standard_error, rel=0.01)
    difference = concordance_difference(y, sex, age)
    np.testing.assert_allclose(
        [difference.low, difference.high],
        difference.estimate + 1.959964 * difference.standard_error * np.array([-1, 1]),
    )


def test_the_same_ranking_does_not_differ(lung):
    table, y = lung
    assert concordance_difference(y, table["age"], 2.0 * table["age"]) == (0.0, 0.0, 0.0, 0.0)
    # Everybody tied is one half, whoever is in the sample.
    assert concordance_interval(y, np.zeros(len(table))) == (0.5, 0.0, 0.5, 0.5)


@pytest.mark.parametrize("reverse", [1, -1])
def test_without_variation_there_is_no_standard_error(reverse):
    y, risk = ([True, True, True, False], [1.0, 2.0, 3.0, 4.0]), reverse * np.array([4.0, 3.0, 2.0, 1.0])
    with pytest.warns(UndefinedMetricWarning, match="all comparable pairs are ordered alike"):
        found = concordance_interval(y, risk)
    assert found.estimate == (reverse > 0)
    assert np.isnan(found[1:]).all()
    with pytest.warns(UndefinedMetricWarning, match="all comparable pairs are ordered alike"):
        found = concordance_difference(y, [1.0, 2.0, 4.0, 3.0], risk)
    assert np.isfinite(found.estimate)
    assert np.isnan(found[1:]).all()


def test_without_pairs_everything_is_nan():
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        assert np.isnan(concordance_interval(([False, False], [1.0, 2.0]), [1.0, 2.0])).all()
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        assert np.isnan(concordance_difference(([False, False], [1.0, 2.0]), [1.0, 2.0], [2.0, 1.0])).all()


def test_large_data_take_seconds():
    rng = np.random.default_rng(0)
    time = rng.exponential(size=200_000)
    started = clock.perf_counter()
    concordance_interval((rng.random(200_000) < 0.5, time), rng.normal(size=200_000) - time)
    assert clock.perf_counter() - started < 10.0
