"""The command ``hazboost``, end to end: what it writes is what the functions of the library return."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib

import numpy as np
import pandas as pd
import pytest

import hazboost
from hazboost import FPBoost, Surv
from hazboost.cli import models, tables
from hazboost.cli.command import SUBCOMMANDS
from hazboost.cli.outcomes import read_events
from hazboost.cli.values import as_categories, as_known_categories, read_dates, read_numbers
from hazboost.datasets import load_dataset
from hazboost.explain import contributions, importance
from hazboost.metrics import concordance_index
from tests.cli.command import ROOT, call, environment, executable, run, simulated

OUTCOME = ["--time", "time", "--event", "cens"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """GBSG2, divided into two parts, and a model that was fitted to the first by the command."""
    folder = tmp_path_factory.mktemp("cli")
    gbsg2 = load_dataset("gbsg2")
    table = gbsg2.X.assign(time=gbsg2.y["time"], cens=gbsg2.y["event"].astype(int))
    table[:500].to_csv(folder / "train.csv", index=False)
    table[500:].to_csv(folder / "test.csv", index=False)
    table[500:].to_parquet(folder / "test.parquet")
    table[500:].reset_index(drop=True).to_feather(folder / "test.feather")
    done = run("fit", "train.csv", *OUTCOME, "--rounds", "20", "-o", "model.hzb", cwd=folder)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "model.hzb: fitted to 500 rows and 8 features, 20 rounds of trees of depth 2\n"
    return folder


@pytest.fixture(scope="module")
def model(folder):
    return hazboost.load(folder / "model.hzb")


@pytest.fixture(scope="module")
def test_rows(folder):
    return pd.read_csv(folder / "test.csv")


@pytest.fixture(scope="module")
def X(model, test_rows):
    return text_as_categories(test_rows[model.feature_names_in_])


def text_as_categories(table):
    return table.apply(lambda column: column if column.dtype.kind in "fi" else column.astype("category"))


# Fit


def test_the_fitted_model_is_that_of_the_library(folder, model, X):
    train = pd.read_csv(folder / "train.csv")
    same = FPBoost(n_estimators=20, random_state=0).fit(
        text_as_categories(train.drop(columns=["time", "cens"])), Surv.right(train["cens"], train["time"])
    )
    assert (same.predict(X) == model.predict(X)).all()


def counting():
    table = simulated().assign(start=0.0, id=np.repeat(np.arange(60), 2))
    table.loc[1::2, "start"] = table["time"].to_numpy()[::2]
    table.loc[1::2, "time"] += table["start"][1::2]
    return table


#: A table, the options that say what is in it, and the same as arguments of `FPBoost.fit`.
KINDS = {
    "entry": (
        simulated().assign(entry=lambda table: table["time"] / 2),
        "--time time --event event --entry entry",
        lambda table: {"y": Surv.right(table["event"], table["time"], entry=table["entry"])},
    ),
    "counting": (
        counting(),
        "--start start --stop time --event event --id id",
        lambda table: {"y": Surv.counting(table["start"], table["time"], table["event"], id=table["id"])},
    ),
    "interval": (
        simulated().assign(upper=lambda table: np.where(table["event"] == 1, table["time"] + 0.5, np.nan)),
        "--lower time --upper upper --drop event",
        lambda table: {"y": Surv.interval(table["time"], table["upper"])},
    ),
    "weights": (
        simulated().assign(w=np.linspace(1, 2, 120), g=np.repeat(list("abcdef"), 20)),
        "--time time --event event --weight w --groups g",
        lambda table: {
            "y": Surv.right(table["event"], table["time"]),
            "sample_weight": table["w"],
            "groups": table["g"],
        },
    ),
    "paper": (
        simulated(),
        "--time time --event event --paper",
        lambda table: {"y": Surv.right(table["event"], table["time"])},
    ),
    "code": (
        simulated().assign(event=lambda table: table["event"] + 1),
        "--time time --event event --event-code 2",
        lambda table: {"y": Surv.right(table["event"] == 2, table["time"])},
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_every_kind_of_outcome_is_fitted_as_by_the_library(kind, tmp_path):
    table, options, arguments = KINDS[kind]
    table.to_csv(tmp_path / "data.csv", index=False)
    output = tmp_path / "model.hzb"
    assert call("fit", tmp_path / "data.csv", *options.split(), "--rounds", "3", "-o", output) == 0
    model, table = hazboost.load(output), pd.read_csv(tmp_path / "data.csv")
    assert model.feature_names_in_.tolist() == ["x"]
    make = FPBoost.paper if kind == "paper" else FPBoost
    same = make(n_estimators=3, random_state=0).fit(table[["x"]], **arguments(table))
    np.testing.assert_array_equal(model.predict(table[["x"]]), same.predict(table[["x"]]))
    assert model.cv_results_ == same.cv_results_  # which depend on groups


def test_an_interval_without_both_ends_is_refused(tmp_path, capsys):
    table, options, _ = KINDS["interval"]
    table.assign(time=table["time"].where(table["event"] == 1)).to_csv(tmp_path / "data.csv", index=False)
    assert call("fit", tmp_path / "data.csv", *options.split(), "--rounds", "3", "-o", tmp_path / "model.hzb") == 2
    assert "lower and upper must not both be missing; got NaN and NaN (row " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("no", "yes"), [("no", "yes"), ("alive", "dead"), ("False", "True"), ("censored", "event"), ("Alive", "DEAD ")]
)
def test_words_for_events_are_read(no, yes):
    assert read_events(pd.Series([no, yes, yes], name="event"), None).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("values", "code"), [([1, 2, 2], "2"), ([1.0, 2.0, 2.0], "2"), (["free", "ill", "ill"], "ill")]
)
def test_the_event_may_have_any_code(values, code):
    assert read_events(pd.Series(values, name="event"), code).tolist() == [False, True, True]


@pytest.mark.parametrize("dtype", ["bool", "boolean", "Int64", "int8", "float32", "string", "object"])
def test_numbers_are_read_from_columns_of_every_type(dtype):
    assert read_numbers(pd.Series([1, 0, 1], name="x").astype(dtype)).tolist() == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("origin", ["2020-01-01", "born"])
@pytest.mark.filterwarnings("ignore")
def test_dates_count_from_an_origin(origin, tmp_path):
    table = simulated().assign(time=lambda table: np.ceil(table["time"] * 365))
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(table["time"], unit="D")
    table.assign(time=dates.dt.strftime("%Y-%m-%d"), born="2020-01-01").to_csv(tmp_path / "data.csv", index=False)
    options = ["--time", "time", "--event", "event", "--features", "x", "--rounds", "2", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options, "--time-origin", origin, "--time-unit", "years") == 0
    longest = hazboost.load(tmp_path / "model.hzb").model_.longest
    assert longest == pytest.approx(table["time"].max() / 365.25)


def test_an_origin_is_a_column_that_is_used(folder, test_rows, tmp_path, capsys):
    dates = pd.Timestamp("2020-01-01") + pd.to_timedelta(test_rows["time"], unit="D")
    table = test_rows.assign(time=dates.dt.strftime("%Y-%m-%d"), born="2020-01-01", ward="A")
    table.to_csv(tmp_path / "new.csv", index=False)
    assert call("evaluate", folder / "model.hzb", tmp_path / "new.csv", *OUTCOME, "--time-origin", "born") == 0
    assert capsys.readouterr().err == "columns that are not used: ward\n"


def test_a_missing_origin_is_named(tmp_path, capsys):
    dates = pd.DataFrame({"x": [1, 2], "seen": "2020-01-31", "born": ["2019-01-31", None], "event": 1})
    dates.to_csv(tmp_path / "data.csv", index=False)
    options = ["--time", "seen", "--event", "event", "--time-origin", "born", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options) == 2
    assert "column 'born' has no value in row 1" in capsys.readouterr().err


def test_ends_of_intervals_may_be_missing(tmp_path):
    table = pd.DataFrame({"x": np.arange(20.0), "low": [np.nan, *range(19)], "high": [*range(1, 20), np.nan]})
    table.to_csv(tmp_path / "data.csv", index=False)
    assert call("describe", tmp_path / "data.csv", "--lower", "low", "--upper", "high") == 0


@pytest.mark.parametrize("word", ["now", "today"])
def test_words_for_the_present_are_no_dates(word):
    """Pandas reads them as the time at which it is called."""
    assert as_categories(pd.Series([word, "never", word], name="smokes")).tolist() == [word, "never", word]
    with pytest.raises(ValueError, match=f"column 'seen' must have dates like 2020-12-31; got '{word}' in row 1"):
        read_dates(pd.Series(["2020-12-31", word], name="seen"))


def test_empty_values_and_text_are_missing_values_and_categories(folder, tmp_path):
    table = pd.read_csv(folder / "train.csv")
    table.loc[::7, "age"] = np.nan
    table.loc[::5, "tgrade"] = np.nan
    table.to_csv(tmp_path / "data.csv", index=False)
    assert call("fit", tmp_path / "data.csv", *OUTCOME, "--rounds", "2", "-o", tmp_path / "model.hzb") == 0
    assert hazboost.load(tmp_path / "model.hzb").model_.schema.categories[6] == ["I", "II", "III"]


# Predict


def predicted(folder, output, *options, data="test.csv"):
    assert call("predict", folder / "model.hzb", folder / data, "-o", output, *options) == 0
    return pd.read_csv(output)


@pytest.mark.parametrize(
    ("options", "columns", "expected"),
    [
        ("", ["risk"], lambda model, X: model.predict(X)),
        ("--what median", ["median"], lambda model, X: model.predict_median(X)),
        ("--what mean", ["mean"], lambda model, X: model.predict_mean(X)),
        ("--what rmst", ["rmst"], lambda model, X: model.predict_rmst(X)),
        ("--what rmst --times 365", ["rmst_365"], lambda model, X: model.predict_rmst(X, 365.0)),
        (
            "--what survival --times 365,730.5",
            ["survival_365", "survival_730.5"],
            lambda model, X: model.predict_survival_function(X, times=[365.0, 730.5]),
        ),
        (
            "--what incidence --times 365",
            ["incidence_365"],
            lambda model, X: model.predict_cumulative_incidence_function(X, times=[365.0]),
        ),
    ],
)
def test_predictions_are_those_of_the_library(options, columns, expected, folder, model, X, tmp_path):
    table = predicted(folder, tmp_path / "out.csv", *options.split())
    assert list(table.columns) == columns
    np.testing.assert_allclose(table.to_numpy().reshape(-1), np.reshape(expected(model, X), -1), rtol=1e-12)


@pytest.mark.parametrize("data", ["test.csv", "test.parquet", "test.feather"])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_blocks_and_kinds_of_files_do_not_matter(data, suffix, folder, model, X, tmp_path, monkeypatch):
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (50,))
    output = tmp_path / f"out.{suffix}"
    assert call("predict", folder / "model.hzb", folder / data, "--keep", "age,tgrade", "-o", output) == 0
    table = getattr(pd, f"read_{suffix}")(output)
    assert list(table.columns) == ["age", "tgrade", "risk"]
    np.testing.assert_allclose(table["risk"], model.predict(X), rtol=1e-12)


def test_kept_columns_of_a_csv_file_stay_as_they_are_written(folder, test_rows, tmp_path, monkeypatch):
    """Read as numbers, an id would lose its zeros, and those of a block with a gap would become decimals."""
    ids = [f"{i:03d}" for i in range(len(test_rows))]
    table = test_rows.assign(id=[*ids[:-1], None], dose="1.10", seen=["True", *["False"] * (len(ids) - 1)])
    table.to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (50,))
    files = [folder / "model.hzb", tmp_path / "new.csv", "--keep", "id,dose,seen,age", "-o", tmp_path / "out.csv"]
    assert call("predict", *files) == 0
    written = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    assert written["id"].tolist() == [*ids[:-1], ""]
    assert set(written["dose"]) == {"1.10"}
    assert written["seen"].tolist() == table["seen"].tolist()
    np.testing.assert_array_equal(written["age"].astype(float), test_rows["age"])


def test_columns_may_have_another_order_and_others_are_named(folder, test_rows, model, X, tmp_path, capsys):
    test_rows[test_rows.columns[::-1]].assign(ward="A").to_csv(tmp_path / "new.csv", index=False)
    assert call("predict", folder / "model.hzb", tmp_path / "new.csv", "-o", tmp_path / "out.csv") == 0
    assert capsys.readouterr().err == "columns that are not used: cens, time, ward\n"
    np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")["risk"], model.predict(X), rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_categories_that_look_like_numbers_are_the_same_in_every_block(tmp_path, monkeypatch):
    """Read for itself, a block without a letter in the column would have numbers, and with a gap decimals."""
    table = simulated().assign(stage=np.tile(["1", "2", "3a"], 40))
    table.to_csv(tmp_path / "data.csv", index=False)
    options = ["--time", "time", "--event", "event", "--rounds", "5", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options) == 0
    table = table.assign(stage=["1", None, *["2"] * 118])
    table.to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (7,))
    assert call("predict", tmp_path / "model.hzb", tmp_path / "new.csv", "-o", tmp_path / "out.csv") == 0
    X = table[["x", "stage"]].astype({"stage": "category"})
    expected = hazboost.load(tmp_path / "model.hzb").predict(X)
    np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")["risk"], expected, rtol=1e-12)


def test_new_categories_in_a_late_block_are_missing_values(folder, test_rows, model, tmp_path, monkeypatch):
    table = test_rows.assign(tgrade=["I"] * (len(test_rows) - 2) + ["IV"] * 2)
    table.to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (len(table) - 2,))
    assert call("predict", folder / "model.hzb", tmp_path / "new.csv", "-o", tmp_path / "out.csv") == 0
    assert len(pd.read_csv(tmp_path / "out.csv")) == len(table)


@pytest.mark.filterwarnings("ignore")
def test_causes(tmp_path):
    table = simulated(200)
    table["event"] *= np.tile([1, 2], 100)
    table.to_csv(tmp_path / "data.csv", index=False)
    options = ["--time", "time", "--event", "event", "--rounds", "3", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options) == 0
    what = ["--what", "incidence", "--times", "1"]
    files = [tmp_path / "model.hzb", tmp_path / "data.csv"]
    assert call("predict", *files, *what, "-o", tmp_path / "all.csv") == 0
    assert call("predict", *files, *what, "--cause", "2", "-o", tmp_path / "second.csv") == 0
    both, second = pd.read_csv(tmp_path / "all.csv"), pd.read_csv(tmp_path / "second.csv")
    assert list(both.columns) == ["incidence_of_1_1", "incidence_of_2_1"]
    assert both["incidence_of_2_1"].tolist() == second["incidence_1"].tolist()
    assert call("evaluate", *files, "--time", "time", "--event", "event", "--cause", "1") == 0


@pytest.mark.parametrize(
    ("valid", "invalid", "message"),
    [
        ("", "fit train.csv --time tme --event cens -o none.hzb", "train.csv: there is no column 'tme'"),
        ("describe model.hzb", "describe test.csv --time time --event none", "test.csv: there is no column 'none'"),
        ("", "predict model.hzb none.csv", "none.csv: there is no such file"),
        (
            "evaluate model.hzb test.csv --time time --event cens --json",
            "evaluate model.hzb test.csv --time time --event tgrade",
            "column 'tgrade' has the event 'II' in row 0",
        ),
        (
            "explain model.hzb test.csv --times 365",
            "explain model.hzb test.csv --of cumulative_incidence --cause 3",
            "cause must be one of those in the training data, 1; got 3",
        ),
    ],
)
def test_every_subcommand_through_the_executable(valid, invalid, message, folder):
    """With invalid and with valid input, of which `fit` and `predict` have some elsewhere.

    `tune`, `plot` and `completion` have files of their own.
    """
    if valid:
        done = run(*valid.split(), cwd=folder)
        assert done.returncode == 0
        assert done.stdout
    done = run(*invalid.split(), cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"hazboost {invalid.split()[0]}: ")
    assert message in last
    assert not (folder / "none.hzb").exists()


def test_standard_input_and_output(folder, model, X):
    done = run("predict", "model.hzb", "-", cwd=folder, stdin=(folder / "test.csv").read_text(encoding="utf-8"))
    assert done.returncode == 0
    np.testing.assert_allclose(pd.read_csv(io.StringIO(done.stdout))["risk"], model.predict(X), rtol=1e-12)


def test_a_model_that_was_fitted_without_names_takes_columns_by_position(tmp_path):
    table = simulated().assign(z=1.0)
    model = FPBoost(n_estimators=2, random_state=0).fit(table[["x", "z"]].to_numpy(), (table["event"], table["time"]))
    model.save(tmp_path / "model.hzb")
    table[["x", "z"]].to_csv(tmp_path / "new.csv", index=False)
    assert call("predict", tmp_path / "model.hzb", tmp_path / "new.csv", "-o", tmp_path / "out.csv") == 0
    np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")["risk"], model.predict(table[["x", "z"]].to_numpy()))


# Evaluate, describe, explain


def test_evaluation_is_that_of_the_metrics(folder, model, X, test_rows, capsys):
    assert call("evaluate", folder / "model.hzb", folder / "test.csv", *OUTCOME, "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    y = Surv.right(test_rows["cens"], test_rows["time"])
    assert scores["rows"] == len(y)
    assert scores["events"] == y["event"].sum()
    assert scores["concordance"] == pytest.approx(concordance_index(y, model.predict(X)))
    assert 0.6 < scores["concordance_ipcw"] < 0.75
    assert scores["integrated_brier_score"] < scores["integrated_brier_score_kaplan_meier"] < 0.25
    assert 0.01 < scores["d_calibration_p_value"] <= 1.0


@pytest.mark.filterwarnings("ignore")
def test_evaluation_with_delayed_entry_is_conditional_on_entry(tmp_path, capsys):
    """Of a known model, whose survival is nearly that of Kaplan-Meier, both Brier scores must nearly agree."""
    rng = np.random.default_rng(0)
    time, entry = rng.exponential(size=4000), rng.uniform(0.0, 1.0, 4000)
    table = pd.DataFrame({"x": rng.normal(size=4000), "time": time, "entry": entry, "event": 1})[time > entry]
    table.to_csv(tmp_path / "data.csv", index=False)
    outcome = ["--time", "time", "--event", "event", "--entry", "entry"]
    assert call("fit", tmp_path / "data.csv", *outcome, "--rounds", "1", "-o", tmp_path / "model.hzb") == 0
    assert call("evaluate", tmp_path / "model.hzb", tmp_path / "data.csv", *outcome, "--json") == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["integrated_brier_score"] == pytest.approx(scores["integrated_brier_score_kaplan_meier"], abs=0.003)
    assert scores["d_calibration_p_value"] > 0.01


def test_description_of_a_model(folder, model, capsys):
    assert call("describe", folder / "model.hzb", "--json") == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["trees"]["rounds"] == 20
    features = {one["name"]: one for one in facts["features"]}
    assert list(features) == model.feature_names_in_.tolist()
    assert [level for level, _ in features["tgrade"]["counts"]] == ["I", "II", "III"]
    assert facts["written_by"]["hazboost"] == hazboost.__version__
    assert call("describe", folder / "model.hzb") == 0
    assert capsys.readouterr().out.startswith(str(model.summary()))


def test_description_of_a_table(folder, capsys):
    assert call("describe", folder / "train.csv", *OUTCOME) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["rows", "500"]
    assert "  tgrade    text, 3 distinct, 0 missing" in lines
    assert any(re.fullmatch(r"  median_follow_up +\d+", line) for line in lines)


def test_median_follow_up_is_that_of_the_reverse_kaplan_meier_estimate(tmp_path, capsys):
    table = pd.DataFrame({"t": [1, 2, 3, 4, 5], "e": [0, 1, 0, 0, 1]})  # G: 0.8, 0.8, 0.8 * 2/3 = 0.53, 0.27
    table.to_csv(tmp_path / "data.csv", index=False)
    assert call("describe", tmp_path / "data.csv", "--time", "t", "--event", "e", "--json") == 0
    assert json.loads(capsys.readouterr().out)["outcome"]["median_follow_up"] == 4.0


def test_explanations_are_those_of_the_library(folder, model, X, tmp_path):
    files = [folder / "model.hzb", folder / "test.csv", "-o", tmp_path / "out.csv"]
    assert call("explain", *files, "--of", "survival", "--times", "365,730") == 0
    table, expected = pd.read_csv(tmp_path / "out.csv"), contributions(model, X, "survival", [365.0, 730.0]).frame()
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    assert call("explain", *files, "--importance") == 0
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "out.csv"), importance(model, X), check_dtype=False)


# Errors

BAD_TABLES = {
    "empty": (b"", "is not a table"),
    "header only": (b"x,time,event\n", "has no rows"),
    "binary": (bytes(range(256)) * 4, "data.csv: this is not"),
    "ragged": (b"x,time,event\n1,2,1\n1,2,1,5\n", "is not a table"),
    "one value too many": (b"x,time,event\n1,2,1,5\n1,2,1,5\n", "is not a table"),
    "semicolons": (b"x;time;event\n1;2;1\n", "no commas"),
    "semicolons and decimals with commas": (b"x;time;event\n1,5;2,5;1\n2,5;3,5;0\n", "no commas"),
    "repeated name": (b"x,x,time,event\n1,2,2,1\n", "data.csv: two columns have the name 'x'; rename one of them"),
    "no such column": (b"x,time,status\n1,2,1\n", "no column 'event'; the columns are 'x', 'time', 'status'"),
    "text as time": (b"x,time,event\n1,2,1\n1,soon,1\n", "column 'time' must have numbers; got 'soon' in row 1"),
    "text among numbers": (
        b"x,time,event\n" + b"".join(b"%d,2,1\n" % i for i in range(20)) + b"?,3,1\n",
        "got '?' in row 20",
    ),
    "dates": (b"x,time,event\n1,2020-01-31,1\n", "column 'time' has dates, such as '2020-01-31'; give the date"),
    "other dates": (b"x,time,event\n1,31.12.2020,1\n", "column 'time' has dates, such as '31.12.2020'; write them"),
    "other dates as a feature": (b"x,time,event\n1/31/20,2,1\n", "column 'x' has dates, such as '1/31/20'; write them"),
    "words": (b"x,time,event\n1,2,relapse\n", "column 'event' has the event 'relapse' in row 0"),
    "codes of R": (b"x,time,event\n1,2,1\n1,3,2\n", "--event-code 2"),
    "missing event": (b"x,time,event\n1,2,1\n1,3,\n", "column 'event' has no event in row 1"),
    "missing time": (b"x,time,event\n1,2,1\n1,,1\n", "column 'time' has no value in row 1; fill it in, or leave out"),
    "negative time": (
        b"x,time,event\n1,2,1\n1,-3,1\n",
        "data.csv: every time must be non-negative; got -3.0 (row 1)",
    ),
    "no event": (b"x,time,event\n1,2,0\n1,3,0\n", "event"),
    "no feature": (b"time,event\n1,1\n", "no column is left as a feature"),
    "no name": (b",x,time,event\n0,1,2,1\n1,2,3,1\n", "data.csv: column 'Unnamed: 0' has no name in the header"),
    "dates as a feature": (b"x,time,event\n2020-01-31,2,1\n", "column 'x' has dates; use a number instead"),
    "decimals with commas": (
        b'x,time,event\n"1,5",2,1\n3,2,1\n"2,5",2,1\n',
        "has commas in its numbers, such as '1,5'",
    ),
    "names": (
        b"name,time,event\n" + b"".join(b"n%dx,2,1\n" % i for i in range(150)),
        "column 'name' has text that is different in most rows, such as 'n0x'; leave it out with --drop name",
    ),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_is_refused_in_one_line(case, tmp_path, capsys):
    content, expected = BAD_TABLES[case]
    (tmp_path / "data.csv").write_bytes(content)
    options = ["--time", "time", "--event", "event", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("hazboost fit: ")
    assert printed.err.count("\n") == 1
    assert expected in printed.err
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize("kind", ["csv.gz", "parquet", "feather"])
@pytest.mark.parametrize("spoil", [lambda data: data[: len(data) // 2], lambda data: b"text" * 99, lambda data: b""])
def test_a_damaged_file_is_no_table(kind, spoil, folder, tmp_path, capsys):
    path, table = tmp_path / f"data.{kind}", pd.read_csv(folder / "test.csv")
    table.to_csv(path, index=False) if kind == "csv.gz" else getattr(table, f"to_{kind}")(path)
    assert call("describe", path) == 0
    path.write_bytes(spoil(path.read_bytes()))
    assert call("predict", folder / "model.hzb", path, "-o", tmp_path / "out.csv") == 2
    assert f"data.{kind}: this is not a table" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("data", ["test.csv", "test.parquet", "test.feather"])
def test_progress_is_a_bar_that_becomes_full(data, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (50,))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert call("predict", folder / "model.hzb", folder / data, "-o", tmp_path / "out.csv") == 0
    lines = capsys.readouterr().err.rpartition("not used: time, cens\n")[2].strip("\r\n").split("\r")
    assert [re.search(r"(\d+) rows", line)[1] for line in lines] == ["50", "100", "150", "186"]
    full = [line.count("█") for line in lines]
    assert full == sorted(full)
    assert full[-1] == 24


BAD_OPTIONS = {
    "": "hazboost: the following arguments are required: COMMAND",
    "train": "invalid choice",
    "fit": "required: data, -o",
    "fit none.csv --time a --event b -o m.hzb": "none.csv: there is no such file",
    "fit data.xlsx --time a --event b -o m.hzb": "use .csv, .parquet or .feather",
    "fit {folder} --time a --event b -o m.hzb": "the end of its name",
    "fit {folder}/train.csv --time time --event cens -o -": "not written to standard output",
    "fit {folder}/train.csv --time time --event cens -o {folder}/none/m.hzb": "there must be a folder",
    "fit {folder}/train.csv --time time --event cens -o {folder}": "this is not a file",
    "fit {folder}/train.csv --time time -o m.hzb": "the outcome needs --event",
    "fit {folder}/train.csv --lower time --event cens -o m.hzb": "the outcome needs --upper",
    "fit {folder}/train.csv --time time --event cens --start age -o m.hzb": "needs --stop",
    "fit {folder}/train.csv --time time --event cens --id age -o m.hzb": "--id must not be given together with",
    "fit {folder}/train.csv --time time --event cens --event-code 7 -o m.hzb": "--event-code 7 is not in column 'cens'",
    "fit {folder}/train.csv --time time --event cens --features age,ag -o m.hzb": "no column 'ag'",
    "fit {folder}/train.csv --time time --event cens --features age,time -o m.hzb": "--features must not name time",
    "fit {folder}/train.csv --time time --event cens --drop ag -o m.hzb": "no column 'ag'",
    "fit {folder}/train.csv --time time --event cens --rounds 0 -o m.hzb": "positive whole number",
    "fit {folder}/train.csv --time time --event cens --jobs 0 -o m.hzb": "positive whole number, or -1 for all; got",
    "fit {folder}/train.csv --time time --event cens --time-origin 2020-01-01 -o m.hzb": "--time-origin is for dates",
    "fit {folder}/train.csv --time time --event cens --time-unit years -o m.hzb": "--time-unit years is for dates",
    "predict {folder}/none.hzb {folder}/test.csv": "there is no such file",
    "predict {folder}/train.csv {folder}/test.csv": "is not a hazboost model file",
    "predict {folder}/model.hzb {folder}/test.csv --what survival": "needs --times",
    "predict {folder}/model.hzb {folder}/test.csv --what survival --times 1,x": "must be times",
    "predict {folder}/model.hzb {folder}/test.csv --what survival --times=-1": "must be times",
    "predict {folder}/model.hzb {folder}/test.csv --times 1": "--times must not be given",
    "predict {folder}/model.hzb {folder}/test.csv --what mean --cause 1": "--cause must not be given",
    "predict {folder}/model.hzb {folder}/test.csv --cause 3": "cause must be one of those in the training data, 1",
    "predict {folder}/model.hzb {folder}/test.csv --keep name": "no column 'name'",
    "predict {folder}/model.hzb {folder}/test.csv --jobs 0": "must be a positive whole number, or -1 for all; got '0'",
    "evaluate {folder}/model.hzb {folder}/test.csv --time time": "needs --event",
    "evaluate {folder}/model.hzb {folder}/test.csv --time time --event cens --cause 2": "no event",
    "describe {folder}/none.hzb": "there is no such file",
    "describe {folder}/train.csv --time t --event cens": "no column 't'",
    "explain {folder}/model.hzb {folder}/test.csv --importance --times 1": "leave out --of, --times",
    "explain {folder}/model.hzb {folder}/test.csv --importance --of rmst": "leave out --of",
    "explain {folder}/model.hzb {folder}/test.csv --importance --cause 1": "leave out --of",
}


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_bad_options_are_refused_in_one_line(options, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert call(*options.format(folder=folder).split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert BAD_OPTIONS[options] in printed.err
    assert printed.err.splitlines()[-1].startswith(f"hazboost {options.split()[0]}: " if "{" in options else "hazboost")
    assert printed.err.replace("columns that are not used: time, cens\n", "").count("\n") == 1
    assert not list(tmp_path.iterdir())


BAD_FEATURES = {
    "missing": (lambda table: table.rename(columns={"age": "Age"}), "no column 'age'; the columns are 'Age'"),
    "text": (
        lambda table: table.assign(age=["old", *["50"] * 185]),
        "column 'age' must have numbers; got 'old' in row 0",
    ),
    "late text": (
        lambda table: table.assign(age=[*["50"] * 185, "old"]),
        "column 'age' must have numbers; got 'old' in row 185",
    ),
    "infinite": (lambda table: table.assign(age=[*[50.0] * 185, np.inf]), "column 'age' is infinite in row 185"),
}


@pytest.mark.parametrize("new", [slice(None), slice(-1, None)], ids=["all rows", "the last row"])
def test_new_categories_are_missing_in_every_block_with_one_warning(
    new, folder, test_rows, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (50,))
    for value in ("grade 1", None):
        table = test_rows.copy()
        table.iloc[new, table.columns.get_loc("tgrade")] = value
        table.to_csv(tmp_path / "new.csv", index=False)
        assert call("predict", folder / "model.hzb", tmp_path / "new.csv", "-o", tmp_path / f"{value}.csv") == 0
        said = capsys.readouterr().err
        warned = said.count("categories that are not in the training data: 'grade 1' (str). They count")
        assert warned == (value is not None)
    assert (tmp_path / "grade 1.csv").read_bytes() == (tmp_path / "None.csv").read_bytes()


@pytest.mark.parametrize(("keep_text", "text"), [(True, "x"), (False, None)])
def test_categories_that_are_numbers_to_the_model_are_read_as_numbers(keep_text, text):
    column = as_known_categories(pd.Series(["1", "7", "x", None], dtype=object), [1, 2], keep_text=keep_text)
    assert column.astype(object).where(column.notna(), None).tolist() == [1, 7, text, None]
    words = as_known_categories(pd.Series(["1", "7"], dtype=object), ["1", "2"], keep_text=keep_text)
    assert words.tolist() == ["1", "7"]


@pytest.mark.parametrize("case", BAD_FEATURES)
def test_bad_features_are_refused_and_an_older_result_stays(case, folder, test_rows, tmp_path, monkeypatch, capsys):
    spoil, expected = BAD_FEATURES[case]
    spoil(test_rows).to_csv(tmp_path / "new.csv", index=False)
    (tmp_path / "out.csv").write_text("older", encoding="utf-8")
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (50,))
    assert call("predict", folder / "model.hzb", tmp_path / "new.csv", "-o", tmp_path / "out.csv") == 2
    assert expected in capsys.readouterr().err
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "out.csv"]


def test_a_kept_column_that_becomes_text_is_refused_by_arrow(folder, test_rows, tmp_path, monkeypatch, capsys):
    test_rows.assign(id=[*range(len(test_rows) - 1), "A17"]).to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.setattr(models.feature_blocks, "__defaults__", (50,))
    files = [folder / "model.hzb", tmp_path / "new.csv", "--keep", "id", "-o"]
    assert call("predict", *files, tmp_path / "out.parquet") == 2
    assert "a column changes from numbers to text" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]
    assert call("predict", *files, tmp_path / "out.csv") == 0


def test_errors_of_the_library_name_options(tmp_path, capsys):
    simulated().assign(w=-1.0).to_csv(tmp_path / "data.csv", index=False)
    options = ["--time", "time", "--event", "event", "--weight", "w", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options) == 2
    assert capsys.readouterr().err.startswith(
        "hazboost fit: --weight must be finite and non-negative; got -1.0 (row 0)"
    )


def test_warnings_are_one_line(tmp_path, capsys):
    table = simulated(40).assign(event=np.resize([1, 2, 3], 40))  # nobody is censored
    table.to_csv(tmp_path / "data.csv", index=False)
    options = ["--time", "time", "--event", "event", "--rounds", "2", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) > 1
    assert all(line.startswith("hazboost fit: warning: ") for line in lines[:-1])


def failing(error):
    def fail(options):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (RuntimeError("broken"), 1, "hazboost fit: RuntimeError: broken; set HAZBOOST_DEBUG=1"),
        (OSError(28, "No space left on device", "m.hzb"), 1, "m.hzb could not be read or written (No space left"),
        (MemoryError(), 1, "not enough memory"),
        (KeyboardInterrupt(), 130, "hazboost fit: stopped"),
    ],
)
def test_other_errors(error, code, said, monkeypatch, capsys):
    monkeypatch.setattr(SUBCOMMANDS["fit"], "run", failing(error))
    assert call("fit", "a.csv", "-o", "m.hzb") == code
    assert said in capsys.readouterr().err


def test_errors_are_shown_in_full_for_developers(monkeypatch):
    monkeypatch.setenv("HAZBOOST_DEBUG", "1")
    with pytest.raises(ValueError, match="no such file"):
        call("fit", "none.csv", "-o", "m.hzb")


def test_a_package_that_is_missing_is_named(monkeypatch, folder, capsys):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert call("describe", folder / "train.csv") == 2
    assert "this needs pandas; install it with" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="sends signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_kill_leave_nothing_behind(number, folder, tmp_path):
    """While it waits for rows, with the file of the result begun."""
    command = [*executable(), "predict", folder / "model.hzb", "-", "-o", tmp_path / "out.csv"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert list(tmp_path.iterdir())
    process.send_signal(number)
    printed = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + number
    assert printed.strip() == "hazboost predict: stopped"
    assert not list(tmp_path.iterdir())


def test_rows_are_read_in_blocks(folder):
    blocks = list(tables.read_blocks(str(folder / "test.csv"), 50))
    assert [len(block) for block in blocks] == [50, 50, 50, 36]
    assert [block.index[0] for block in blocks] == [0, 50, 100, 150]


@pytest.mark.filterwarnings("ignore")
def test_a_column_may_be_called_as_pandas_calls_a_second_one(tmp_path):
    simulated().rename(columns={"x": "x.1"}).assign(x=1.0).to_csv(tmp_path / "data.csv", index=False)
    options = ["--time", "time", "--event", "event", "--rounds", "2", "-o", tmp_path / "model.hzb"]
    assert call("fit", tmp_path / "data.csv", *options) == 0


# Where it is installed, and described


def test_the_entry_point_exists():
    with (ROOT / "pyproject.toml").open("rb") as file:
        assert tomllib.load(file)["project"]["scripts"] == {"hazboost": "hazboost.cli:main"}


def test_version_and_help(capsys):
    assert call("--version") == 0
    assert capsys.readouterr().out == f"hazboost {hazboost.__version__}\n"
    for name in SUBCOMMANDS:
        assert call(name, "--help") == 0
    assert "--event-code" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")
def test_commands_of_the_page_run(tmp_path, monkeypatch, capsys):
    """In their order, with the data that the page makes first."""
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], "command-line.md", "exec"), {})
    commands = [
        line.partition(" > ")[0]
        for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL)
        for line in block.replace("\\\n", " ").splitlines()
        if line.startswith("hazboost ")
    ]
    assert {line.split()[1] for line in commands} == set(SUBCOMMANDS)
    for line in commands:
        assert call(*shlex.split(line)[1:]) == 0, (line, capsys.readouterr().err)
