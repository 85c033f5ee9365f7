import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sksurv")
pytest.importorskip("SurvSet")
pytest.importorskip("lifelines")
pytest.importorskip("hazardous")
sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.accuracy import data, metrics, report, run, storage
from benchmarks.accuracy.adapters.reference import KaplanMeier
from benchmarks.accuracy.cell import Cell, failure, run_cell
from benchmarks.accuracy.curves import partial_log_likelihood
from benchmarks.accuracy.models import MODELS
from benchmarks.accuracy.ranks import mean_scores, rank_within
from hazboost.experiments.baselines.curves import breslow, step_values
from hazboost.experiments.pool import Limits, run_tasks
from sksurv.linear_model import CoxPHSurvivalAnalysis
from sksurv.metrics import integrated_brier_score
from sksurv.util import Surv


def outcomes(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time, censoring = rng.exponential(np.exp(-x)), rng.exponential(2.0, size=n)
    return x, (time <= censoring, np.minimum(time, censoring))


@pytest.mark.parametrize("quantile", [0.5, 0.8])
def test_brier_agrees_with_sksurv(quantile, monkeypatch):
    monkeypatch.setattr(metrics, "CENSORING_FLOOR", 1e-9)
    _, train = outcomes(400, 0)
    x, test = outcomes(300, 1)
    grid = np.linspace(0.05, np.quantile(train[1], quantile), 50)
    survival = np.exp(-grid * np.exp(x)[:, None])
    theirs = integrated_brier_score(Surv.from_arrays(*train), Surv.from_arrays(*test), survival, grid)
    assert metrics.integrated_scores(train, test, survival, grid)[0] == pytest.approx(theirs, rel=1e-10)


def test_scores_without_censoring():
    event = np.ones(4, dtype=bool)
    outcome = (event, np.array([1.0, 2.0, 3.0, 4.0]))
    grid = np.array([1.5, 2.5])
    survival = np.full((4, 2), 0.25)
    alive = np.array([0.75, 0.5])
    brier, log_score = metrics.integrated_scores(outcome, outcome, survival, grid)
    assert brier == pytest.approx(np.mean(alive * 0.75**2 + (1 - alive) * 0.25**2))
    assert log_score == pytest.approx(-np.mean(alive * np.log(0.25) + (1 - alive) * np.log(0.75)))


def test_censoring_ties_come_after_events():
    steps, values = metrics.censoring_survival(np.array([True, False, False]), np.array([1.0, 1.0, 2.0]))
    assert steps.tolist() == [1.0, 2.0]
    assert values.tolist() == [1.0, 0.5, 0.0]


@pytest.mark.parametrize("bad", [np.nan, 1.5])
def test_bad_survival_is_refused(bad):
    x, outcome = outcomes(50, 0)
    grid = metrics.time_grid(outcome[1])
    with pytest.raises(ValueError, match="not a probability"):
        metrics.evaluate(outcome, outcome, x, np.full((50, len(grid)), bad), grid)


def test_true_model_beats_constant():
    _, train = outcomes(400, 0)
    x, test = outcomes(400, 1)
    grid = metrics.time_grid(train[1])
    good = metrics.evaluate(train, test, x, np.exp(-grid * np.exp(x)[:, None]), grid)
    poor = metrics.evaluate(train, test, np.zeros(400), np.full((400, len(grid)), 0.5), grid)
    assert poor["c_index"] == poor["c_index_ipcw"] == 0.5
    assert good["c_index"] > 0.7
    assert good["brier"] < poor["brier"]
    assert good["log_score"] < poor["log_score"]


def test_breslow_and_partial_likelihood_agree_with_sksurv():
    x, (event, time) = outcomes(200, 2)
    model = CoxPHSurvivalAnalysis().fit(x[:, None], Surv.from_arrays(event, time))
    score = model.predict(x[:, None])
    steps, hazard = breslow(score, event, time)
    theirs = model.cum_baseline_hazard_
    np.testing.assert_allclose(hazard, theirs(steps), rtol=1e-9)
    nearby = [partial_log_likelihood(x * (model.coef_[0] + step), event, time) for step in (-0.01, 0.0, 0.01)]
    assert np.argmax(nearby) == 1


def test_step_values():
    values = step_values(np.array([1.0, 2.0]), np.array([[0.8, 0.5]]), np.array([0.5, 1.0, 1.5, 9.0]))
    assert values.tolist() == [[1.0, 0.8, 0.8, 0.5]]


def test_split_is_stratified_and_repeatable():
    event = data.load("veteran").event
    train, test = data.split("veteran", 3)
    again, _ = data.split("veteran", 3)
    other, _ = data.split("veteran", 4)
    assert np.array_equal(train, again)
    assert not np.array_equal(train, other)
    assert sorted([*train, *test]) == list(range(len(event)))
    assert event[test].sum() == round(event.sum() / 3)


def test_subjects_are_not_split():
    dataset = data.load("retinopathy")
    train, test = data.split("retinopathy", 0)
    assert len(np.unique(dataset.subject)) < len(dataset.X)
    assert not set(dataset.subject[train]) & set(dataset.subject[test])


def test_dataset():
    dataset = data.load("stagec")
    assert dataset.event.dtype == bool
    assert np.all(dataset.time >= 0)
    assert all(column.startswith(("num_", "fac_")) for column in dataset.X)
    assert dataset.repeats == 10


@pytest.mark.parametrize("model", MODELS)
def test_every_model_on_categories_and_missing_values(model):
    line = run_cell(Cell("stagec", model, 0))
    assert line["error"] is None
    assert line["c_index"] == 0.5 if model == "kaplan_meier" else line["c_index"] > 0.55
    assert 0 < line["brier"] < 0.3


@pytest.mark.parametrize(("model", "fails"), [("fpboost", True), ("coxnet", False)])
def test_a_warning_is_an_error_of_fpboost_only(model, fails, monkeypatch):
    class Warner(KaplanMeier):
        def fit(self, X, event, time):
            warnings.warn("careful", UserWarning, stacklevel=1)
            return super().fit(X, event, time)

    monkeypatch.setitem(MODELS, model, Warner)
    error = run_cell(Cell("glioma", model, 0))["error"]
    assert ("careful" in error) if fails else (error is None)


def test_error_is_recorded_without_folders():
    line = run_cell(Cell("no such set", "kaplan_meier", 0))
    assert "Traceback" in line["error"]
    assert 'File "cell.py"' in line["error"]


def test_timeout_is_recorded():
    (line,) = run_tasks([Cell("stagec", "kaplan_meier", 0)], run_cell, failure, Limits(timeout=0.0))
    assert "timeout" in line["error"]


def test_run_resumes_and_reports(tmp_path, capsys):
    arguments = ["--models", "kaplan_meier,coxnet", "--datasets", "glioma,veteran", "--output", str(tmp_path)]
    run.main([*arguments, "--repeats", "0"])
    run.main([*arguments, "--repeats", "0-1"])
    assert len((tmp_path / "coxnet.jsonl").read_text().splitlines()) == 4
    with (tmp_path / "coxnet.jsonl").open("a") as file:
        file.write('{"dataset": "gli')
    assert len(storage.read(tmp_path)) == 8
    capsys.readouterr()
    report.main(["--results", str(tmp_path), "--models", "kaplan_meier,coxnet"])
    text = capsys.readouterr().out
    assert "| coxnet | 1.00" in text
    assert (tmp_path / "ranks.svg").exists()
    assert (tmp_path / "report.md").read_text() == text


def test_retry_runs_only_errors_again(tmp_path):
    storage.append(tmp_path, failure(Cell("glioma", "kaplan_meier", 0), "timeout"))
    arguments = ["--models", "kaplan_meier", "--datasets", "glioma", "--repeats", "0", "--output", str(tmp_path)]
    run.main(arguments)
    assert storage.read(tmp_path)[Cell("glioma", "kaplan_meier", 0)]["error"] == "timeout"
    run.main([*arguments, "--retry"])
    assert storage.read(tmp_path)[Cell("glioma", "kaplan_meier", 0)]["error"] is None


def test_plan_puts_small_sets_first_and_cuts_repeats():
    cells = run.plan(["coxnet"], ["glioma", "support2"], [0, 3])
    assert cells == [Cell("glioma", "coxnet", 0), Cell("support2", "coxnet", 0), Cell("glioma", "coxnet", 3)]


def test_ranks_use_common_repeats_only():
    results = {
        Cell(name, model, repeat): {"brier": value, "error": None}
        for name, model, repeat, value in [
            ("a", "x", 0, 0.1), ("a", "y", 0, 0.2), ("a", "x", 1, 0.9), ("b", "x", 0, 0.3),
        ]
    }  # fmt: skip
    scores = mean_scores(results, ["x", "y"], "brier", [0, 1])
    assert scores.loc["a"].tolist() == [0.1, 0.2]
    assert list(scores.index) == ["a"]
    assert rank_within(scores, "brier").loc["a"].tolist() == [1, 2]
