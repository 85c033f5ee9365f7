import warnings

import numpy as np
import pytest

pytest.importorskip("sksurv")
pytest.importorskip("SurvSet")

from benchmarks.harness import storage
from benchmarks.harness.packages import why_not
from benchmarks.harness.paths import RESULTS
from benchmarks.harness.pool import Limits, run_tasks
from benchmarks.peers.kaplan_meier import fit as fit_curve
from benchmarks.peers.shared.base import Peer
from benchmarks.studies.accuracy import cells, command, data
from benchmarks.studies.accuracy.cells import WORK, Cell, failure, run_cell
from benchmarks.studies.accuracy.models import models
from benchmarks.studies.accuracy.report import mean_scores, ranking_of


def test_split_is_stratified_and_repeatable():
    event = data.load("veteran").event
    train, test = data.load("veteran").split(3)
    again, _ = data.load("veteran").split(3)
    other, _ = data.load("veteran").split(4)
    assert np.array_equal(train, again)
    assert not np.array_equal(train, other)
    assert sorted([*train, *test]) == list(range(len(event)))
    assert event[test].sum() == round(event.sum() / 3)


def test_subjects_are_not_split():
    dataset = data.load("retinopathy")
    train, test = data.load("retinopathy").split(0)
    assert len(np.unique(dataset.subject)) < len(dataset.X)
    assert not set(dataset.subject[train]) & set(dataset.subject[test])


def test_dataset():
    dataset = data.load("stagec")
    assert dataset.event.dtype == bool
    assert np.all(dataset.time >= 0)
    assert all(column.startswith(("num_", "fac_")) for column in dataset.X)
    assert dataset.repeats == 10


@pytest.mark.parametrize("model", list(models()))
def test_every_model_on_categories_and_missing_values(model):
    if reason := why_not(models()[model]):
        pytest.skip(reason)
    line = run_cell(Cell("stagec", model, 0))
    assert line["error"] is None
    assert line["c_index"] == 0.5 if model == "kaplan_meier" else line["c_index"] > 0.55
    assert 0 < line["brier"] < 0.3


@pytest.mark.parametrize("model", ["kaplan_meier", "cox_ridge", "coxnet", "xgb_cox"])
def test_committed_scores_are_those_of_this_code(model):
    cell = Cell("glioma", model, 0)
    stored, found = WORK.read(RESULTS / "accuracy")[cell], run_cell(cell)
    assert found.keys() == stored.keys()
    if model == "xgb_cox" and found["versions"]["xgboost"] != stored["versions"]["xgboost"]:
        pytest.skip("another version of XGBoost samples other rows and grows other trees")
    for score in ("c_index", "c_index_ipcw", "brier", "log_score"):
        # Other versions of the packages may differ in late digits.
        assert found[score] == pytest.approx(stored[score], rel=1e-4)


@pytest.mark.parametrize(("model", "fails"), [("fpboost", True), ("coxnet", False)])
def test_a_warning_is_an_error_of_fpboost_only(model, fails, monkeypatch):
    def warn(task):
        warnings.warn("careful", UserWarning, stacklevel=1)
        return fit_curve(task)

    monkeypatch.setattr(cells, "peer_of", lambda name: Peer("accuracy", name, warn, ("numpy",)))
    error = run_cell(Cell("glioma", model, 0))["error"]
    assert ("careful" in error) if fails else (error is None)


def test_a_category_of_the_test_part_only_is_no_error():
    dataset = data.load("cancer")
    train, test = (dataset.X["fac_ph_ecog"].iloc[rows] for rows in dataset.split(0))
    assert not set(test) <= set(train)
    assert run_cell(Cell("cancer", "fpboost", 0))["error"] is None


def test_an_error_is_recorded():
    line = run_cell(Cell("no such set", "kaplan_meier", 0))
    assert "Traceback" in line["error"]
    assert 'File "cells.py"' in line["error"]


def test_timeout_is_recorded():
    (line,) = run_tasks([Cell("stagec", "kaplan_meier", 0)], run_cell, failure, Limits(timeout=0.0))
    assert "timeout" in line["error"]


def test_run_continues_and_reports(tmp_path, capsys):
    arguments = ["--models", "kaplan_meier,coxnet", "--datasets", "glioma,veteran", "--output", str(tmp_path)]
    command.main(["run", *arguments, "--repeats", "0", "--jobs", "1"])
    command.main(["run", *arguments, "--repeats", "0-1"])
    assert len((tmp_path / "coxnet.jsonl").read_text().splitlines()) == 4
    with (tmp_path / "coxnet.jsonl").open("a") as file:
        file.write('{"dataset": "gli')
    assert len(WORK.read(tmp_path)) == 8
    capsys.readouterr()
    command.main(["report", "--output", str(tmp_path), "--models", "kaplan_meier,coxnet"])
    text = capsys.readouterr().out
    assert "| coxnet | 1.00" in text
    assert (tmp_path / "ranks.svg").exists()
    assert (tmp_path / "report.md").read_text() == text


def test_retry_runs_only_errors_again(tmp_path):
    cell = Cell("glioma", "kaplan_meier", 0)
    storage.append(tmp_path, "kaplan_meier", failure(cell, "timeout"))
    arguments = ["--models", "kaplan_meier", "--datasets", "glioma", "--repeats", "0", "--output", str(tmp_path)]
    command.main(["run", *arguments])
    assert WORK.read(tmp_path)[cell]["error"] == "timeout"
    command.main(["run", *arguments, "--retry-errors"])
    assert WORK.read(tmp_path)[cell]["error"] is None


def test_plan_puts_small_sets_first_and_cuts_repeats():
    planned = command.plan(["coxnet"], ["glioma", "support2"], [0, 3])
    assert planned == [Cell("glioma", "coxnet", 0), Cell("support2", "coxnet", 0), Cell("glioma", "coxnet", 3)]


def test_committed_results_are_cells_of_the_study():
    lines = WORK.read(RESULTS / "accuracy")
    assert len(lines) >= 2_166
    assert {cell.model for cell in lines} <= set(models())


def test_ranks_use_common_repeats_only():
    results = {
        Cell(name, model, repeat): {"brier": value, "error": None}
        for name, model, repeat, value in [
            ("a", "x", 0, 0.1), ("a", "y", 0, 0.2), ("a", "x", 1, 0.9), ("b", "x", 0, 0.3),
        ]
    }  # fmt: skip
    table = mean_scores(results, ["x", "y"], "brier")
    assert table.loc["a"].tolist() == [0.1, 0.2]
    assert list(table.index) == ["a"]
    assert ranking_of(table, "brier").ranks == {"x": 1.0, "y": 2.0}
