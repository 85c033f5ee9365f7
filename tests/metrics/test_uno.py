"""The IPCW concordance index against its definition, and with delayed entry against the population."""

import time as clock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from hazboost import Surv
from hazboost.metrics import FollowUpWarning, concordance_index, concordance_index_ipcw


def by_definition(train, test, risk, tau, causes):
    """Index by a loop over all pairs; ``train`` gives the probabilities of being observed."""
    concordant, pairs = 0.0, 0.0
    for i, (cause, time, _) in enumerate(test):
        for j, (other_cause, other_time, other_entry) in enumerate(test):
            entered = other_entry < time or other_entry == 0
            free = other_time > time or (other_time == time and other_cause not in causes)
            competing = other_cause > 0 and other_cause not in causes
            if i != j and cause in causes and time < tau and entered and (free or competing):
                weight = 1.0 / (train.under_observation(time) * train.under_observation(min(time, other_time)))
                pairs += weight
                concordant += weight * (0.5 if risk[i] == risk[j] else float(risk[i] > risk[j]))
    return concordant / pairs if pairs else np.nan


@pytest.mark.parametrize("cause", [None, 1])
@given(data=st.data())
@pytest.mark.filterwarnings("ignore:.* no two subjects")
def test_agrees_with_the_definition(examples, definitions, as_y, cause, data):
    train, test, risk, times = data.draw(examples)
    expected = by_definition(definitions(train), test, risk, times[-1], (1, 2) if cause is None else (cause,))
    found = concordance_index_ipcw(as_y(train), as_y(test), risk, times[-1], cause=cause)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_delayed_entry_does_not_bias_the_index(truncated):
    """Subjects with early events are under-represented. The weights correct for it; Harrell's index does not."""
    sample, population = truncated
    expected = concordance_index_ipcw(population["y"], population["y"], population["x"], 1.5)
    assert concordance_index_ipcw(sample["y"], sample["y"], sample["x"], 1.5) == pytest.approx(expected, abs=0.01)
    assert abs(concordance_index(sample["y"], sample["x"]) - expected) > 0.05


def test_without_censoring_all_pairs_weigh_the_same():
    rng = np.random.default_rng(0)
    y, risk = Surv.right(np.ones(50, dtype=bool), rng.random(50)), rng.normal(size=50)
    assert concordance_index_ipcw(y, y, risk) == pytest.approx(concordance_index(y, risk), abs=1e-12)


@pytest.mark.filterwarnings("ignore:.*the event has the codes")
def test_independent_censoring_does_not_bias_the_index_of_a_cause(censored):
    """Independent censoring must not change the expected value of the index."""
    x, full, y = censored
    expected = concordance_index_ipcw(full, full, x, 1.0, cause=1)
    assert concordance_index_ipcw(y, y, x, 1.0, cause=1) == pytest.approx(expected, abs=0.01)
    assert abs(concordance_index(y, x, cause=1) - expected) > 0.01


@pytest.mark.parametrize(("last_event", "smallest"), [(True, 2.0 / 3.0), (False, 2.0 / 3.0)])
def test_events_after_the_training_follow_up_are_clipped(last_event, smallest):
    """scikit-survival raises an error here, a frequent complaint of its users."""
    train = ([True, False, True, last_event], [1.0, 2.0, 3.0, 4.0])
    test = ([True, True, True], [1.0, 5.0, 6.0])
    message = (
        r"2 of 3 event times of y_test \(up to 6\) lie where y_train, whose follow-up ends at 4, .* clipped to 0.6667"
    )
    with pytest.warns(FollowUpWarning, match=message) as caught:
        found = concordance_index_ipcw(train, test, [3.0, 1.0, 2.0])
    assert found == pytest.approx(2.0 / (2.0 + smallest**-2))
    assert caught[0].filename == __file__
    assert concordance_index_ipcw(train, test, [3.0, 1.0, 2.0], tau=4.0) == 1.0


def test_events_before_the_first_entry_are_clipped():
    """Up to their constant factor the probabilities at 3, 4 and 5 are 1, 2/3 and 2/3."""
    train = Surv.right([True, False, True, False], [3.0, 4.0, 5.0, 6.0], entry=np.ones(4))
    with pytest.warns(FollowUpWarning, match=r"1 of 2 event times of y_test \(up to 0.5\) .* clipped to 0.6667"):
        found = concordance_index_ipcw(train, ([True, True, False], [0.5, 3.0, 4.0]), [3.0, 1.0, 2.0])
    assert found == pytest.approx(4.5 / 5.5)


def test_weights_are_one_if_all_training_rows_are_censored_at_once():
    with pytest.warns(FollowUpWarning, match="clipped to 1 there"):
        found = concordance_index_ipcw(([0, 0], [1.0, 1.0]), ([1, 1, 1], [1.0, 2.0, 3.0]), [3.0, 1.0, 2.0])
    assert found == pytest.approx(2.0 / 3.0)


@pytest.mark.parametrize("tau", [0.0, -1.0, np.nan, "2", [2.0]])
def test_a_tau_that_is_no_time_is_refused(tau):
    y = ([True, False, True], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="tau must be a positive time, or None for all events; got"):
        concordance_index_ipcw(y, y, [1.0, 2.0, 3.0], tau=tau)


def test_no_event_before_tau_gives_nan():
    y = ([True, False, True], [1.0, 2.0, 3.0])
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        assert np.isnan(concordance_index_ipcw(y, y, [1.0, 2.0, 3.0], tau=1.0))
    with pytest.warns(UndefinedMetricWarning, match="no two subjects can be compared"):
        assert np.isnan(concordance_index_ipcw(y, y, [1.0, 2.0, 3.0], cause=2))


def test_training_rows_whose_risk_set_runs_empty_are_refused():
    train = Surv.right([True, True, False], [1.0, 3.0, 4.0], entry=[0.0, 2.0, 2.0])
    with pytest.raises(ValueError, match=r"y_train: the risk set is empty after time 1 .* Leave out the 1 subjects"):
        concordance_index_ipcw(train, train, [1.0, 2.0, 3.0])


@pytest.mark.parametrize("cause", [None, 1])
def test_many_rows_take_seconds(cause):
    rng = np.random.default_rng(3)
    y, risk = Surv.right(rng.integers(0, 3, 200_000), rng.random(200_000)), rng.normal(size=200_000)
    started = clock.perf_counter()
    assert 0.49 < concordance_index_ipcw(y, y, risk, 0.9, cause=cause) < 0.51
    assert clock.perf_counter() - started < 8.0
