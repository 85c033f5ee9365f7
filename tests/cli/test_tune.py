"""``hazboost tune``: what it finds is what `hazboost.tune` finds, and a search goes on where it ended."""

from __future__ import annotations

import json
import sys

import numpy as np
import pandas as pd
import pytest

import hazboost
from hazboost.cli.writing import write_report
from tests.cli.command import call, run, simulated

OUTCOME = ["--time", "time", "--event", "event"]
SEARCH = ["--trials", "2", "--folds", "2", "--seed", "3"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A search through the executable, in a storage."""
    folder = tmp_path_factory.mktemp("tune")
    simulated(60).to_csv(folder / "data.csv", index=False)
    files = ["-o", "model.hzb", "--storage", "trials.log", "--table", "trials.parquet"]
    done = run("tune", "data.csv", *OUTCOME, *SEARCH, *files, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith("model.hzb: fitted to 60 rows and 1 features")
    (folder / "result.json").write_text(done.stdout, encoding="utf-8")
    return folder


def test_the_result_is_that_of_the_library(folder):
    facts = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    table, model = pd.read_csv(folder / "data.csv"), hazboost.load(folder / "model.hzb")
    y = hazboost.Surv.right(table["event"], table["time"])
    # The storage has all trials, so that only the last fit is made.
    same = hazboost.tune(table[["x"]], y, n_trials=2, cv=2, random_state=3, storage=folder / "trials.log", verbose=0)
    assert facts["trials"] == {"complete": 2, "pruned": 0, "failed": 0}
    assert (facts["score"], facts["score_of_defaults"]) == (same.best_score, same.default_score)
    assert facts["parameters"] == same.best_params
    assert {name: getattr(model, name) for name in same.best_params} == same.best_params
    np.testing.assert_array_equal(model.predict(table[["x"]]), same.best_estimator.predict(table[["x"]]))
    np.testing.assert_array_equal(pd.read_parquet(folder / "trials.parquet")["score"], same.trials["score"])


def test_a_search_goes_on_and_is_shown_as_text(folder, capsys):
    files = [folder / "data.csv", "-o", folder / "again.hzb", "--storage", folder / "trials.log"]
    assert call("tune", *files, *OUTCOME, *SEARCH) == 0
    assert capsys.readouterr().out.splitlines()[:3] == ["trials", "  complete  2", "  pruned    0"]
    assert (folder / "again.hzb").read_bytes() == (folder / "model.hzb").read_bytes()


def test_where_the_defaults_are_best_it_says_so(capsys):
    write_report({"score": 1.5, "parameters": {}}, as_json=False)
    assert capsys.readouterr().out == "score       1.5\nparameters  none\n"


BAD_OPTIONS = {
    "--trials 0": "--trials: must be a positive whole number; got '0'",
    "--time-limit soon": "--time-limit: must be a positive number of seconds; got 'soon'",
    "--time-limit -3": "--time-limit",
    "--metric auc": "invalid choice: 'auc'",
    "--folds 1": "--folds must be at least 2",
    "--storage {folder}/data.csv": "data.csv is no journal of trials; give the name of a new file",
    "--storage {folder}/none/trials.log": "there must be a folder",
    "--storage {folder}/trials.log --folds 3": "another search in this storage",
    "--table trials.txt": "use .csv, .parquet or .feather",
    "-o -": "not written to standard output",
}


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_bad_options_are_refused_in_one_line(options, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before = (folder / "data.csv").read_bytes()
    given = options.format(folder=folder).split()
    assert call("tune", folder / "data.csv", "-o", "model.hzb", *OUTCOME, *SEARCH, *given) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert BAD_OPTIONS[options] in printed.err
    assert printed.err.count("\n") == 1
    assert not list(tmp_path.iterdir())
    assert (folder / "data.csv").read_bytes() == before


def test_a_bad_table_is_refused_by_the_executable(tmp_path):
    (tmp_path / "data.csv").write_text("x,time,event\n1,soon,1\n", encoding="utf-8")
    done = run("tune", "data.csv", *OUTCOME, "-o", "model.hzb", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("hazboost tune: column 'time' must have numbers; got 'soon' in row 0")
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_without_optuna_one_sentence_says_what_to_install(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert call("tune", folder / "data.csv", *OUTCOME, "-o", folder / "none.hzb") == 2
    expected = 'hazboost tune: this needs optuna; install it with `pip install "hazboost[tune]"`.\n'
    assert capsys.readouterr().err == expected
