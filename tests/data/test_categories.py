"""Categories of prediction that training did not know: a few are missing values, all of them are a mistake."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hazboost.data.features import learn_schema

TRAINING = ["a", "b", "c", None, "a", "b"]


def pandas_table(values):
    return pd.DataFrame({"kind": pd.Categorical(values)})


def polars_table(values):
    return pl.DataFrame({"kind": pl.Series(values, dtype=pl.Categorical)})


def arrow_table(values):
    return pa.table({"kind": pa.array(values).dictionary_encode()})


def pandas_arrow_table(values):
    return arrow_table(values).to_pandas(types_mapper=pd.ArrowDtype)


TABLES = [pandas_table, polars_table, arrow_table, pandas_arrow_table]
tables = pytest.mark.parametrize("table", TABLES)


@tables
def test_codes_are_those_of_training(table):
    codes = learn_schema(table(TRAINING)).encode(table(["c", "a", None, "b", "b"]))[:, 0]
    np.testing.assert_array_equal(codes, [2.0, 0.0, np.nan, 1.0, 1.0])


@tables
def test_few_unknown_categories_are_missing(table):
    schema = learn_schema(table(TRAINING))
    codes = schema.encode(table(["a", "new", "b", None]))[:, 0]
    np.testing.assert_array_equal(codes, [0.0, np.nan, 1.0, np.nan])
    with pytest.warns(UserWarning, match=r"X: 2 of 3 values of column 'kind' are categories .* 'new', 'old' \(str\)"):
        codes = schema.encode(table(["a", "new", "old", None]))[:, 0]
    np.testing.assert_array_equal(codes, [0.0, np.nan, np.nan, np.nan])


@tables
def test_a_column_of_unknown_categories_is_refused(table):
    schema = learn_schema(table(TRAINING))
    message = r"no value of column 'kind' is .* known are 'a', 'b', 'c' \(str\), found were 'x', 'y' \(str\)"
    with pytest.raises(ValueError, match=message):
        schema.encode(table(["x", "y", None, "x"]))
    np.testing.assert_array_equal(schema.encode(pandas_table([None, None])), np.nan)


def test_text_for_numbers_is_refused():
    schema = learn_schema(pandas_table([1, 2, 3, 4, 5]))
    message = r"known are 1, 2, 3 and 2 more \(int\), found were '1', '2' \(str\). Code the column as in training"
    with pytest.raises(ValueError, match=message):
        schema.encode(pandas_table(["1", "2", "1"]))
    with pytest.raises(ValueError, match=message.replace(", '2'", "")):
        schema.encode(pandas_table(["1"]))
    np.testing.assert_array_equal(schema.encode(pandas_table([2.0, 1.0])), [[1.0], [0.0]])


@tables
def test_one_subject_of_a_new_category_is_no_mistake(table):
    schema = learn_schema(table(TRAINING))
    with pytest.warns(UserWarning, match="the category 'new' of column 'kind' is not in the training data.* missing"):
        np.testing.assert_array_equal(schema.encode(table(["new"])), [[np.nan]])


def test_categories_are_shared_between_all_kinds_of_table():
    for trained in TABLES:
        schema = learn_schema(trained(TRAINING))
        for table in TABLES:
            np.testing.assert_array_equal(schema.encode(table(["b", None, "a"]))[:, 0], [1.0, np.nan, 0.0])


def test_chunks_of_an_arrow_column_may_have_codes_of_their_own():
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["a", None, "c"]).dictionary_encode()]
    table = pa.table({"kind": pa.chunked_array(chunks)})
    np.testing.assert_array_equal(learn_schema(table).encode(table)[:, 0], [1.0, 0.0, 0.0, np.nan, 2.0])
