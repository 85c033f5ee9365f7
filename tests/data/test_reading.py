"""Every accepted ``y`` becomes the same target, and errors name what is wrong."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hazboost import Surv
from hazboost.data.reading import as_groups, as_target, check_causes, check_informative
from hazboost.data.target import Target

INTS = [1, 0, 1]


EVENT, TIME = [True, False, True], [1.0, 2.5, 0.0]


def structured(event=EVENT, time=TIME, names=("event", "time"), kind=bool):
    y = np.empty(len(event), dtype=[(names[0], kind), (names[1], float)])
    y[names[0]], y[names[1]] = event, time
    return y


FORMS = {
    "structured array": structured(),
    "structured array with other names": structured(names=("cens", "futime")),
    "structured array, time first": structured()[["time", "event"]],
    "structured array of integers": structured(kind=int),
    "record array": structured().view(np.recarray),
    "pandas": pd.DataFrame({"event": EVENT, "time": TIME}),
    "pandas, columns exchanged and one more": pd.DataFrame({"id": [7, 8, 9], "time": TIME, "event": INTS}),
    "pandas, other names": pd.DataFrame({"dead": INTS, "days": TIME}, index=[5, 3, 1]),
    "pandas, nullable": pd.DataFrame({"event": EVENT, "time": TIME}).convert_dtypes(),
    "polars": pl.DataFrame({"time": TIME, "event": EVENT}),
    "Arrow": pa.table({"time": TIME, "event": EVENT}),
    "Arrow, other names": pa.table({"days": TIME, "dead": INTS}),
    "polars, other names": pl.DataFrame({"dead": INTS, "days": TIME}),
    "pair of arrays": (np.array(EVENT), np.array(TIME)),
    "pair of lists": (INTS, TIME),
    "list of lists": [EVENT, TIME],
    "pair of floats": (np.array(INTS, dtype=np.float32), np.array(TIME, dtype=np.float32)),
    "pair of pandas Series": (pd.Series(EVENT), pd.Series(TIME)),
    "pair of polars Series": (pl.Series(EVENT), pl.Series(TIME)),
    "pair of Arrow arrays": (pa.array(EVENT), pa.chunked_array([TIME[:1], TIME[1:]])),
    "masked arrays without a mask": (np.ma.array(EVENT), np.ma.array(TIME)),
    "integer times": (EVENT, np.array([2, 5, 0])),
    "objects": (np.array(EVENT, dtype=object), np.array(TIME, dtype=object)),
}


REFUSALS = {
    "negative time": ((EVENT, [1.0, -3.5, 2.0]), "non-negative; got -3.5 (row 1)"),
    "NaN time": ((EVENT, [1.0, 2.0, np.nan]), "finite; got nan (row 2)"),
    "infinite time": ((EVENT, [np.inf, 2.0, 1.0]), "finite; got inf (row 0)"),
    "missing time": ((EVENT, [1.0, None, 1.0]), "finite; got nan (row 1)"),
    "many wrong times": (([1] * 5, [-1.0, -2.0, -3.0, -4.0, -5.0]), "-3.0 (row 2) and 2 more"),
    "negative event": (([1, -2, 0], TIME), "0 for none; got -2 (row 1)"),
    "NaN event": (([1, np.nan, 0], TIME), "got nan (row 1)"),
    "exchanged": ((TIME, [2.0, 0.5, 1.0]), "got 2.5 (row 1). If these are times, give the event first"),
    "boolean times": ((EVENT, EVENT), "the time must be a number; got True and False"),
    "masked time": ((EVENT, np.ma.array(TIME, mask=[0, 1, 0])), "finite; got nan (row 1)"),
    "masked event": ((np.ma.array(EVENT, mask=[0, 1, 0]), TIME), "0 for none; got nan (row 1)"),
    "text that looks like times": ((EVENT, ["1", "2", "3"]), "the time must be numeric; got text"),
    "text that looks like events": ((["1", "0", "1"], TIME), "number of its cause; got text"),
    "complex times": ((EVENT, [1j, 2.0, 3.0]), "the time must be numeric; got complex numbers"),
    "repeated column": (pd.DataFrame([[1, 2.0, 3.0]], columns=["event", "time", "time"]), "'time' is repeated"),
    "two rows": ([(True, 1.0), (False, 2.0)], "got (True, 1.0) as the events, which looks like the event and the time"),
    "two rows of numbers": ([[1, 5.0], [0, 3.0]], "got [1, 5.0] as the events"),
    "series of tuples": (pd.Series([(True, 1.0), (False, 2.0)]), "got Series of shape (2,)"),
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


def table(**columns):
    return pd.DataFrame(columns)


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
    "neither lower nor upper": (
        table(lower=[0.0, np.nan], upper=[2.0, np.nan]),
        "lower and upper must not both be missing; got NaN and NaN (row 1)",
    ),
    "entry after interval": (table(lower=[0.0], upper=[2.0], entry=[3.0]), "got 3.0 and 2.0 (row 0)"),
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
        ([1.0, 1.0], "one value for each of the 3 rows; got shape (2,)"),
        (2.0, "one value for each of the 3 rows; got shape ()"),
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


@pytest.mark.parametrize(("y", "message"), WRONG_ROWS.values(), ids=WRONG_ROWS)
def test_wrong_rows_are_named(y, message):
    with pytest.raises(ValueError, match="^y: .*" + re.escape(message)):
        as_target(y)


@pytest.mark.parametrize(("event", "n_causes", "absent"), [([0, 3, 1], None, "2"), ([0, 2, 2], 4, "1, 3, 4")])
def test_causes_without_an_event_are_named(event, n_causes, absent):
    target = as_target((event, [1.0, 2.0, 3.0]))
    with pytest.warns(
        UserWarning, match=f"y: there is no event of cause {absent}. Its hazard is that of half an event"
    ):
        assert check_causes(target, n_causes) == (n_causes or 3)


def test_causes_are_the_codes_up_to_the_largest():
    assert check_causes(as_target(([0, 2, 1], TIME))) == 2
    assert check_causes(as_target(([0, 2, 1], TIME)), 2) == 2
    intervals = as_target(table(lower=[0.0, 1.0], upper=[1.0, 2.0]))
    assert check_causes(intervals) == 1
    with pytest.raises(ValueError, match="n_causes=1, but y has events of cause 2"):
        check_causes(as_target(([0, 2, 1], TIME)), 1)
    with pytest.raises(ValueError, match="n_causes=2, but no event of y has a known cause"):
        check_causes(intervals, 2)


@pytest.mark.parametrize("event", [[1, 2, 2], [1.0, 2.0, 1.0], [3, 1, 2], pd.Series([2, 1, 2], dtype="category")])
def test_the_codes_of_r_are_read_as_causes_with_a_warning(event):
    with pytest.warns(UserWarning, match=r"^y: the event has the codes 1, 2.* In R's Surv.* pass event == 2") as caught:
        target = as_target((event, [1.0, 2.0, 3.0]))
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(target.cause, np.asarray(event))
    with pytest.warns(UserWarning, match="Surv.right: the event has the codes 1, 2"):
        Surv.right(event, TIME)
    assert (as_target((event, TIME), causes_known=True).cause == target.cause).all()


@pytest.mark.parametrize("event", [[1, 1, 1], [True, True, True], [2, 2, 2], [0, 1, 2], [0, 0, 0]])
def test_other_codes_are_read_without_a_warning(event):
    np.testing.assert_array_equal(as_target((event, TIME)).cause, event)


@pytest.mark.parametrize("y", [([21, 0, 1], TIME), table(time=TIME, event=[731, 365, 30])])
def test_more_causes_than_anybody_has_are_times(y):
    with pytest.raises(ValueError, match=r"got (21|731) \(row 0\).* probably times that were given as events"):
        as_target(y)


@pytest.mark.parametrize(
    ("columns", "unused"),
    [
        ({"event": [1], "time": [2.0], "start": [0.0], "stop": [1.0]}, "start, stop"),
        ({"event": [1], "time": [2.0], "start": [0.0]}, "start"),
        ({"event": [1], "time": [2.0], "upper": [0.0]}, "upper"),
        ({"event": [1], "start": [0.0], "stop": [1.0], "entry": [0.0]}, "entry"),
        ({"event": [1], "lower": [0.0], "upper": [1.0]}, "event"),
    ],
)
def test_columns_of_two_kinds_of_data_are_refused(columns, unused):
    with pytest.raises(ValueError, match=f"^y has the columns .*, and also {unused}, which would not be used"):
        as_target(pd.DataFrame(columns))


@pytest.mark.parametrize("longest", [1e-250, 1e250])
def test_times_at_the_end_of_the_numbers_are_refused(longest):
    with pytest.raises(ValueError, match=r"the longest time must be between 1e-200 and 1e.200; got 1e.*another unit"):
        check_informative(as_target((EVENT, [longest, 0.5 * longest, 0.0])))
    check_informative(as_target((EVENT, [1e-190, 1e-199, 0.0])))


def test_intervals_are_information():
    check_informative(as_target(table(lower=[0.0, 1.0], upper=[1.0, 2.0])))
    with pytest.raises(ValueError, match="y has no event"):
        check_informative(as_target(table(lower=[0.0, 1.0], upper=[np.inf, np.inf])))


def test_input_is_not_changed():
    y = structured()
    before = y.copy()
    as_target(y).scaled(2.0).without_events_at_zero()
    np.testing.assert_array_equal(y, before)


def test_durations_are_not_numbers():
    with pytest.raises(ValueError, match=r"the time must be numeric; got dates or durations .*timedelta64"):
        as_target(([True, False], np.array([1, 2], dtype="timedelta64[D]")))


@pytest.mark.parametrize("factor", [1e-20, 1e20])
def test_weights_that_single_precision_would_lose_are_refused(factor):
    with pytest.raises(ValueError, match="sample_weight must be 0 or at least 1e-15 of the largest"):
        as_target(([True, False], [1.0, 2.0]), [factor, 1.0])


def test_a_target_is_passed_on():
    target = as_target((np.array([True, False]), np.array([1.0, 2.0])), [1.0, 2.0])
    assert as_target(target) is target
    np.testing.assert_array_equal(as_target(target, [3.0, 4.0]).weight, [3.0, 4.0])
    with pytest.raises(ValueError, match="sample_weight must have one value for each"):
        as_target(target, [3.0])


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
    for missing in (
        pd.Series(["a", "a", None], dtype="string"),
        np.ma.array([1, 1, 2], mask=[0, 0, 1]),
        np.ma.array(["a", "a", "b"], mask=[0, 0, 1]),
        np.array(["2020-01-01", "2020-01-01", "NaT"], dtype="datetime64[ns]"),
    ):
        with pytest.raises(ValueError, match=r"groups: every row needs its label; got .* \(row 2\)"):
            as_groups(missing, target)
