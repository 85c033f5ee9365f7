"""The internal target."""

from dataclasses import replace

import numpy as np
import pytest

from hazboost.data.reading import as_target
from hazboost.data.target import Target

EVENT, TIME = [True, False, True], [1.0, 2.5, 0.0]


def structured(event=EVENT, time=TIME, names=("event", "time"), kind=bool):
    y = np.empty(len(event), dtype=[(names[0], kind), (names[1], float)])
    y[names[0]], y[names[1]] = event, time
    return y


def test_the_rest_of_a_row_is_filled_in():
    target = Target.of(np.array([1.0, 2.0, 0.5]), np.array([1.0, np.inf, 3.0]))
    np.testing.assert_array_equal(target.event, [True, False, False])
    np.testing.assert_array_equal(target.interval, [False, False, True])
    np.testing.assert_array_equal(target.middle, [1.0, 2.0, 1.75])
    np.testing.assert_array_equal(target.cause, [1, 0, 0])
    np.testing.assert_array_equal(target.subject, [0, 1, 2])
    for name, value in {"weight": 1.0, "entry": 0.0, "portion": 1.0}.items():
        np.testing.assert_array_equal(getattr(target, name), value)
    assert target.longest == 3.0
    assert target.exposure == 4.75
    assert not target.has_several_rows


def test_portions_are_shares_of_the_time_at_risk_of_a_subject():
    """Of the first subject from 2 to 3 and from 3 to 6; the second has a row of no length; the third none at all."""
    stop = np.array([3.0, 6.0, 5.0, 5.0, 1.0, 1.0])
    entry = np.array([2.0, 3.0, 0.0, 5.0, 1.0, 1.0])
    target = Target.of(stop, np.full(6, np.inf), 2.0 * np.ones(6), entry=entry, subject=np.repeat([7, 3, 5], 2))
    np.testing.assert_allclose(target.portion, [0.25, 0.75, 1.0, 0.0, 0.5, 0.5], atol=1e-9)
    assert (target.portion > 0.0).all()
    assert target.exposure == 2.0 * 9.0
    np.testing.assert_allclose(target.subject_mass, 2.0)


def test_events_at_zero_move_to_half_the_smallest_positive_time():
    target = as_target(([1, 0, 1, 0], [0.0, 0.0, 3.0, 0.5])).without_events_at_zero()
    np.testing.assert_array_equal(target.lower, [0.25, 0.0, 3.0, 0.5])
    np.testing.assert_array_equal(target.upper, [0.25, np.inf, 3.0, np.inf])
    np.testing.assert_array_equal(target.event, [True, False, True, False])


def test_target_without_events_at_zero_stays_as_it_is():
    target = as_target(([0, 1], [0.0, 1.0]))
    assert target.without_events_at_zero() is target


def test_scaling_changes_the_unit_of_time_only():
    target = replace(as_target(structured(), [1.0, 2.0, 3.0]), entry=np.array([0.5, 0.0, 0.0]))
    scaled = target.scaled(365.0)
    for name in ("lower", "upper", "entry"):
        np.testing.assert_allclose(getattr(scaled, name) * 365.0, getattr(target, name))
    np.testing.assert_array_equal(scaled.event, target.event)
    np.testing.assert_array_equal(scaled.weight, target.weight)


def test_targets_are_immutable():
    with pytest.raises(AttributeError):
        Target.of(np.ones(1), np.ones(1), np.ones(1)).lower = np.zeros(1)


def test_quantiles_count_events_by_their_weight():
    time, event = np.array([5.0, 1.0, 4.0, 2.0, 3.0, 9.0]), np.array([True, True, True, True, True, False])
    target = Target.of(time, np.where(event, time, np.inf))
    assert [target.event_quantile(share) for share in (0.2, 0.5, 0.75, 1.0)] == [1.0, 3.0, 4.0, 5.0]
    weight = np.array([1.0, 1.0, 1.0, 4.0, 1.0, 50.0])
    weighted = Target.of(time, np.where(event, time, np.inf), weight)
    repeated = target[np.repeat(np.arange(6), weight.astype(int))]
    assert weighted.event_quantile(0.5) == repeated.event_quantile(0.5) == 2.0


