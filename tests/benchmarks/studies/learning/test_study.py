"""Models, cells and report of the study."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

from benchmarks.peers.newton_cox import maximise
from benchmarks.peers.shared.base import Sample, Task
from benchmarks.peers.xgboost_cox import fit_held_out
from benchmarks.studies.learning import cells, command
from benchmarks.studies.learning.cells import WORK, Cell, new_subjects, run_cell, training_rows
from benchmarks.studies.learning.models import models, usual
from benchmarks.studies.learning.report import HAND, compose, falls, measures_of, table
from benchmarks.studies.learning.scores import evaluate
from benchmarks.studies.learning.situations import SITUATIONS, times_of


def line(situation, rows, model, rmse, seconds=1.0):
    cell = Cell(situation, rows, model, 0)
    measures = {"rmse": rmse, "mean_curve": rmse / 2, "fit_seconds": seconds, "predict_seconds": 0.1}
    return cell, measures | {
        "situation": situation, "rows": rows, "model": model, "chosen": {"depth": 2}, "error": None,
    }  # fmt: skip


@pytest.fixture
def results():
    return dict(
        [
            line("smooth", 1_000, "fpboost", 0.10), line("smooth", 10_000, "fpboost", 0.06),
            line("smooth", 1_000, "xgb_64", 0.20), line("smooth", 10_000, "xgb_256", 0.05),
            line("smooth", 1_000, "hand_2_150", 0.12, 5.0), line("smooth", 1_000, "hand_4_150", 0.11, 7.0),
        ]
    )  # fmt: skip


@pytest.mark.parametrize("situation", list(SITUATIONS))
def test_the_truth_has_no_error(situation):
    truth = new_subjects(Cell(situation, 1_000, "cox", 0)).survival(times_of(situation))
    assert evaluate(truth, truth) == (0.0, 0.0)


def test_data_are_the_same_for_all_models():
    one, other = (training_rows(Cell("smooth", 200, model, 1)) for model in ("cox", "fpboost"))
    assert np.array_equal(one.time, other.time)


def test_cox_agrees_with_scikit_survival():
    """Also where times are tied."""
    linear_model, util = pytest.importorskip("sksurv.linear_model"), pytest.importorskip("sksurv.util")
    sample = training_rows(Cell("interactions", 400, "cox", 0))
    time = np.ceil(10.0 * sample.time)
    theirs = linear_model.CoxPHSurvivalAnalysis().fit(sample.X, util.Surv.from_arrays(sample.event, time))
    np.testing.assert_allclose(maximise(sample.X, sample.event, time), theirs.coef_, atol=1e-6)


def test_cause_specific_incidences_and_survival_add_up():
    cell = Cell("causes", 300, "cox", 0)
    model = models()["cox"].train(Task(training_rows(cell), None, "causes", 0))
    new, times = new_subjects(cell).X[:50], times_of("causes")
    incidence = model.incidence(new, times)
    assert incidence.shape == (50, 2, 19)
    np.testing.assert_allclose(incidence.sum(axis=1) + model.survival(new, times), 1.0, atol=1e-3)


def test_boosted_cox_keeps_what_its_held_out_tenth_prefers():
    sample = training_rows(Cell("steps", 500, "xgb_64", 0))
    model = fit_held_out(Task(Sample(sample.X, sample.event, sample.time), None, "steps", 0), max_bin=64)
    assert model.chosen["depth"] in (2, 4, 6)
    assert model.booster.num_boosted_rounds() == model.chosen["rounds"]


@pytest.mark.parametrize("model", ["fpboost", "xgb_64", "cox", "hand_2_150"])
def test_every_kind_of_model_takes_causes(model, monkeypatch):
    monkeypatch.setattr(cells, "NEW", 100)
    found = run_cell(Cell("causes", 200, model, 0))
    assert found["error"] is None
    assert 0.0 < found["mean_curve"] < found["rmse"] < 0.3
    assert 0.0 < found["incidence_rmse"] < 0.3


def test_models_on_a_gpu_are_fitted_only_if_asked_for():
    assert set(models()) - set(usual()) == {"fpboost_gpu", "xgb_gpu"}
    assert command.parse([]).models == usual()


def test_the_best_setting_by_hand_is_one_model(results):
    measures = measures_of(results)
    assert measures.loc[("smooth", 1_000, HAND), ["rmse", "fit_seconds"]].tolist() == [0.11, 7.0]
    assert table(measures, "rmse").columns.tolist() == ["fpboost", HAND, "xgb_64", "xgb_256"]


def test_fall_is_for_a_factor_of_ten():
    keys = [("a", 100), ("a", 1_000), ("a", 100_000), ("b", 100)]
    index = pd.MultiIndex.from_tuples(keys, names=["situation", "rows"])
    found = falls(pd.Series([0.4, 0.2, 0.05, 0.1], index))
    np.testing.assert_allclose(found, [np.nan, 0.5, 0.5, np.nan])


def test_report_compares_with_the_better_xgboost(results):
    text = "\n".join(compose(results, measures_of(results)))
    assert "| smooth effects | 1,000 | **10.00** | 11.00 | 20.00 |  | 0.50 |  |" in text
    assert "| smooth effects | 10,000 | 6.00 |  |  | **5.00** | 1.20 | 0.60 |" in text
    assert "incidence of the first cause" not in text


def test_run_continues_and_reports(tmp_path, capsys):
    arguments = ["--situations", "shape", "--rows", "100,1e3", "--models", "cox", "--output", str(tmp_path)]
    command.main(["run", *arguments, "--jobs", "1", "--threads", "2"])
    command.main(["run", *arguments, "--jobs", "1", "--threads", "2"])
    assert len((tmp_path / "cox.jsonl").read_text().splitlines()) == 2
    assert {cell.threads for cell in WORK.read(tmp_path)} == {2}
    assert "2 cells of 2 are done" in capsys.readouterr().err.splitlines()[-1]
    command.main(["report", *arguments, "--threads", "2"])
    text = capsys.readouterr().out
    assert (tmp_path / "report.md").read_text() == text
    assert "| shape depends on a feature | 1,000 |" in text
    assert text.endswith("Cells with an error: none.\n")
    assert all("<svg" in (tmp_path / f"{name}.svg").read_text() for name in ("learning", "seconds"))
    command.main(["report", *arguments])
    assert capsys.readouterr().out == "No cell has a result.\n"
