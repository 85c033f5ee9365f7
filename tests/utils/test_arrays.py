"""Numbers of every library are numbers, and nothing else is."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hazboost.utils.arrays import as_numbers, as_times

DAY = dt.datetime(2020, 1, 1)
DAYS = [DAY, DAY + dt.timedelta(days=1)]
STEPS = [dt.timedelta(days=1), dt.timedelta(days=2)]
CLOCK = [dt.time(1), dt.time(2)]

NUMBERS = {
    "floats": [1.0, 2.0],
    "objects": np.array([1, 2.0], dtype=object),
    "decimals": [Decimal(1), Decimal(2)],
    "fractions": [Fraction(1), Fraction(2)],
    "single precision": np.array([1, 2], dtype=np.float32),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([1.0, 2.0])),
    "pandas nullable": pd.array([1, 2], dtype="Int64"),
    "pandas with Arrow": pd.Series([1, 2], dtype="int64[pyarrow]"),
    "pandas categories": pd.Categorical([1, 2]),
    "polars": pl.Series([1, 2]),
    "polars decimals": pl.Series([Decimal(1), Decimal(2)]),
    "Arrow": pa.array([1, 2]),
    "Arrow decimals": pa.array([Decimal(1), Decimal(2)]),
    "Arrow chunks": pa.chunked_array([[1], [2]]),
    "booleans": np.array([True, True]) * [1, 2],
    "masked": np.ma.array([1, 2], mask=[False, False]),
}
MISSING = {
    "None": [1.0, None],
    "pandas NA": np.array([1.0, pd.NA], dtype=object),
    "pandas nullable": pd.Series([1, None], dtype="Int64"),
    "pandas boolean": pd.Series([True, None], dtype="boolean"),
    "pandas with Arrow": pd.Series([1, None], dtype="double[pyarrow]"),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([1.0, np.nan])),
    "polars": pl.Series([1, None]),
    "polars boolean": pl.Series([True, None]),
    "Arrow": pa.array([1, None]),
    "Arrow boolean": pa.chunked_array([[True], [None]]),
    "masked": np.ma.array([1.0, 2.0], mask=[False, True]),
    "masked integers": np.ma.array([1, 2], mask=[False, True]),
    "masked objects": np.ma.array([1, "x"], mask=[False, True], dtype=object),
}
DATES = {
    "NumPy dates": np.array(DAYS, dtype="datetime64[D]"),
    "NumPy durations": np.array(STEPS, dtype="timedelta64[s]"),
    "NumPy dates as objects": np.array([np.datetime64("2020-01-01"), None], dtype=object),
    "NumPy durations as objects": np.array([np.timedelta64(1, "D"), 2.0], dtype=object),
    "masked dates": np.ma.array(np.array(DAYS, dtype="datetime64[ns]"), mask=[True, False]),
    "list of dates": DAYS,
    "list of days": [day.date() for day in DAYS],
    "list of durations": STEPS,
    "pandas": pd.Series(DAYS),
    "pandas with time zone": pd.Series(DAYS).dt.tz_localize("UTC"),
    "pandas durations": pd.Series(STEPS),
    "pandas objects": pd.Series([pd.Timestamp(day) for day in DAYS], dtype=object),
    "pandas duration objects": pd.Series([pd.Timedelta(step) for step in STEPS], dtype=object),
    "pandas NaT": np.array([1.0, pd.NaT], dtype=object),
    "Arrow in pandas": pd.Series(DAYS, dtype="timestamp[ns][pyarrow]"),
    "Arrow dates in pandas": pd.Series([day.date() for day in DAYS], dtype=pd.ArrowDtype(pa.date32())),
    "Arrow durations in pandas": pd.Series(STEPS, dtype=pd.ArrowDtype(pa.duration("ns"))),
    "Arrow times in pandas": pd.Series(CLOCK, dtype=pd.ArrowDtype(pa.time64("us"))),
    "polars": pl.Series(DAYS),
    "polars dates": pl.Series([day.date() for day in DAYS]),
    "polars durations": pl.Series(STEPS),
    "polars times": pl.Series(CLOCK),
    "Arrow": pa.array(DAYS),
    "Arrow dates": pa.array([day.date() for day in DAYS]),
    "Arrow durations": pa.chunked_array([STEPS]),
    "Arrow times": pa.array(CLOCK),
}
OTHERS = {
    "text": (["1", "2"], "text"),
    "bytes": ([b"1", b"2"], "text"),
    "text among numbers": (np.array([1.0, "2"], dtype=object), "text"),
    "pandas text": (pd.Series(["1", "2"], dtype="string"), "text"),
    "pandas text with Arrow": (pd.Series(["1", "2"], dtype="string[pyarrow]"), "text"),
    "polars text": (pl.Series(["1", "2"]), "text"),
    "Arrow text": (pa.array(["1", "2"]), "text"),
    "one text": ("1", "text"),
    "complex": (np.array([1j, 2.0]), "complex numbers"),
    "complex objects": (np.array([1j, 2.0], dtype=object), "complex numbers"),
    "lists of two lengths": ([[1.0], [2.0, 3.0]], r"\[\[1.0\], \[2.0, 3.0\]\]"),
    "a dict": ({"a": 1.0}, "values of type dict"),
    "a number that is too large": ([10**400], r"a number that is too large: \[1000"),
    "pandas periods": (pd.Series(pd.period_range("2020", periods=2)), "values of type Period"),
    "lists": (pd.Series([[1.0], [2.0, 3.0]]), "values of type list"),
    "Arrow lists": (pa.array([[1.0], None]), "values of type ndarray"),
    "records": (np.zeros(2, dtype=[("a", float)]), "records"),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_numbers_of_every_library(case):
    numbers = as_numbers(NUMBERS[case], "z")
    assert numbers.dtype == np.float64
    np.testing.assert_array_equal(numbers, [1.0, 2.0])


@pytest.mark.parametrize("case", MISSING)
def test_missing_values_of_every_library(case):
    np.testing.assert_array_equal(as_numbers(MISSING[case], "z"), [1.0, np.nan])


@pytest.mark.parametrize("case", DATES)
def test_dates_and_durations_of_every_library_are_refused(case):
    with pytest.raises(ValueError, match=r"^z must be numeric; got dates or durations .*unit of your choice"):
        as_numbers(DATES[case], "z")


@pytest.mark.parametrize("case", OTHERS)
def test_other_values_are_refused(case):
    values, found = OTHERS[case]
    with pytest.raises(ValueError, match=f"^z must be numeric; got {found}") as refusal:
        as_numbers(values, "z")
    assert len(str(refusal.value)) < 150


def test_an_array_is_not_copied():
    values = np.ones(3)
    assert as_numbers(values, "z") is values


@pytest.mark.parametrize("times", [[-1.0] * 1000, np.full((10, 10), np.nan), [1.0, np.inf]])
def test_wrong_times_are_named_in_short(times):
    with pytest.raises(ValueError, match=r"^times must be finite and non-negative; got (-1.0|nan|inf)") as refusal:
        as_times(times)
    assert len(str(refusal.value)) < 100