def test_quantiles_of_intervals_are_at_their_ends_and_never_zero():
    assert Target.of(np.array([1.0, 0.0, 7.0]), np.array([2.0, 3.0, np.inf])).event_quantile(0.5) in (2.0, 3.0)
    assert Target.of(np.array([0.0, 0.0, 6.0]), np.array([0.0, 0.0, np.inf])).event_quantile(0.75) == 6.0


def test_no_subject_is_further_from_the_reference_than_the_limit():
    """A subject's rows count together, with its weight; the mean is that of all subjects."""
    target = Target.of(
        np.array([1.0, 2.0, 1.0]),
        np.full(3, np.inf),
        np.array([1.0, 1.0, 2.0]),
        entry=np.array([0.0, 1.0, 0.0]),
        subject=np.array([7, 7, 8]),
    )
    reference = np.array([1.0, 2.0, 3.0])
    near = np.array([1.5, 1.0, 4.0])
    assert target.limited_mean(near, reference, 3.0) == pytest.approx(target.mean(near))
    far = np.array([1.0, 1e6, 3.0 - 1e6])
    assert target.limited_mean(far, reference, 3.0) == pytest.approx(target.mean(reference) + (3.0 - 2.0 * 3.0) / 3.0)


def test_the_limit_is_for_one_event():
    """Two events of a subject may differ from the reference by twice as much; one who had none does not count."""
    time = np.array([1.0, 2.0, 1.0, 2.0, 3.0])
    upper = np.array([1.0, 2.0, 1.0, 2.0, np.inf])
    recurrent = Target.of(time, upper, entry=time - 1.0, subject=np.array([0, 0, 1, 1, 2]))
    once = Target.of(time, upper)
    assert (recurrent.recurrence, once.recurrence) == (2.0, 1.0)
    far, near = np.full(5, 100.0), np.zeros(5)
    assert recurrent.limited_change(far, near, 3.0).tolist() == [6.0] * 3
    assert once.limited_change(far, near, 3.0).tolist() == [3.0] * 5
    assert Target.of(time, np.full(5, np.inf)).recurrence == 1.0


def test_slices_know_whether_a_subject_has_several_rows():
    """A slice keeps the subjects' numbers, which then have gaps and may exceed the number of rows."""
    start = np.tile([0.0, 1.0], 5)
    target = Target.of(start + 1.0, np.full(10, np.inf), entry=start, subject=np.repeat(np.arange(5), 2))
    assert target.has_several_rows
    assert target[6:].has_several_rows
    assert not target[::2].has_several_rows
    assert (target[6:].n_subjects, target[1:4].n_subjects) == (2, 2)
    assert not target[:0].has_several_rows


def test_events_at_zero_are_moved_also_where_no_time_is_positive():
    """As may be in a small validation part, in units of the follow-up of the training data."""
    moved = Target.of(np.zeros(2), np.array([0.0, np.inf])).without_events_at_zero()
    np.testing.assert_array_equal(moved.lower, [0.5, 0.0])
    np.testing.assert_array_equal(moved.upper, [0.5, np.inf])


def test_what_is_computed_once_is_kept_by_the_target_it_was_computed_for():
    """A slice, another unit of time or other weights are other targets, with values of their own."""
    lower, upper = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, np.inf, 3.5, 4.0])
    target = Target.of(lower, upper, np.array([1.0, 2.0, 1.0, 1.0]), cause=np.array([2, 0, 0, 1]))
    for name in ("event", "interval", "mass"):
        assert getattr(target, name) is getattr(target, name)
    assert (target.longest, target.n_causes) == (4.0, 2)
    part, scaled, heavier = target[1:3], target.scaled(2.0), replace(target, weight=3.0 * target.weight)
    np.testing.assert_array_equal(part.event, [False, False])
    np.testing.assert_array_equal(part.interval, [False, True])
    assert (part.longest, part.n_causes, scaled.longest) == (3.5, 1, 2.0)
    np.testing.assert_array_equal(heavier.mass, 3.0 * target.mass)


def test_another_unit_of_time_does_not_number_the_subjects_again(monkeypatch):
    target = Target.of(np.array([1.0, 2.0, 1.0]), np.array([np.inf, 2.0, 1.0]), subject=np.array([5, 3, 5]))
    assert target.n_subjects == 2
    monkeypatch.setattr("hazboost.data.target.number_by_appearance", None)
    assert target.scaled(3.0).n_subjects == 2
    with pytest.raises(TypeError):
        target[:2].n_subjects  # noqa: B018
