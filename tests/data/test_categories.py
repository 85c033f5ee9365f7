"""Categories of prediction that training did not know: they are missing values; other types are a mistake."""

import datetime as dt

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


#: Values at prediction, their codes, and the categories that the warning names.
UNKNOWN = {
    "one": (["new"], [np.nan], "'new'"),
    "all": (["new", "old", None, "new"], [np.nan] * 4, "'new', 'old'"),
    "most": (["a", "new", "old"], [0.0, np.nan, np.nan], "'new', 'old'"),
    "half": (["new", "b"], [np.nan, 1.0], "'new'"),
    "few": (["a", "new", "b", None, "c"], [0.0, np.nan, 1.0, np.nan, 2.0], "'new'"),
}


@tables
@pytest.mark.parametrize("case", UNKNOWN)
def test_unknown_categories_are_missing_however_many_they_are(table, case):
    values, codes, named = UNKNOWN[case]
    schema = learn_schema(table(TRAINING))
    with pytest.warns(UserWarning, match="are not in the training data") as caught:
        np.testing.assert_array_equal(schema.encode(table(values))[:, 0], codes)
    (warning,) = caught
    assert str(warning.message) == (
        f"X: column 'kind' has categories that are not in the training data: {named} (str). They count as missing; "
        "known are 'a', 'b', 'c' (str). Check the spelling."
    )


def test_categories_that_do_not_occur_are_not_unknown():
    table = pd.DataFrame({"kind": pd.Categorical(["a", None], ["a", "new"])})
    np.testing.assert_array_equal(learn_schema(pandas_table(TRAINING)).encode(table)[:, 0], [0.0, np.nan])


def test_text_for_numbers_is_refused():
    schema = learn_schema(pandas_table([1, 2, 3, 4, 5]))
    message = r"known are 1, 2, 3 and 2 more \(int\), found were '1', '2' \(str\). Code the column as in training"
    with pytest.raises(ValueError, match=message):
        schema.encode(pandas_table(["1", "2", "1"]))
    with pytest.raises(ValueError, match=message.replace(", '2'", "")):
        schema.encode(pandas_table(["1"]))
    np.testing.assert_array_equal(schema.encode(pandas_table([2.0, 1.0])), [[1.0], [0.0]])


@pytest.mark.parametrize("values", [[7], [7.0], [7.0, None], [7, 8], [7, "text"]])
def test_whole_numbers_may_be_read_as_others(values):
    """A missing value beside them makes them so; they are no mistake."""
    schema = learn_schema(pandas_table([1, 2, 3]))
    with pytest.warns(UserWarning, match="categories that are not in the training data: 7"):
        np.testing.assert_array_equal(schema.encode(pandas_table(values))[:, 0], np.nan)


@pytest.mark.parametrize(
    ("known", "found"), [(["a", "b"], [1, 2]), ([True, False], [3, 4]), (["a", 1], [dt.date(2020, 1, 1)])]
)
def test_values_of_another_type_are_refused(known, found):
    schema = learn_schema(pandas_table(known))
    for values in (found, found[:1], [*found, None]):
        with pytest.raises(ValueError, match="no value of column 'kind' is of the type of its categories"):
            schema.encode(pandas_table(values))


def test_categories_are_shared_between_all_kinds_of_table():
    for trained in TABLES:
        schema = learn_schema(trained(TRAINING))
        for table in TABLES:
            np.testing.assert_array_equal(schema.encode(table(["b", None, "a"]))[:, 0], [1.0, np.nan, 0.0])


def test_chunks_of_an_arrow_column_may_have_codes_of_their_own():
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["a", None, "c"]).dictionary_encode()]
    table = pa.table({"kind": pa.chunked_array(chunks)})
    np.testing.assert_array_equal(learn_schema(table).encode(table)[:, 0], [1.0, 0.0, 0.0, np.nan, 2.0])
