"""Descriptions of values: short, on one line, whatever the value."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from hazboost.utils.describe import and_more, describe, examples

DESCRIPTIONS = [
    (1.5, "1.5"),
    (np.float64(1.5), "1.5"),
    (True, "True"),
    (None, "None"),
    ("late", "'late'"),
    ([1, 2], "[1, 2]"),
    (list(range(1000)), "[0, 1, 2, ...]"),
    ((0.5,) * 9, "(0.5, 0.5, 0.5, ...)"),
    (np.arange(3.0), "ndarray of shape (3,): [0.0, 1.0, 2.0]"),
    (np.arange(1000), "ndarray of shape (1000,): [0, 1, 2, ...]"),
    (np.zeros((3, 4)), "ndarray of shape (3, 4)"),
    (pd.DataFrame({"a": range(100)}), "DataFrame of shape (100, 1)"),
    (pl.Series([1] * 100), "Series of shape (100,)"),
    (sp.csr_matrix((5, 2)), "csr_matrix of shape (5, 2)"),
]


@pytest.mark.parametrize(("value", "text"), DESCRIPTIONS, ids=[text for _, text in DESCRIPTIONS])
def test_descriptions(value, text):
    assert describe(value) == text


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES)
def test_descriptions_are_short(value):
    assert len(describe(value)) <= 80
    assert len(describe([value] * 100)) <= 80


@pytest.mark.parametrize("value", ["x" * 10_000, 10**500, [["y" * 100] * 100] * 100, pa.array(range(100)), object()])
def test_long_values_are_cut(value):
    text = describe(value)
    assert len(text) <= 80
    assert "\n" not in text


def test_examples_name_the_rows():
    values = np.array([1.0, -1.0, np.nan, -2.0, -3.0])
    assert examples(values, ~(values > 0.0)) == "-1.0 (row 1), nan (row 2), -2.0 (row 3) and 1 more"
    assert examples(values, values == 1.0) == "1.0 (row 0)"
    assert and_more(["a", "b"], 2) == "a, b"
