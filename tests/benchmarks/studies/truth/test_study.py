"""Measures, cells and report of the study."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks.harness.paths import RESULTS
from benchmarks.studies.truth import command
from benchmarks.studies.truth.cells import WORK, Cell, new_subjects, run_cell, training_rows
from benchmarks.studies.truth.command import plan
from benchmarks.studies.truth.models import models
from benchmarks.studies.truth.observing import Scale
from benchmarks.studies.truth.report import mean_of, ratios
from benchmarks.studies.truth.scores import evaluate, time_grid
from benchmarks.studies.truth.situations import SITUATIONS

MEASURES = ("rmse", "mean_curve", "calibration", "c_index", "c_index_truth")


@pytest.mark.parametrize(("median", "last"), [(3.0, 3.0), (12.0, 10.0)])
def test_grid_ends_at_the_horizon_and_has_the_median_last(median, last):
    grid = time_grid(Scale(median, horizon=10.0))
    assert len(grid) == 101
    assert grid[[0, 99, 100]].tolist() == [0.1, 10.0, last]


def test_a_perfect_prediction_has_no_error():
    rng = np.random.default_rng(0)
    truth = np.sort(rng.random((200, 101)))[:, ::-1]
    found = evaluate(truth, truth, -truth[:, :-1].mean(axis=1), rng.random(200))
    assert found["rmse"] == found["mean_curve"] == found["calibration"] == 0.0
    assert found["c_index"] == found["c_index_truth"]


def test_measures_of_known_errors():
    """Off by 0.1 and -0.3: the root of (0.01 + 0.09) / 2, and -0.1 on average; the last time is for calibration."""
    truth = np.full((2, 101), 0.5)
    survival = truth + np.array([[0.1], [-0.3]])
    survival[:, -1] = 0.25
    found = evaluate(survival, truth, np.array([1.0, 2.0]), np.array([np.inf, 1.0]))
    assert found["rmse"] == pytest.approx(np.sqrt(0.05))
    assert found["mean_curve"] == pytest.approx(0.1)
    assert found["calibration"] == pytest.approx(0.25)
    assert found["c_index"] == 1.0


@pytest.mark.parametrize("situation", ["delayed_entry", "intervals", "two_causes", "cure", "age_999"])
@pytest.mark.parametrize("model", ["kaplan_meier", "weibull_aft"])
def test_quick_models_on_special_data(situation, model):
    pytest.importorskip("lifelines")
    cell = Cell(situation, 150, model, 0)
    if cell not in plan([model], [situation], [150], [0]):
        pytest.skip("left out by design")
    line = run_cell(cell)
    assert line["error"] is None
    assert 0.0 < line["rmse"] < 0.3
    assert all(np.isfinite(line[measure]) for measure in MEASURES)


@pytest.mark.parametrize("situation", ["delayed_entry", "intervals"])
def test_weibull_regression_finds_its_own_truth(situation):
    """Entry or the kind of observation ignored, the error is 0.1 and more (the study of kinds)."""
    pytest.importorskip("lifelines")
    assert run_cell(Cell(situation, 2_000, "weibull_aft", 0))["rmse"] < 0.03


def test_models_that_cannot_take_the_data_are_left_out():
    def fitted(situation):
        return {cell.model for cell in plan(tuple(models()), [situation], [200], [0])}

    assert fitted("exponential") == fitted("two_causes") == set(models())
    assert fitted("delayed_entry") == {"fpboost", "weibull_aft", "kaplan_meier"}
    assert fitted("intervals") == {"fpboost", "weibull_aft"}


def test_only_models_that_know_causes_get_them():
    cell = Cell("two_causes", 100, "fpboost", 0)
    causes, events = (training_rows(cell, models()[name]).event for name in ("fpboost", "rsf"))
    assert set(causes) == {0, 1, 2}
    assert np.array_equal(events, causes > 0)


def test_new_subjects_are_the_same_for_all_models_and_sizes():
    one, other = new_subjects(Cell("weibull", 200, "rsf", 1)), new_subjects(Cell("weibull", 500, "fpboost", 1))
    assert np.array_equal(one.X, other.X)
    assert np.array_equal(one.time, other.time)


def test_run_continues_and_reports(tmp_path, capsys):
    arguments = ["--situations", "no_effect", "--rows", "60", "--repeats", "0", "--output", str(tmp_path)]
    command.main(["run", *arguments, "--jobs", "1", "--models", "kaplan_meier"])
    command.main(["run", *arguments, "--jobs", "1", "--models", "kaplan_meier,fpboost"])
    command.main(["run", *arguments, "--jobs", "1", "--models", "kaplan_meier,fpboost"])
    assert len((tmp_path / "fpboost.jsonl").read_text().splitlines()) == 1
    assert "2 cells of 2 are done" in capsys.readouterr().err.splitlines()[-1]
    command.main(["report", *arguments])
    text = capsys.readouterr().out
    assert (tmp_path / "report.md").read_text() == text
    assert "## 60 rows" in text
    assert "| no effect, p = 10 |" in text
    assert text.endswith("Cells with an error: none.\n")
    assert "<svg" in (tmp_path / "truth.svg").read_text()


def test_a_report_without_results_says_so(tmp_path, capsys):
    command.main(["report", "--output", str(tmp_path)])
    assert capsys.readouterr().out == "No cell has a result.\n"


def test_ratio_is_to_the_best_other_model():
    """In the first repeat: not all models have a result of the second."""
    results = {
        Cell("weibull", 200, model, repeat): {"rmse": value, "error": None}
        for model, repeat, value in [
            ("fpboost", 0, 3.0), ("fpboost", 1, 4.0), ("rsf", 0, 6.0), ("cox_ridge", 0, 2.0), ("cox_ridge", 1, 1.0),
        ]
    }  # fmt: skip
    assert ratios(mean_of(results, "rmse")).tolist() == [1.5]


def test_unknown_names_are_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["--situations", "no"])
    assert "xor_2" in capsys.readouterr().err


def test_committed_results_are_cells_of_the_study():
    lines = WORK.read(RESULTS / "truth")
    assert {cell.situation for cell in lines} == set(SITUATIONS)
    assert {cell.model for cell in lines} <= set(models())


@pytest.mark.parametrize("model", ["kaplan_meier", "weibull_aft"])
def test_committed_errors_are_those_of_this_code(model):
    pytest.importorskip("lifelines")
    cell = Cell("weibull", 500, model, 0)
    stored, found = WORK.read(RESULTS / "truth")[cell], run_cell(cell)
    assert found.keys() == stored.keys()
    for measure in MEASURES:
        assert found[measure] == pytest.approx(stored[measure], rel=1e-4, abs=1e-6)
