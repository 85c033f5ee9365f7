"""Intervals of rounded times contain the times that were rounded, and nothing else is known of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hazboost.data.rounding import DIRECTIONS, merge_close, rounded_intervals

ROUNDED = {"visit": np.ceil, "up": np.ceil, "down": np.floor, "nearest": np.round}
INF = np.inf
directions = pytest.mark.parametrize("to", DIRECTIONS)


@directions
@given(
    times=st.lists(st.floats(0.01, 40.0), min_size=3, max_size=30),
    unit=st.sampled_from([0.1, 0.5, 1.0, 7.0]),
    known=st.booleans(),
)
def test_the_time_that_was_rounded_is_in_the_interval(to, times, unit, known):
    time = np.array([1000.0, *times])  # the first row is the end of the study
    recorded = ROUNDED[to](time / unit) * unit
    event = np.arange(len(time)) % 3 > 0
    if not known and len(np.unique(recorded[event])) == 1:
        return  # the length of a period is unknown
    lower, upper = rounded_intervals(event, recorded, to, unit if known else None)
    slack = 1e-12 * time.max()
    assert (lower >= 0.0).all()
    assert np.isinf(upper[~event]).all()
    ends = recorded[event].min(), recorded[event].max()
    # The grid does not say how long the first and the last period are, if these are not given.
    sure = event if known or to in ("visit", "up") else event & ~np.isin(recorded, ends)
    assert (lower[sure] <= time[sure] + slack).all()
    assert (time[sure] <= upper[sure] + slack).all()


@pytest.mark.parametrize(
    ("to", "lower", "upper"),
    [
        ("visit", [0.0, 1.0, 2.0, 2.0, 2.0, 3.3, 5.0], [1.0, 2.0, 4.0, INF, INF, INF, INF]),
        ("up", [0.0, 1.0, 2.0, 2.0, 1.0, 3.3, 5.0], [1.0, 2.0, 4.0, INF, INF, INF, INF]),
        ("down", [1.0, 2.0, 4.0, 4.0, 2.0, 3.3, 5.0], [2.0, 4.0, 5.0, INF, INF, INF, INF]),
        ("nearest", [0.5, 1.5, 3.0, 3.0, 1.5, 3.3, 5.0], [1.5, 3.0, 5.0, INF, INF, INF, INF]),
    ],
)
def test_without_a_unit_the_events_make_the_grid(to, lower, upper):
    """A time without event (3.3) makes no period, and was not rounded; the longest (5) is the end of the study."""
    event, time = np.arange(7) < 3, np.array([1.0, 2.0, 4.0, 2.0, 2.0, 3.3, 5.0])
    np.testing.assert_allclose(rounded_intervals(event, time, to), [lower, upper])


@pytest.mark.parametrize(
    ("to", "lower", "upper"),
    [
        ("visit", [0.0, 1.9, 2.0, 3.0, 3.3, 5.0], [1.0, 2.0, INF, INF, INF, INF]),
        ("up", [0.0, 1.9, 2.0, 2.0, 3.2, 5.0], [1.0, 2.0, INF, INF, INF, INF]),
        ("down", [1.0, 2.0, 3.0, 3.0, 4.3, 5.0], [2.0, 3.0, INF, INF, INF, INF]),
        ("nearest", [0.5, 1.9, 2.5, 2.5, 3.45, 5.0], [1.5, 2.5, INF, INF, INF, INF]),
    ],
)
def test_with_a_unit_every_time_was_rounded_and_no_period_begins_before_entry(to, lower, upper):
    event, time = np.arange(6) < 2, np.array([1.0, 2.0, 2.0, 3.0, 3.3, 5.0])
    entry = np.array([0.0, 1.9, 0.0, 0.0, 3.1, 0.0])
    np.testing.assert_allclose(rounded_intervals(event, time, to, 1.0, entry), [lower, upper])


@pytest.mark.parametrize(
    ("to", "last_event", "censored"),
    [("visit", [2.0, 3.0], 3.0), ("up", [2.0, 3.0], 3.0), ("nearest", [2.5, 3.0], 3.0), ("down", [3.0, 4.0], 4.0)],
)
def test_no_event_is_after_the_end_of_the_study(to, last_event, censored):
    """Unless times were rounded down: events at the longest time then say that the study went on."""
    event, time = np.array([True, True, True, False]), np.array([1.0, 2.0, 3.0, 3.0])
    lower, upper = rounded_intervals(event, time, to)
    assert [lower[2], upper[2]] == last_event
    assert lower[3] == censored


@pytest.mark.parametrize("to", ["up", "down", "nearest"])
@pytest.mark.parametrize("shuffled", [False, True])
def test_half_of_the_censored_subjects_of_a_period_stay_until_its_end(to, shuffled):
    time = np.concatenate([np.repeat([1.0, 2.0, 3.0], 40), [9.0]])
    if shuffled:
        np.random.default_rng(0).shuffle(time)
    lower, _ = rounded_intervals(np.zeros(121, dtype=bool), time, to, 1.0)
    shift = {"up": -0.5, "down": 0.5, "nearest": 0.0}[to]
    for period in (1.0, 2.0, 3.0):
        assert lower[time == period].mean() == period + shift


def test_time_zero_is_the_first_period():
    event, time = np.ones(3, dtype=bool), np.array([0.0, 1.0, 2.0])
    np.testing.assert_array_equal(rounded_intervals(event, time, "down"), [[0.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(rounded_intervals(event, time, "nearest"), [[0.0, 0.5, 1.5], [0.5, 1.5, 2.5]])


def test_rounding_errors_of_the_computer_make_no_period():
    time = np.array([0.1 + 0.2, 0.3, 0.6, 0.2 * 3])
    assert len(np.unique(time)) == 4
    np.testing.assert_array_equal(merge_close(time), [0.3, 0.3, 0.6, 0.6])
    lower, _ = rounded_intervals(np.ones(4, dtype=bool), time, "visit")
    np.testing.assert_allclose(lower, [0.0, 0.0, 0.3, 0.3])


def test_without_events_nothing_was_rounded():
    time = np.array([1.0, 2.0])
    np.testing.assert_array_equal(rounded_intervals(np.zeros(2, dtype=bool), time, "up"), [time, [INF, INF]])
