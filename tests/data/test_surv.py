"""Surv: results for arrays, columns and formulas, and refused input."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import train_test_split

from hazboost import Surv
from hazboost.data.reading import as_target

COLUMNS = {
    "dead": [1, 0, 1],
    "days": [4.0, 5.0, 6.0],
    "late": [0.0, 1.0, 2.0],
    "who": ["a", "a", "b"],
    "from": [0.0, 4.0, 1.0],
    "to": [4.0, 5.0, 6.0],
    "low": [0.0, 1.0, 2.0],
    "high": [1.0, 3.0, 2.0],
}
FRAMES = {
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
    "Arrow": pa.table(COLUMNS),
    "mapping": COLUMNS,
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def test_right_has_the_format_of_scikit_survival():
    sksurv_util = pytest.importorskip("sksurv.util")
    event, time = [True, False], [1.0, 2.0]
    theirs = sksurv_util.Surv.from_arrays(event, time, name_event="event", name_time="time")
    np.testing.assert_array_equal(Surv.right(event, time), theirs)
    assert Surv.right(event, time).dtype == theirs.dtype


@frames
def test_columns_and_formulas_give_what_arrays_give(frame):
    c = COLUMNS
    for by_name, by_array in (
        (Surv.right("dead", "days", data=frame), Surv.right(c["dead"], c["days"])),
        (Surv.formula("Surv(days, dead)", frame), Surv.right(c["dead"], c["days"])),
        (Surv.right("dead", "days", entry="late", data=frame), Surv.right(c["dead"], c["days"], entry=c["late"])),
        (
            Surv.counting("from", "to", "dead", "who", data=frame),
            Surv.counting(c["from"], c["to"], c["dead"], id=c["who"]),
        ),
        (
            Surv.formula("Surv(from, to, dead)", frame, id="who"),
            Surv.counting(c["from"], c["to"], c["dead"], id=c["who"]),
        ),
        (Surv.formula(' Surv( low , high, type = "interval2") ', frame), Surv.interval(c["low"], c["high"])),
        (
            Surv.rounded("dead", "days", "up", unit=1, entry="late", data=frame),
            Surv.rounded(c["dead"], c["days"], "up", unit=1, entry=c["late"]),
        ),
    ):
        assert by_name.dtype == by_array.dtype
        np.testing.assert_array_equal(by_name, by_array)


def test_names_of_columns_may_be_numbers():
    frame = pd.DataFrame({0: [1, 0], 1: [3.0, 5.0]})
    np.testing.assert_array_equal(Surv.right(0, 1, data=frame), Surv.right(frame[0], frame[1]))
    with pytest.raises(ValueError, match=r"Surv\.right: data has no column 7, given as time"):
        Surv.right(0, 7, data=frame)


def test_lazy_data_are_refused():
    with pytest.raises(TypeError, match=r"polars\.LazyFrame is not supported"):
        Surv.right("dead", "days", data=FRAMES["polars"].lazy())


def test_masked_bounds_are_open():
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    np.testing.assert_array_equal(Surv.interval([0.5, 1.0], masked)["upper"], [1.0, np.inf])


def test_targets_of_every_kind():
    right = as_target(Surv.right([0, 2, 1], [1.0, 2.0, 3.0], entry=[0.0, 1.0, 0.5]))
    np.testing.assert_array_equal(right.cause, [0, 2, 1])
    np.testing.assert_array_equal(right.entry, [0.0, 1.0, 0.5])
    counting = as_target(Surv.counting([0.0, 1.0], [1.0, 3.0], [False, True], id=[9, 9]))
    np.testing.assert_array_equal(counting.subject, [0, 0])
    np.testing.assert_array_equal(counting.upper, [np.inf, 3.0])
    interval = as_target(Surv.interval([0.0, None, 2.0], [1.0, 2.0, None]))
    np.testing.assert_array_equal(interval.interval, [True, True, False])
    recurrent = as_target(Surv.counting([0.0, 1.0], [1.0, 3.0], [True, True], id=[9, 9]))
    np.testing.assert_array_equal(recurrent.event, [True, True])


def test_rounded_times_are_intervals():
    event, time, entry = [True, True, False, False], [6.0, 12.0, 6.0, 12.0], [0.0, 7.0, 2.0, 0.0]
    visits = Surv.rounded(event, time, to="visit", entry=entry)
    np.testing.assert_array_equal(visits, Surv.interval([0, 7, 6, 12], [6, 12, None, None], entry=entry))
    completed = Surv.rounded(event, time, to="down", unit=6)
    np.testing.assert_array_equal(completed, Surv.interval([6, 12, 12, 12], [12, 18, None, None]))
    # An entry in the period of the event is before the event, though the recorded times are the same.
    assert Surv.rounded([True], [3.0], to="down", unit=1, entry=[3.0]).tolist() == [(3.0, 4.0, 3.0)]


def test_slices_stay_readable():
    y = Surv.counting(np.zeros(20), np.ones(20), np.arange(20) % 2, id=np.arange(20))
    kept, held = train_test_split(y, random_state=0)
    np.testing.assert_array_equal(np.sort(np.r_[kept["id"], held["id"]]), np.arange(20))
    assert len(as_target(held)) == 5


def test_missing_bounds_of_every_library():
    y = Surv.interval(pd.array([None, 1.0], dtype="Float64"), pl.Series([2.0, None]))
    np.testing.assert_array_equal(y["lower"], [0.0, 1.0])
    np.testing.assert_array_equal(y["upper"], [2.0, np.inf])


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Surv.right([1, 0], [1.0, -1.0]), "Surv.right: every time must be non-negative; got -1.0 (row 1)"),
        (lambda: Surv.right([1, 0], [1.0]), "Surv.right: one value per row is needed in each column; got 2 in event"),
        (lambda: Surv.right([1], [1.0], entry=[1.0]), "Surv.right: entry must be before the last time; got 1.0 and"),
        (lambda: Surv.right("dead", "days"), "Surv.right: event='dead' is the name of a column; pass the DataFrame"),
        (lambda: Surv.right("x", "days", data=FRAMES["pandas"]), "Surv.right: data has no column 'x', given as event"),
        (lambda: Surv.right([[1]], [[1.0]]), "Surv.right: the event must be one-dimensional; got shape (1, 1)"),
        (lambda: Surv.counting([2.0], [1.0], [1]), "Surv.counting: start must be before stop; got 2.0 and 1.0 (row 0)"),
        (lambda: Surv.counting([0, 0], [2, 1], [0, 0], [5, 5]), "Surv.counting: the rows of one id must not overlap"),
        (lambda: Surv.counting([0], [2], [0], [None]), "Surv.counting: every row needs its id; got None (row 0)"),
        (
            lambda: Surv.interval([1.0, None, np.nan, 0.0], [None, None, np.nan, 2.0]),
            "Surv.interval: lower and upper must not both be missing; got NaN and NaN (row 1), NaN and NaN (row 2)",
        ),
        (lambda: Surv.interval([2.0], [1.0]), "Surv.interval: lower must not be after upper; got 2.0 and 1.0 (row 0)"),
        (
            lambda: Surv.right([1, 0], np.ma.array([1.0, 2.0], mask=[0, 1])),
            "every time must be finite; got nan (row 1)",
        ),
        (lambda: Surv.right([1, 0], ["1", "2"]), "the time must be numeric; got text"),
        (
            lambda: Surv.right([1.0, 0.5], [1, 0]),
            "boolean, 0/1, or the number of its cause, 0 for none; got 0.5 (row 1)",
        ),
        (lambda: Surv.right([1, 365], [1, 0]), "got 365 (row 1). These are probably times that were given as events"),
        (
            lambda: Surv.rounded([1], [1.0], to="left"),
            "Surv.rounded: to must be one of 'visit', 'up', 'down', 'nearest'",
        ),
        (
            lambda: Surv.rounded([1], [1.0], "up", unit=0),
            "Surv.rounded: unit must be a positive number, the length of a",
        ),
        (lambda: Surv.rounded([1], [1.0], "up", unit="month"), "the length of a period; got 'month'"),
        (lambda: Surv.rounded([1], [-1.0], "up"), "Surv.rounded: every time must be non-negative; got -1.0 (row 0)"),
        (lambda: Surv.rounded([1], [1.0], "up", entry=[0.0, 0.0]), "Surv.rounded: one value per row is needed in each"),
        (
            lambda: Surv.rounded([1], [3.0], "up", entry=[3.0]),
            "Surv.rounded: entry must be before the last time; got 3.0",
        ),
        (
            lambda: Surv.rounded([1, 1], [3, 0], "up"),
            "an event at time 0 (row 1) cannot have happened before it, as to='up'",
        ),
        (
            lambda: Surv.rounded([1, 1], [0.3, 0.1 + 0.2], "down"),
            "all events have the same time, which does not say how long a per",
        ),
        (
            lambda: Surv.rounded([1, 2, 0], [3, 4, 5], "up"),
            "Surv.rounded: the event has causes 1 to 2, and an event in an interval has no cause here. Record finer",
        ),
        (lambda: Surv.formula("time + event", {}), "got 'time + event'"),
        (lambda: Surv.formula("Surv(a)", {}), "got 'Surv(a)'"),
        (lambda: Surv.formula("Surv(a, b, type='left')", {}), "write Surv(time, event)"),
        (
            lambda: Surv.formula("Surv(dead, days)", FRAMES["pandas"], id="who"),
            "id can only be used with Surv(start, stop",
        ),
    ],
)
def test_refusals_name_the_function_and_the_rows(build, message):
    with pytest.raises(ValueError, match="^Surv.*" + re.escape(message.removeprefix("Surv"))):
        build()
