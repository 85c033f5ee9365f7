"""Brier and logarithmic score against their definitions, and against the same scores without censoring."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from hazboost import Surv
from hazboost.metrics import (
    FollowUpWarning,
    brier_score,
    integrated_brier_score,
    integrated_log_score,
    log_score,
)

COSTS = {brier_score: lambda p: (1.0 - p) ** 2, log_score: lambda p: -np.log(max(p, 1e-7))}


def by_definition(definitions, train, test, incidence, t, causes, cost):
    """Score at one time by a loop over the rows; the training rows give the probabilities of not being censored."""
    from_entry = definitions([(cause, time - entry, 0.0) for cause, time, entry in train])
    longest = max(time - entry for _, time, entry in train)
    total, judged, known = 0.0, 0, False
    for (cause, time, entry), p in zip(test, incidence, strict=True):
        if (entry >= t and entry > 0) or t - entry > longest or from_entry.uncensored(t - entry) == 0.0:
            continue
        judged += 1
        known |= time > t or cause > 0
        if time > t:
            total += cost(1.0 - p) / from_entry.uncensored(t - entry)
        elif cause in causes:
            total += cost(p) / from_entry.uncensored(time - entry)
        elif cause > 0:
            total += cost(1.0 - p) / from_entry.uncensored(time - entry)
    return total / judged if known else np.nan


@pytest.mark.parametrize("score", COSTS)
@pytest.mark.parametrize("cause", [None, 1])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore:.*the score is not defined")
@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_agrees_with_the_definition(examples, definitions, as_y, score, cause, data):
    train, test, risk, times = data.draw(examples)
    if any(entry > 0.0 for _, _, entry in test):
        train = train[1:]  # without the row that is followed to the end: not everybody can be followed until all times
    predicted = np.exp(-np.outer(risk, times) / 4.0)  # risk 0 is certain of survival
    found = score(as_y(train), as_y(test), predicted, times, cause=cause)
    incidence = 1.0 - predicted if cause is None else predicted
    causes = (1, 2) if cause is None else (cause,)
    for k, t in enumerate(times):
        expected = by_definition(definitions, train, test, incidence[:, k], t, causes, COSTS[score])
        assert found[k] == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("score", COSTS)
def test_with_delayed_entry_censoring_does_not_bias_the_score(truncated, score):
    """The score of probabilities given survival until entry, over all who have entered."""
    sample, _ = truncated
    time, entry, power = sample["time"], sample["entry"], np.exp(-sample["x"])
    times = [0.4, 1.0, 1.6]
    survival = np.stack([np.exp(np.minimum(entry**power - t**power, 0.0)) for t in times], axis=1)
    found = score(sample["y"], sample["y"], survival, times)
    for k, t in enumerate(times):
        entered = (entry < t) | (entry == 0.0)
        happened = time[entered] <= t
        cost = np.vectorize(COSTS[score])(np.where(happened, 1.0 - survival[entered, k], survival[entered, k]))
        assert found[k] == pytest.approx(cost.mean(), rel=0.03)


@pytest.fixture(scope="module")
def by_age():
    """Weibull ages at an event of two causes; entry at 40 to 80, and then 2 to 10 years of follow-up.

    The probabilities of an event of any cause and of the first cause by each age, given entry, are functions of a
    factor by which the true hazard is multiplied.
    """
    rng = np.random.default_rng(0)
    x = rng.normal(size=120_000)
    age = 80.0 * (rng.exponential(size=len(x)) * np.exp(-0.7 * x)) ** 0.2
    entry, cause = rng.uniform(40.0, 80.0, len(x)), rng.choice([1, 2], len(x), p=[0.6, 0.4])
    end, kept = entry + rng.uniform(2.0, 10.0, len(x)), entry < age
    x, age, entry, cause, end = x[kept], age[kept], entry[kept], cause[kept], end[kept]
    y = Surv.right(np.where(age <= end, cause, 0), np.minimum(age, end), entry=entry)
    ages = np.array([55.0, 62.0, 70.0, 78.0])
    hazard = np.exp(0.7 * x)[:, None] * np.maximum((ages / 80.0) ** 5 - (entry[:, None] / 80.0) ** 5, 0.0)

    def incidence(factor, of):
        return (1.0 if of is None else 0.6) * -np.expm1(-factor * hazard)

    return {"y": y, "age": age, "entry": entry, "cause": cause, "ages": ages, "incidence": incidence}


@pytest.mark.parametrize("score", COSTS)
@pytest.mark.parametrize("cause", [None, 1])
def test_censoring_may_depend_on_entry(by_age, score, cause):
    """Follow-up counts from entry, so that censoring at an age depends on entry; the score must not be biased."""
    y, ages, entry = by_age["y"], by_age["ages"], by_age["entry"]

    def score_of(factor):
        incidence = by_age["incidence"](factor, cause)
        return score(y, y, 1.0 - incidence if cause is None else incidence, ages, cause=cause)

    found, truth = score_of(1.0), by_age["incidence"](1.0, cause)
    for k, at in enumerate(ages):
        judged = (at - 10.0 < entry) & (entry < at)
        happened = ((by_age["age"] <= at) & ((by_age["cause"] == cause) | (cause is None)))[judged]
        cost = np.vectorize(COSTS[score])(np.where(happened, truth[judged, k], 1.0 - truth[judged, k]))
        assert found[k] == pytest.approx(cost.mean(), rel=0.05)
    for factor in (0.5, 1.5, 2.0, 3.0):
        assert (score_of(factor) > found).all()


def test_lengths_of_follow_up_are_equal_in_every_unit():
    """Ages in tenths of years: 65.3 - 60.1 is not 5.2, but many are censored at exactly that length."""
    rng = np.random.default_rng(0)
    entry = rng.integers(600, 620, 200)
    age, end = entry + rng.integers(1, 100, 200), entry + rng.choice([26, 52], 200)
    predicted, times = rng.random((200, 3)), np.array([620, 646, 660])
    whole, tenths = (Surv.right(age <= end, np.minimum(age, end) / unit, entry=entry / unit) for unit in (1.0, 10.0))
    found = brier_score(tenths, tenths, predicted, times / 10.0)
    np.testing.assert_allclose(found, brier_score(whole, whole, predicted, times), rtol=1e-10)


@pytest.mark.parametrize("score", COSTS)
@pytest.mark.parametrize("cause", [None, 1])
def test_the_truth_scores_best(score, cause):
    rng = np.random.default_rng(0)
    x = rng.normal(size=4000)
    time, cause_seen = rng.exponential(np.exp(-x)), rng.integers(1, 3, 4000)
    censoring = rng.exponential(1.5, 4000)
    y = Surv.right(np.where(time <= censoring, cause_seen, 0), np.minimum(time, censoring))
    times = np.array([0.3, 1.0])
    survival = np.exp(-np.outer(np.exp(x), times))
    truth = survival if cause is None else 0.5 * (1.0 - survival)
    best = score(y, y, truth, times, cause=cause)
    for wrong in (truth**1.3, truth**0.7, 1.0 - (1.0 - truth) ** 1.3, np.full_like(truth, truth.mean())):
        assert (score(y, y, wrong, times, cause=cause) > best).all()


def test_coarse_times_favour_risks_that_are_too_high():
    """What the documentation says of yearly times, and that the likelihood is a way out."""
    rng = np.random.default_rng(0)
    risk = 1.0 / (1.0 + np.exp(1.8 - 0.8 * rng.uniform(-2.0, 2.0, 40_000)))
    year, censoring = rng.geometric(risk), rng.geometric(0.25, len(risk))
    event, last, years = year <= censoring, np.minimum(year, censoring), np.arange(1, 5)
    y = Surv.right(event, last.astype(float))

    def survival(factor):
        return (1.0 - factor * risk)[:, None] ** years

    def minus_log_likelihood(factor):
        rate = factor * risk
        return -np.mean((last - event) * np.log1p(-rate) + event * np.log(rate))

    found = brier_score(y, y, survival(1.0), years)
    uncensored = np.mean(((year[:, None] > years) - survival(1.0)) ** 2, axis=0)
    np.testing.assert_allclose(found / uncensored, 1.22, atol=0.08)
    assert (brier_score(y, y, survival(1.2), years) < found).all()
    for factor in (0.8, 1.1, 1.2):
        assert minus_log_likelihood(factor) > minus_log_likelihood(1.0)


def test_integrals_are_means_over_time():
    y = ([True, False, True, True], [1.0, 2.0, 3.0, 4.0])
    predicted, times = np.linspace(0.1, 0.9, 12).reshape(4, 3)[:, ::-1], [1.0, 1.5, 3.5]
    for integrated, score in ((integrated_brier_score, brier_score), (integrated_log_score, log_score)):
        at = score(y, y, predicted, times)
        expected = (0.5 * (at[0] + at[1]) / 2 + 2.0 * (at[1] + at[2]) / 2) / 2.5
        assert integrated(y, y, predicted, times) == pytest.approx(expected)
        with pytest.raises(ValueError, match="times must contain at least two"):
            integrated(y, y, predicted[:, :1], [1.0])


def test_a_certain_error_has_a_bounded_logarithmic_cost():
    y = ([True, False], [1.0, 2.0])
    assert log_score(y, y, [1.0, 0.0], 1.5)[0] == pytest.approx(-np.log(1e-7))
    assert log_score(y, y, [0.0, 1.0], 1.5)[0] == 0.0


def test_times_after_the_training_follow_up_are_clipped():
    train = ([True, False, True, False], [1.0, 2.0, 3.0, 4.0])
    test = ([True, True, False], [1.0, 5.0, 7.0])
    survival = np.full((3, 2), 0.5)
    with pytest.warns(FollowUpWarning) as caught:
        found = brier_score(train, test, survival, [4.5, 6.0])
    messages = [str(one.message) for one in caught]
    assert len(messages) == 2
    assert messages[0].startswith("1 of 2 event times of y_test (up to 5) lie where y_train")
    assert messages[1].startswith("2 of 2 times (up to 6) lie where y_train, whose follow-up ends at 4,")
    assert all("clipped to 0.6667" in message for message in messages)
    assert {one.filename for one in caught} == {__file__}
    np.testing.assert_allclose(found, 0.25 * (1.0 + 1.5 + 1.5) / 3.0)


def test_times_after_the_test_follow_up_give_a_warning():
    train = ([True, False, True, True], [1.0, 2.0, 3.0, 9.0])
    test = ([True, False, True], [1.0, 2.0, 3.0])
    with pytest.warns(FollowUpWarning, match=r"follow-up of y_test ends at 3; at times 3, 5 the score is"):
        found = brier_score(train, test, np.full((3, 3), 0.5), [2.5, 3.0, 5.0])
    np.testing.assert_allclose(found, 0.25 * (1.0 + 1.5) / 3.0)
    # Without censored test subjects nobody is missing, and there is no warning.
    np.testing.assert_allclose(brier_score(train, ([1, 1], [1.0, 2.0]), np.full((2, 1), 0.5), [5.0]), 0.25 * 2.5 / 2.0)


def test_times_without_any_observed_subject_give_nan():
    train = ([True, False, True, True], [1.0, 2.0, 3.0, 9.0])
    late = Surv.right([True, True], [5.0, 6.0], entry=[3.0, 4.0])
    with pytest.warns(UndefinedMetricWarning, match=r"not defined \(NaN\) at times 2: by then no subject"):
        found = brier_score(train, late, np.full((2, 2), 0.5), [2.0, 4.5])
    np.testing.assert_allclose(found, [np.nan, 0.25])
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(integrated_brier_score(train, late, np.full((2, 2), 0.5), [2.0, 4.5]))


def test_subjects_who_could_not_be_followed_are_left_out():
    # Nobody in training is followed for longer than 3. To be judged at 4.5, who entered at 1 would have to be; to be
    # judged at 6, everybody.
    train = Surv.right([True, False, False, False], [2.0, 3.0, 4.0, 5.0], entry=[1.0, 2.0, 2.0, 2.0])
    test = Surv.right([True, True, False, True], [2.0, 4.0, 5.0, 7.0], entry=[1.0, 2.0, 2.0, 2.0])
    predicted = np.full((4, 2), 0.5)
    predicted[0] = 0.9
    with pytest.warns(UndefinedMetricWarning, match=r"not defined \(NaN\) at times 6: .* entered so early that nobody"):
        found = brier_score(train, test, predicted, [4.5, 6.0])
    # One of three is censored after 1, and one of two after 2: G(2) = G(2.5) = 1/3.
    np.testing.assert_allclose(found, [0.25 * 3.0, np.nan])
