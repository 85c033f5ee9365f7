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


def by_definition(train, test, incidence, t, causes, cost):
    """Score at one time by a loop over the rows; ``train`` gives the probabilities of not being censored."""
    total, entered = 0.0, 0
    for (cause, time, entry), p in zip(test, incidence, strict=True):
        if entry >= t and entry > 0:
            continue
        entered += 1
        start = train.uncensored(entry) if entry > 0 else 1.0
        if time > t:
            total += cost(1.0 - p) * start / train.uncensored(t)
        elif cause in causes:
            total += cost(p) * start / train.uncensored(time)
        elif cause > 0:
            total += cost(1.0 - p) * start / train.uncensored(time)
    return total / entered


@pytest.mark.parametrize("score", COSTS)
@pytest.mark.parametrize("cause", [None, 1])
@given(data=st.data())
def test_agrees_with_the_definition(examples, definitions, as_y, score, cause, data):
    train, test, risk, times = data.draw(examples)
    predicted = np.exp(-np.outer(risk, times) / 4.0)  # risk 0 is certain of survival
    found = score(as_y(train), as_y(test), predicted, times, cause=cause)
    incidence = 1.0 - predicted if cause is None else predicted
    causes = (1, 2) if cause is None else (cause,)
    for k, t in enumerate(times):
        expected = by_definition(definitions(train), test, incidence[:, k], t, causes, COSTS[score])
        assert found[k] == pytest.approx(expected, rel=1e-10, abs=1e-12)


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
