"""The cumulative/dynamic AUC against its definition, and with delayed entry against the population."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from hazboost import Surv
from hazboost.metrics import FollowUpWarning, cumulative_dynamic_auc


def by_definition(train, test, risk, t, causes):
    """AUC at one time by a loop over all cases and controls; ``train`` gives the probabilities of observation."""
    won, possible = 0.0, 0.0
    for i, (cause, time, _) in enumerate(test):
        if cause not in causes or time > t:
            continue
        for j, (other_cause, other_time, other_entry) in enumerate(test):
            if other_time > t:
                control = other_entry < t or other_entry == 0
            else:
                control = other_cause > 0 and other_cause not in causes
            if control:
                weight = 1.0 / (train.under_observation(time) * train.under_observation(min(other_time, t)))
                possible += weight
                won += weight * (0.5 if risk[i] == risk[j] else float(risk[i] > risk[j]))
    return won / possible if possible else np.nan


@pytest.mark.parametrize("cause", [None, 1])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore:times. the AUC is not defined")
def test_agrees_with_the_definition(examples, definitions, as_y, cause, data):
    train, test, risk, times = data.draw(examples)
    causes = (1, 2) if cause is None else (cause,)
    auc, mean = cumulative_dynamic_auc(as_y(train), as_y(test), risk, times, cause=cause)
    expected = [by_definition(definitions(train), test, risk, t, causes) for t in times]
    np.testing.assert_allclose(auc, expected, rtol=1e-10)
    incidence = [definitions(test).incidence(t, 1) + (cause is None) * definitions(test).incidence(t, 2) for t in times]
    share = np.diff(incidence, prepend=0.0)
    if np.nansum(share * auc) > 0.0:
        assert mean == pytest.approx(np.nansum(share * auc) / share[~np.isnan(auc)].sum(), rel=1e-10)


def test_delayed_entry_does_not_bias_the_auc(truncated):
    sample, population = truncated
    times = [0.3, 0.7, 1.2]
    expected, expected_mean = cumulative_dynamic_auc(population["y"], population["y"], population["x"], times)
    auc, mean = cumulative_dynamic_auc(sample["y"], sample["y"], sample["x"], times)
    np.testing.assert_allclose(auc, expected, atol=0.015)
    assert mean == pytest.approx(expected_mean, abs=0.015)
    ignored = Surv.right(sample["y"]["event"], sample["y"]["time"])
    naive = cumulative_dynamic_auc(ignored, ignored, sample["x"], times)[0]
    assert np.abs(naive - expected).max() > 0.03


@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_censoring_does_not_bias_the_auc_of_a_cause(censored):
    x, full, y = censored
    expected, _ = cumulative_dynamic_auc(full, full, x, [0.2, 0.6, 1.0], cause=1)
    auc, _ = cumulative_dynamic_auc(y, y, x, [0.2, 0.6, 1.0], cause=1)
    np.testing.assert_allclose(auc, expected, atol=0.02)


def test_a_risk_for_each_time():
    y = ([True, True, True, False], [1.0, 2.0, 3.0, 4.0])
    risk = np.array([[4.0, 0.0], [3.0, 1.0], [2.0, 2.0], [1.0, 3.0]])
    auc, mean = cumulative_dynamic_auc(y, y, risk, [1.5, 2.5])
    np.testing.assert_array_equal(auc, [1.0, 0.0])
    assert mean == pytest.approx(0.5)
    np.testing.assert_array_equal(cumulative_dynamic_auc(y, y, risk[:, 0], [1.5, 2.5])[0], [1.0, 1.0])


def test_times_without_cases_or_controls_give_nan_and_the_mean_is_over_the_others():
    y = ([True, True, True], [2.0, 3.0, 5.0])
    with pytest.warns(UndefinedMetricWarning, match=r"AUC is not defined \(NaN\) at times 1, 6: by then no subject"):
        auc, mean = cumulative_dynamic_auc(y, y, [3.0, 1.0, 2.0], [1.0, 2.5, 3.5, 6.0])
    np.testing.assert_array_equal(auc, [np.nan, 1.0, 0.5, np.nan])
    assert mean == pytest.approx(0.75)
    with pytest.warns(UndefinedMetricWarning):
        auc, mean = cumulative_dynamic_auc(y, y, [3.0, 1.0, 2.0], [1.0])
    assert np.isnan(auc).all()
    assert np.isnan(mean)


def test_events_after_the_training_follow_up_are_clipped():
    train = ([True, False, True, False], [1.0, 2.0, 3.0, 4.0])
    test = ([True, True, False], [1.0, 5.0, 7.0])
    with pytest.warns(FollowUpWarning, match=r"1 of 2 event times of y_test \(up to 5\) .* clipped to 0.6667"):
        auc, _ = cumulative_dynamic_auc(train, test, [3.0, 1.0, 2.0], [6.0])
    assert auc[0] == pytest.approx(1.0 / (1.0 + 1.5))
    # Before the training follow-up ends nothing has to be clipped.
    np.testing.assert_array_equal(cumulative_dynamic_auc(train, test, [3.0, 1.0, 2.0], [3.0])[0], [1.0])
