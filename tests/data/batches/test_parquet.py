"""Parquet files, batch by batch."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

from hazboost import Batches, Surv
from hazboost.data.batches import parquet, read_batches
from hazboost.data.features import learn_schema
from hazboost.data.reading import as_target

RNG = np.random.default_rng(0)
N = 50
DATA = pd.DataFrame(
    {
        "dead": RNG.integers(0, 3, N),
        "days": RNG.exponential(size=N),
        "age": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "ward": pd.Categorical(RNG.choice(["z", "a", "m"], N)),
        "n": RNG.integers(0, 9, N),
        "share": RNG.random(N),
    }
)


@pytest.fixture
def folder(tmp_path):
    """Three files, one of them empty and in a folder of its own."""
    (tmp_path / "b").mkdir()
    for name, rows in (("a.parquet", slice(0, 30)), ("b/c.parquet", slice(30, 30)), ("d.parquet", slice(30, N))):
        DATA[rows].to_parquet(tmp_path / name, row_group_size=13)
    (tmp_path / "notes.txt").write_text("no data")
    return tmp_path


def read(batches):
    return read_batches(batches, BaseEstimator())


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
def test_a_folder_has_the_rows_of_all_files(folder, batch_rows):
    batches = Batches.from_parquet(folder, event="dead", time="days", weight="share", batch_rows=batch_rows)
    assert max(batch.n_rows for batch in batches) <= batch_rows
    schema, sample = read(batches)
    features = DATA[["age", "ward", "n"]]
    assert schema == learn_schema(features)
    np.testing.assert_array_equal(sample.in_memory().X, schema.encode(features))
    expected = as_target(Surv.right(DATA["dead"], DATA["days"]), DATA["share"])
    for name in ("lower", "upper", "cause", "weight"):
        np.testing.assert_array_equal(getattr(sample.target, name), getattr(expected, name))


def test_a_batch_of_a_wide_table_has_fewer_rows(folder, monkeypatch):
    monkeypatch.setattr(parquet, "VALUES_OF_BATCH", 40)
    sizes = {
        columns: max(batch.n_rows for batch in Batches.from_parquet(folder, event="dead", time="days", columns=columns))
        for columns in (("age",), ("age", "n", "share"))
    }
    assert sizes == {("age",): 13, ("age", "n", "share"): 8}  # 13 rows are a group


def test_a_group_of_rows_is_not_read_at_once(tmp_path):
    arrow, writer = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = RNG.normal(size=(100_000, 4))
    table = arrow.table({name: rows[:, column] for column, name in enumerate("abcd")})
    writer.write_table(table, tmp_path / "one.parquet", use_dictionary=False)
    assert writer.ParquetFile(tmp_path / "one.parquet").num_row_groups == 1
    before = arrow.total_allocated_bytes()
    held = [arrow.total_allocated_bytes() - before for _ in Batches.from_parquet(tmp_path, batch_rows=1_000)]
    assert len(held) == 100
    assert max(held) < rows.nbytes / 4


def test_files_and_columns_can_be_chosen(folder):
    files = [folder / "d.parquet", str(folder / "a.parquet")]
    _, sample = read(Batches.from_parquet(files, event="dead", time="days", columns=["n", "age"]))
    order = np.r_[30:N, 0:30]
    np.testing.assert_array_equal(sample.in_memory().X, DATA[["n", "age"]].to_numpy()[order])
    np.testing.assert_array_equal(sample.target.lower, DATA["days"].to_numpy()[order])


@pytest.mark.parametrize("name", [None, "patient"])
def test_the_index_of_pandas_is_no_feature(tmp_path, name):
    DATA.set_index(pd.Index(100 + RNG.permutation(N), name=name)).to_parquet(tmp_path / "a.parquet")
    first = next(iter(Batches.from_parquet(tmp_path, event="dead", time="days")))
    assert first.X.column_names == ["age", "ward", "n", "share"]
    chosen = next(iter(Batches.from_parquet(tmp_path, columns=["age", name or "__index_level_0__"])))
    assert chosen.X.num_columns == 2


@pytest.mark.parametrize("batch_rows", [0, -5, 2.5, "10", True])
def test_the_size_of_a_batch_is_a_positive_whole_number(folder, batch_rows):
    with pytest.raises(ValueError, match=f"batch_rows must be a positive whole number; got {batch_rows!r}"):
        Batches.from_parquet(folder, batch_rows=batch_rows)


def test_a_single_name_is_no_list_of_columns(folder):
    with pytest.raises(TypeError, match=r"columns must be a list of names; got 'age'\. Use \['age'\]"):
        Batches.from_parquet(folder, columns="age")


def test_without_an_outcome_there_are_features_only(folder):
    first = next(iter(Batches.from_parquet(folder, columns=["age", "n"])))
    assert first.y is None
    assert first.X.column_names == ["age", "n"]


def test_rows_of_one_subject_stay_in_one_batch(tmp_path):
    subject = np.repeat(np.arange(10), [1, 5, 2, 9, 1, 1, 3, 7, 2, 4])
    start = np.concatenate([np.arange(count) for count in np.bincount(subject)]).astype(float)
    rows = pd.DataFrame({"who": subject, "from": start, "to": start + 1.0, "dead": 0, "x": start})
    rows.loc[0, "dead"] = 1
    for number, first in enumerate(range(0, len(rows), 11)):  # files are cut within subjects, too
        rows[first : first + 11].to_parquet(tmp_path / f"{number}.parquet")
    batches = Batches.from_parquet(tmp_path, event="dead", start="from", stop="to", id="who", batch_rows=4)
    assert len(list(batches)) > 3
    _, sample = read(batches)
    np.testing.assert_array_equal(sample.target.subject, subject)
    np.testing.assert_allclose(np.bincount(subject, sample.target.portion), 1.0)


def test_rows_of_one_subject_must_follow_one_another(tmp_path):
    start = np.repeat(np.arange(4.0), 5)
    pd.DataFrame({"who": np.tile(np.arange(5), 4), "from": start, "to": start + 1.0, "dead": 1, "x": start}).to_parquet(
        tmp_path / "a.parquet"
    )
    batches = Batches.from_parquet(tmp_path, event="dead", start="from", stop="to", id="who", batch_rows=5)
    with pytest.raises(ValueError, match=r"have rows of the same id.*Sort the rows by id"):
        read(batches)


def test_intervals(tmp_path):
    rows = pd.DataFrame({"seen": [0.0, 1.0], "found": [2.0, np.inf], "x": [1.0, 2.0]})
    rows.to_parquet(tmp_path / "a.parquet")
    _, sample = read(Batches.from_parquet(tmp_path / "a.parquet", lower="seen", upper="found"))
    np.testing.assert_array_equal(sample.target.upper, [2.0, np.inf])


def test_absent_columns_are_named(folder):
    with pytest.raises(ValueError, match=r"a.parquet has no column 'height', 'died'; check the names"):
        list(Batches.from_parquet(folder, event="died", time="days", columns=["age", "height"]))


@pytest.mark.parametrize("path", ["nowhere", "b", "x.parquet"])
def test_absent_files_are_named(tmp_path, path):
    (tmp_path / "b").mkdir()
    with pytest.raises(FileNotFoundError, match=f"{path} is not a Parquet file, nor a folder"):
        list(Batches.from_parquet(tmp_path / path))


def test_a_file_of_another_kind_is_named(folder):
    (folder / "e.parquet").write_text("age,n\n1,2\n")
    with pytest.raises(ValueError, match=r"files: .*e\.parquet is no Parquet file, or is damaged"):
        list(Batches.from_parquet(folder))


def test_a_missing_package_is_named(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"needs pyarrow.*pip install 'hazboost\[parquet\]'"):
        list(Batches.from_parquet(folder))
