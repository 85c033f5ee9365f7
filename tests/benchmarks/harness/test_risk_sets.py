import numpy as np
import pytest

from benchmarks.harness.risk_sets import event_times, gain_per_event, risk_sets

START, STOP = np.array([0.0, 0.0, 0.0, 1.0]), np.array([2.0, 3.0, 1.0, 4.0])
EVENT = np.array([True, True, False, False])


def test_risk_sets():
    assert event_times(EVENT, STOP).tolist() == [2.0, 3.0]
    (first, at_first), (second, at_second) = risk_sets(START, STOP, EVENT)
    assert first.tolist() == [True, False, False, False]
    assert at_first.tolist() == [True, True, False, True]
    assert second.tolist() == [False, True, False, False]
    assert at_second.tolist() == [False, True, False, True]


def test_gain():
    """Two events: a model without differences gains nothing; one that knows the next event gains what it should."""
    right = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert gain_per_event(START, STOP, EVENT, 0.0 * right) == pytest.approx(0.0, abs=1e-12)
    expected = np.mean([1.0 - np.log((np.e + 2.0) / 3.0), 1.0 - np.log((np.e + 1.0) / 2.0)])
    assert gain_per_event(START, STOP, EVENT, right) == pytest.approx(expected)
