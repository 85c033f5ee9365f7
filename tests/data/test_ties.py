"""How coarse recorded times are: known values, coarse data that must be found, and fine data that must not."""

import numpy as np
import pytest

from hazboost.data.reading import as_target
from hazboost.data.target import Target
from hazboost.data.ties import COARSE, spread_ties, typical_jump


def simulate(n, seed=0):
    rng = np.random.default_rng(seed)
    time = 8.0 * rng.weibull(1.5, n) * np.exp(-0.5 * rng.normal(size=n))
    censoring = np.minimum(rng.exponential(25.0, n), 10.0)
    return time <= censoring, np.minimum(time, censoring)


@pytest.mark.parametrize("weight", [None, np.full(60, 3.0)])
@pytest.mark.parametrize("times", [2, 5, 30])
def test_equally_common_times(times, weight):
    time = np.repeat(np.arange(1.0, times + 1.0), 60 // times)
    expected = (1.0 / times) * (1.0 - times / 60.0)
    assert typical_jump(as_target((np.ones(60), time), weight)) == pytest.approx(expected)


def test_times_that_differ_by_rounding_errors_of_the_computer_are_the_same():
    time = np.repeat([2.0, 5.0], 20)
    noisy = (time + 2000.3) - 2000.3 * (1.0 + np.arange(40) % 3 * 1e-16)
    shifted = np.where(np.arange(40) % 2, np.nextafter(time, 9.0), noisy)
    assert len(np.unique(shifted)) > 2
    assert typical_jump(as_target((np.ones(40), shifted))) == pytest.approx(0.5 * 0.95)


@pytest.mark.parametrize("n", [200, 1000, 5000])
@pytest.mark.parametrize("times", [5, 10, 30])
@pytest.mark.parametrize("seed", range(5))
def test_rounded_times_are_coarse(n, times, seed):
    event, time = simulate(n, seed)
    unit = 10.0 / times
    assert typical_jump(as_target((event, np.ceil(time / unit) * unit))) > COARSE


@pytest.mark.parametrize("n", [50, 200, 5000])
@pytest.mark.parametrize("periods", [90, 365, None])
def test_weeks_days_and_exact_times_are_not(n, periods):
    event, time = simulate(n)
    recorded = time if periods is None else np.ceil(time * periods / 10.0)
    assert typical_jump(as_target((event, recorded))) < 0.6 * COARSE


def test_one_common_time_is_not():
    """Many patients die on the first day."""
    event, time = simulate(1000)
    assert typical_jump(as_target((event, np.where(np.arange(1000) < 200, 0.5, time)))) == 0.0


def test_rows_without_weight_do_not_count():
    event, time = np.ones(40), np.concatenate([np.arange(1.0, 21.0), np.full(20, 30.0)])
    assert typical_jump(as_target((event, time), np.arange(40) < 20)) == 0.0


def test_spread_events_stay_in_order_and_fill_their_periods():
    """Whole days, without the first: the mean of each day stays, and no two events share a time."""
    time = np.repeat(np.arange(2.0, 12.0), 7)
    spread = spread_ties(Target.of(time, time))
    assert len(np.unique(spread.lower)) == len(time)
    np.testing.assert_array_equal(spread.lower, spread.upper)
    np.testing.assert_allclose(spread.lower.reshape(10, 7).mean(axis=1), np.arange(2.0, 12.0))
    assert (np.abs(spread.lower - time) < 0.5).all()


def test_only_ties_of_events_are_spread():
    time = np.array([1.0, 2.0, 2.0, 3.0, 3.0, 5.0])
    event = np.array([True, True, True, False, False, True])
    spread = spread_ties(Target.of(time, np.where(event, time, np.inf), entry=np.array([0, 0, 1.9, 0, 0, 0])))
    np.testing.assert_allclose(np.sort(spread.lower[1:3]), [2.0, 3.0])  # from 1.5 to 3.5
    np.testing.assert_array_equal(np.delete(spread.lower, [1, 2]), np.delete(time, [1, 2]))
    np.testing.assert_array_equal(np.isinf(spread.upper), ~event)


def test_spread_events_are_neither_before_zero_nor_before_entry():
    time = np.array([1.0, 1.0, 1.0, 5.0, 5.0])
    spread = spread_ties(Target.of(time, time))
    np.testing.assert_allclose(np.sort(spread.lower), [0.5, 1.5, 2.5, 4.0, 6.0])  # from 0 to 3, and from 3 to 7
    late = spread_ties(Target.of(time, time, entry=np.array([0.0, 0.9, 0.0, 4.5, 4.5])))
    np.testing.assert_allclose(np.sort(late.lower)[-2:], [4.5, 6.0])
    assert (late.lower >= late.entry).all()


def test_sorted_rows_say_nothing_of_who_comes_first():
    """Rows in the order of a feature: within a day events are not in that order."""
    feature, time = np.arange(600.0), np.repeat([1.0, 2.0, 3.0], 200)
    spread = spread_ties(Target.of(time, time))
    for day in (1.0, 2.0, 3.0):
        assert abs(np.corrcoef(feature[time == day], spread.lower[time == day])[0, 1]) < 0.2


def test_an_event_after_which_a_subject_is_followed_stays():
    """Recurrent events: the next row of a subject still begins where the one before ends."""
    subject, row = np.repeat(np.arange(6), 3), np.tile([0, 1, 2], 6)
    start, stop = np.array([0.0, 2.0, 4.0])[row], np.array([2.0, 4.0, 5.0])[row] + (row == 2) * (subject % 2)
    spread = spread_ties(Target.of(stop, stop, entry=start, subject=subject))
    np.testing.assert_array_equal(spread.lower[row < 2], stop[row < 2])
    assert len(np.unique(spread.lower[row == 2])) == 6


def test_one_time_for_all_stays():
    target = Target.of(np.ones(5), np.ones(5))
    assert spread_ties(target) is target
