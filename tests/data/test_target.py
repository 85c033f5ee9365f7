"""The door for y: what is accepted, what is refused and how the offender is named."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hazboost.boosting.likelihood import loss_and_gradient
from hazboost.data.folds import strata
from hazboost.data.target import (
    Target,
    as_groups,
    as_if_only,
    as_target,
    check_causes,
    check_informative,
    condense,
    join_rows,
)

EVENT, TIME = [True, False, True], [1.0, 2.5, 0.0]
INTS = [1, 0, 1]


def structured(event=EVENT, time=TIME, names=("event", "time"), kind=bool):
    y = np.empty(len(event), dtype=[(names[0], kind), (names[1], float)])
    y[names[0]], y[names[1]] = event, time
    return y


FORMS = {
    "structured array": structured(),
    "structured array with other names": structured(names=("cens", "futime")),
    "structured array with names exchanged": structured(names=("time", "event")),
    "structured array of integers": structured(kind=int),
    "record array": structured().view(np.recarray),
    "pandas": pd.DataFrame({"event": EVENT, "time": TIME}),
    "pandas, columns exchanged and one more": pd.DataFrame({"id": [7, 8, 9], "time": TIME, "event": INTS}),
    "pandas, other names": pd.DataFrame({"dead": INTS, "days": TIME}, index=[5, 3, 1]),
    "pandas, nullable": pd.DataFrame({"event": EVENT, "time": TIME}).convert_dtypes(),
    "polars": pl.DataFrame({"time": TIME, "event": EVENT}),
    "polars, other names": pl.DataFrame({"dead": INTS, "days": TIME}),
    "pair of arrays": (np.array(EVENT), np.array(TIME)),
    "pair of lists": (INTS, TIME),
    "list of lists": [EVENT, TIME],
    "pair of floats": (np.array(INTS, dtype=np.float32), np.array(TIME, dtype=np.float32)),
    "pair of pandas Series": (pd.Series(EVENT), pd.Series(TIME)),
    "pair of polars Series": (pl.Series(EVENT), pl.Series(TIME)),
    "integer times": (EVENT, np.array([2, 5, 0])),
    "objects": (np.array(EVENT, dtype=object), np.array(TIME, dtype=object)),
}


@pytest.mark.parametrize(("form", "y"), FORMS.items(), ids=FORMS)
def test_every_form_gives_the_same_target(form, y):
    target = as_target(y)
    times = np.array(TIME) if form != "integer times" else np.array([2.0, 5.0, 0.0])
    np.testing.assert_array_equal(target.event, EVENT)
    np.testing.assert_array_equal(target.lower, times)
    np.testing.assert_array_equal(target.upper, [times[0], np.inf, times[2]])
    np.testing.assert_array_equal(target.weight, 1.0)
    assert len(target) == 3
    assert target.lower.dtype == target.weight.dtype == np.float64


def test_sample_weights_travel_with_the_rows():
    target = as_target(structured(), [1, 0, 2.5])
    np.testing.assert_array_equal(target[[2, 0]].weight, [2.5, 1.0])
    np.testing.assert_array_equal(target[target.event].lower, [1.0, 0.0])


REFUSALS = {
    "negative time": ((EVENT, [1.0, -3.5, 2.0]), "non-negative; got -3.5 (row 1)"),
    "NaN time": ((EVENT, [1.0, 2.0, np.nan]), "finite; got nan (row 2)"),
    "infinite time": ((EVENT, [np.inf, 2.0, 1.0]), "finite; got inf (row 0)"),
    "missing time": ((EVENT, [1.0, None, 1.0]), "finite; got nan (row 1)"),
    "many wrong times": (([1] * 5, [-1.0, -2.0, -3.0, -4.0, -5.0]), "-3.0 (row 2) and 2 more"),
    "negative event": (([1, -2, 0], TIME), "0 for none; got -2 (row 1)"),
    "NaN event": (([1, np.nan, 0], TIME), "got nan (row 1)"),
    "exchanged": ((TIME, INTS), "The event comes first and the time second"),
    "text event": ((["yes", "no", "yes"], TIME), "boolean, 0/1, or the number of its cause"),
    "text time": ((EVENT, ["a", "b", "c"]), "time must be numeric"),
    "missing event": (
        (pd.array([True, None, False], dtype="boolean"), TIME),
        "boolean, 0/1, or the number of its cause",
    ),
    "lengths differ": ((EVENT, TIME[:2]), "got 3 in event, 2 in time"),
    "empty": (([], []), "is empty: at least one subject"),
    "times in two dimensions": ((EVENT, [[1.0], [2.0], [3.0]]), "time must be one-dimensional; got shape (3, 1)"),
    "one field": (
        np.zeros(3, dtype=[("event", bool)]),
        "two fields, event and time, or those of hazboost.Surv; got 1: event",
    ),
    "three fields": (np.zeros(3, dtype=[("a", bool), ("b", float), ("c", float)]), "got 3: a, b, c"),
    "structured in two dimensions": (structured().reshape(3, 1), "one-dimensional; got shape (3, 1)"),
    "three columns": (pd.DataFrame({"a": EVENT, "b": TIME, "c": TIME}), "got 3: a, b, c"),
    "one column": (pl.DataFrame({"time": TIME}), "got 1: time"),
    "plain vector": (np.array(TIME), "got ndarray of shape (3,)"),
    "plain matrix": (np.zeros((3, 2)), "got ndarray of shape (3, 2)"),
    "nothing": (None, "the target y is None"),
    "list of numbers": (TIME, "got list"),
    "list of pairs": ([(True, 1.0), (False, 2.0), (True, 3.0)], "got list"),
}


@pytest.mark.parametrize(("y", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusal_names_the_offender(y, message):
    with pytest.raises(ValueError, match=r"^y\b.*" + re.escape(message)):
        as_target(y)


def test_refusal_uses_the_name_of_the_argument():
    with pytest.raises(ValueError, match=r"^eval_set: every time"):
        as_target((EVENT, [1.0, -1.0, 2.0]), name="eval_set")


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, -2.0, 1.0], "got -2.0 (row 1)"),
        ([1.0, 1.0, np.nan], "got nan (row 2)"),
        ([np.inf, 1.0, 1.0], "got inf (row 0)"),
        ([1.0, 1.0], "shape (3,), one value per subject; got (2,)"),
        (2.0, "shape (3,), one value per subject; got ()"),
    ],
)
def test_wrong_sample_weight_is_named(weight, message):
    with pytest.raises(ValueError, match="sample_weight must .*" + re.escape(message)):
        as_target(structured(), weight)


def test_target_without_information_is_refused():
    with pytest.raises(ValueError, match="y has no event: all 3 subjects are censored"):
        check_informative(as_target(([0, 0, 0], TIME)))
    with pytest.raises(ValueError, match="no event"):
        check_informative(as_target(([1, 0, 0], TIME), [0.0, 1.0, 1.0]))
    with pytest.raises(ValueError, match="y: all observed times are 0"):
        check_informative(as_target((EVENT, [0.0, 0.0, 0.0])))
    check_informative(as_target(structured()))


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


def table(**columns):
    return pd.DataFrame(columns)


def test_a_number_is_the_cause_of_an_event():
    target = as_target(([0, 2, 1], [1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(target.cause, [0, 2, 1])
    np.testing.assert_array_equal(target.event, [False, True, True])


def test_rows_of_one_subject_share_a_number_and_a_whole():
    target = as_target(table(id=["b", "a", "b", "c"], start=[0, 0, 1, 0], stop=[1, 2, 4, 1], event=[0, 1, 1, 0]))
    np.testing.assert_array_equal(target.subject, [0, 1, 0, 2])
    np.testing.assert_array_equal(target.portion, [0.25, 1.0, 0.75, 1.0])
    np.testing.assert_array_equal(target.entry, [0.0, 0.0, 1.0, 0.0])
    np.testing.assert_array_equal(target.upper, [np.inf, 2.0, 4.0, np.inf])
    assert target.has_several_rows
    assert target.mean(np.array([1.0, 2.0, 3.0, 5.0])) == pytest.approx(11.0 / 3.0)
    np.testing.assert_array_equal(target[[2, 1]].portion, [0.75, 1.0])
    np.testing.assert_array_equal(target.only(target.entry > 0.0).portion, [1.0])


def test_open_ends_of_intervals():
    y = table(lower=[np.nan, -np.inf, 0.0, 1.0, 2.0], upper=[1.0, 2.0, 3.0, np.nan, 2.0])
    target = as_target(y)
    np.testing.assert_array_equal(target.lower, [0.0, 0.0, 0.0, 1.0, 2.0])
    np.testing.assert_array_equal(target.upper, [1.0, 2.0, 3.0, np.inf, 2.0])
    np.testing.assert_array_equal(target.cause, [0, 0, 0, 0, 1])
    late = as_target(y.assign(entry=[0.5, 0.0, 0.0, 0.5, 1.0]))
    np.testing.assert_array_equal(late.lower, [0.5, 0.0, 0.0, 1.0, 2.0])


WRONG_ROWS = {
    "stop at start": (
        table(event=[1, 0], start=[0.0, 2.0], stop=[1.0, 2.0]),
        "start must be before stop; got 2.0 and 2.0 (row 1)",
    ),
    "overlap": (
        table(id=[7, 7, 7], event=[0, 0, 1], start=[2.0, 0.0, 1.0], stop=[3.0, 1.0, 2.5]),
        "must not overlap; got (1.0, 2.5] (row 2) and (2.0, 3.0] (row 0) of id 7",
    ),
    "missing id": (table(id=[1.0, np.nan], event=[0, 1], start=[0, 0], stop=[1, 1]), "needs its id; got nan (row 1)"),
    "entry at exit": (table(event=[1, 0], time=[1.0, 2.0], entry=[0.0, 2.0]), "got 2.0 and 2.0 (row 1)"),
    "negative entry": (table(event=[1, 0], time=[1.0, 2.0], entry=[0.0, -2.0]), "every entry must be non-negative"),
    "exchanged bounds": (table(lower=[1.0, 5.0], upper=[2.0, 4.0]), "after upper; got 5.0 and 4.0 (row 1)"),
    "negative upper": (table(lower=[0.0], upper=[-1.0]), "every upper must be non-negative; got -1.0 (row 0)"),
    "infinite lower": (table(lower=[np.inf], upper=[np.inf]), "every lower must be finite; got inf (row 0)"),
    "entry after interval": (table(lower=[0.0], upper=[2.0], entry=[3.0]), "got 3.0 and 2.0 (row 0)"),
}


@pytest.mark.parametrize(("y", "message"), WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_wrong_rows_are_named(y, message):
    with pytest.raises(ValueError, match="^y: .*" + re.escape(message)):
        as_target(y)


def test_gaps_in_the_causes_are_refused_where_a_model_learns():
    target = as_target(([0, 3, 1], [1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="the largest is 3 and there is no event of cause 2"):
        check_causes(target)


def test_intervals_are_information():
    check_informative(as_target(table(lower=[0.0, 1.0], upper=[1.0, 2.0])))
    with pytest.raises(ValueError, match="y has no event"):
        check_informative(as_target(table(lower=[0.0, 1.0], upper=[np.inf, np.inf])))


def test_events_at_zero_move_to_half_the_smallest_positive_time():
    target = as_target(([1, 0, 1, 0], [0.0, 0.0, 3.0, 0.5])).without_events_at_zero()
    np.testing.assert_array_equal(target.lower, [0.25, 0.0, 3.0, 0.5])
    np.testing.assert_array_equal(target.upper, [0.25, np.inf, 3.0, np.inf])
    np.testing.assert_array_equal(target.event, [True, False, True, False])


def test_target_without_events_at_zero_stays_as_it_is():
    target = as_target(([0, 1], [0.0, 1.0]))
    assert target.without_events_at_zero() is target


def test_scaling_changes_the_unit_of_time_only():
    target = as_target(structured(), [1.0, 2.0, 3.0])
    scaled = target.scaled(365.0)
    np.testing.assert_allclose(scaled.lower * 365.0, target.lower)
    np.testing.assert_array_equal(scaled.event, target.event)
    np.testing.assert_array_equal(scaled.weight, target.weight)


def test_input_is_not_changed():
    y = structured()
    before = y.copy()
    as_target(y).scaled(2.0).without_events_at_zero()
    np.testing.assert_array_equal(y, before)


def test_targets_are_immutable():
    with pytest.raises(AttributeError):
        Target.of(np.ones(1), np.ones(1), np.ones(1)).lower = np.zeros(1)


def test_condensed_target_keeps_the_likelihood_of_a_fit_without_features(make_mixture):
    rng = np.random.default_rng(0)
    time = rng.weibull(1.4, 20_000)
    event = rng.random(20_000) < 0.4
    target = Target.of(time, np.where(event, time, np.inf), rng.uniform(0.5, 1.5, 20_000))
    small = condense(target, 500)
    assert len(small) == 1000
    for whole, part in ((target.event, small.event), (~target.event, ~small.event)):
        assert small.weight[part].sum() == pytest.approx(target.weight[whole].sum())
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "softmax")
    scores = np.array([0.1, 0.3, -0.2, 0.2, 0.0, 0.0])
    means = [
        np.average(loss_and_gradient(mixture, np.tile(scores, (len(one), 1)), one)[0], weights=one.weight)
        for one in (target, small)
    ]
    assert means[0] == pytest.approx(means[1], abs=1e-4)


def test_few_rows_are_not_condensed():
    target = as_target(([True, False, True], [1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(np.sort(condense(target, 5).lower), target.lower)


def test_durations_are_not_numbers():
    with pytest.raises(ValueError, match=r"the time must be a number.*timedelta64"):
        as_target(([True, False], np.array([1, 2], dtype="timedelta64[D]")))


@pytest.mark.parametrize("factor", [1e-20, 1e20])
def test_weights_that_single_precision_would_lose_are_refused(factor):
    with pytest.raises(ValueError, match="sample_weight must be 0 or between"):
        as_target(([True, False], [1.0, 2.0]), [factor, 1.0])


def test_a_target_is_passed_on():
    target = as_target((np.array([True, False]), np.array([1.0, 2.0])), [1.0, 2.0])
    assert as_target(target) is target
    np.testing.assert_array_equal(as_target(target, [3.0, 4.0]).weight, [3.0, 4.0])
    with pytest.raises(ValueError, match="sample_weight must have shape"):
        as_target(target, [3.0])


def test_condensed_rows_of_every_kind_keep_the_likelihood(make_mixture):
    rng = np.random.default_rng(1)
    n = 12_000
    lower = rng.weibull(1.4, n)
    entry = np.where(rng.random(n) < 0.5, lower * rng.random(n), 0.0)
    kind = rng.integers(0, 3, n)
    upper = np.choose(kind, [lower, np.full(n, np.inf), lower * rng.uniform(1.1, 3.0, n)])
    cause = np.where(kind == 0, rng.integers(1, 3, n), 0)
    target = Target.of(lower, upper, rng.uniform(0.5, 1.5, n), entry=entry, cause=cause)
    small = condense(target, 500)
    assert len(small) <= 2000 + 2500
    mixture = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "softmax", 2)
    scores = rng.normal(scale=0.3, size=mixture.n_scores)
    sums = [
        one.weight @ loss_and_gradient(mixture, np.tile(scores, (len(one), 1)), one)[0] / n for one in (target, small)
    ]
    assert sums[0] == pytest.approx(sums[1], abs=1e-3)


def test_pieces_are_joined():
    subject, start, stop = [0, 1, 0, 0, 1], [0.0, 0.0, 1.0, 5.0, 2.0], [1.0, 2.0, 3.0, 6.0, 4.0]
    y = table(id=subject, start=start, stop=stop, event=[0, 1, 2, 0, 0])
    joined = join_rows(as_target(y))
    np.testing.assert_array_equal(joined.entry, [0.0, 5.0, 0.0, 2.0])  # a gap and an event are kept
    np.testing.assert_array_equal(joined.lower, [3.0, 6.0, 2.0, 4.0])
    np.testing.assert_array_equal(joined.cause, [2, 0, 1, 0])
    np.testing.assert_array_equal(joined.subject, [0, 0, 1, 1])


def test_one_cause_at_a_time():
    target = Target.of(
        np.array([1.0, 2.0, 3.0, 4.0, 5.0]), np.array([1.0, 2.0, np.inf, 6.0, 5.0]), cause=np.array([1, 2, 0, 0, 1])
    )
    only = as_if_only(target, 1)
    np.testing.assert_array_equal(only.event, [True, False, False, True, True, False])
    np.testing.assert_allclose(only.weight, [1.0, 1.0, 1.0, 2 / 3, 1.0, 1 / 3])
    np.testing.assert_array_equal(only.lower, [1.0, 2.0, 3.0, 5.0, 5.0, 5.0])


def test_rare_kinds_are_not_told_apart():
    cause = np.array([0, 0, 0, 1, 1, 1, 2])
    target = Target.of(np.ones(7), np.where(cause > 0, 1.0, np.inf), cause=cause)
    np.testing.assert_array_equal(strata(target, target.subject, 1), cause)
    np.testing.assert_array_equal(strata(target, target.subject, 3), cause > 0)
    np.testing.assert_array_equal(strata(target, target.subject, 4), 0)


def test_a_group_is_of_the_highest_kind_in_it():
    cause = np.array([0, 0, 0, 1, 1, 1, 2])
    target = Target.of(np.ones(7), np.where(cause > 0, 1.0, np.inf), cause=cause)
    np.testing.assert_array_equal(strata(target, np.array([0, 1, 2, 2, 3, 4, 4]), 1), [0, 0, 1, 1, 2])


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


@pytest.mark.parametrize("labels", [["b", "a", "b", "a"], [7, 3, 7, 3], pd.Series(["x", "y", "x", "y"], dtype=object)])
def test_groups_are_numbered_by_appearance(labels):
    np.testing.assert_array_equal(as_groups(labels, Target.of(np.ones(4), np.ones(4))), [0, 1, 0, 1])


def test_groups_that_cannot_be_are_refused():
    target = Target.of(
        np.array([1.0, 2.0, 1.0]), np.full(3, np.inf), entry=[0.0, 1.0, 0.0], subject=np.array([0, 0, 1])
    )
    with pytest.raises(ValueError, match="groups must have one label for each of the 3 rows; got 2"):
        as_groups([1, 2], target)
    with pytest.raises(ValueError, match="groups: row 1 is in group b, an earlier row of its subject in another one"):
        as_groups(["a", "b", "a"], target)
    with pytest.raises(ValueError, match="groups: every row needs its label"):
        as_groups(["a", "a", None], target)
    with pytest.raises(ValueError, match="groups: every row needs its label"):
        as_groups(pd.Series(["a", "a", None], dtype="string"), target)


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


def test_slices_know_whether_a_subject_has_several_rows():
    """A slice keeps the subjects' numbers, which then have gaps and may exceed the number of rows."""
    start = np.tile([0.0, 1.0], 5)
    target = Target.of(start + 1.0, np.full(10, np.inf), entry=start, subject=np.repeat(np.arange(5), 2))
    assert target.has_several_rows
    assert target[6:].has_several_rows
    assert not target[::2].has_several_rows
    assert (target[6:].n_subjects, target[1:4].n_subjects) == (2, 2)
    assert not target[:0].has_several_rows
