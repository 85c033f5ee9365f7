"""Variants of FPBoost, and what the report makes of their cells."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

pytest.importorskip("pandas")

from benchmarks.peers import peers_of
from benchmarks.peers.fpboost_variants import VARIANTS, fit_variant, kind_of, without
from benchmarks.peers.shared.base import Sample, Task
from benchmarks.studies.ablation import command
from benchmarks.studies.ablation.report import DEFAULT, PARTS, compose, costs_of, seconds_of, verdict
from benchmarks.studies.accuracy.cells import Cell as Accuracy
from benchmarks.studies.truth.cells import WORK, run_cell
from benchmarks.studies.truth.cells import Cell as Truth
from hazboost import FPBoost
from hazboost.training import pipeline
from hazboost.training.policy import Policy

SETS = ("a", "b", "c", "d")


def accuracy_line(brier, seconds=1.0):
    scores = {"c_index": 0.7, "brier": brier, "log_score": 0.5, "d_deviation": 0.1, "median_excess": -0.02}
    return scores | {"d_calibration_p": 0.5, "fit_seconds": seconds, "error": None}


def truth_line(rmse):
    return {"rmse": rmse, "mean_curve": 0.02, "calibration": 0.01, "c_index": 0.7, "fit_seconds": 1.0, "error": None}


@pytest.fixture
def results():
    """Without heads, the Brier score is larger by 0.01 or a bit more; without trees nothing changes but seconds."""
    accuracy = {}
    for number, (name, repeat) in enumerate(product(SETS, (3, 4))):
        accuracy[Accuracy(name, DEFAULT, repeat)] = accuracy_line(0.1 * number)
        accuracy[Accuracy(name, "no_heads", repeat)] = accuracy_line(0.1 * number + 0.01 + 0.001 * (number // 2))
        accuracy[Accuracy(name, "no_trees", repeat)] = accuracy_line(0.1 * number, seconds=0.5)
    truth = {Truth("weibull", 200, name, 30): truth_line(0.1) for name in (DEFAULT, "no_heads", "no_trees")}
    return {"accuracy": accuracy, "truth": truth}


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    X, time = rng.normal(size=(60, 2)), rng.exponential(size=60)
    return Sample(X, rng.random(60) < 0.7, time)


@pytest.mark.parametrize("title", list(VARIANTS))
def test_variants_change_what_exists(title):
    """A misspelt step would leave nothing out."""
    _, changes = VARIANTS[title]
    policy = changes.get("policy", {})
    Policy(**policy)
    assert all(hasattr(pipeline, step) for step in policy.get("steps_left_out", ()))
    FPBoost(**{name: value for name, value in changes.items() if name != "policy"})._validate_params()


def test_a_variant_without_changes_is_fpboost_itself(sample):
    assert kind_of({}) is FPBoost
    model = fit_variant(Task(sample, None, "", 0), n_estimators=2).model
    assert type(model) is FPBoost
    assert model.n_estimators_ == 2


def test_a_step_that_is_left_out_is_not_run(sample, monkeypatch):
    def fail(state):
        raise AssertionError

    fail.__name__ = "calibrate"
    monkeypatch.setattr(pipeline, "calibrate", fail)
    fit_variant(Task(sample, None, "", 0), **without("calibrate"))
    with pytest.raises(AssertionError):
        fit_variant(Task(sample, None, "", 0))


def test_an_earlier_version_without_a_policy_is_refused(monkeypatch):
    monkeypatch.delattr(FPBoost, "_policy", raising=False)
    with pytest.raises(AttributeError, match="no policy"):
        kind_of({"clear_gain": 1.0})


def test_costs_are_means_over_data_sets(results):
    """0.010, 0.011, 0.012, 0.013: the standard error is their deviation over the root of four."""
    cost = costs_of(PARTS["accuracy"], results["accuracy"], ["no_heads"])["Brier score, x 1,000"]["no_heads"]
    assert cost == pytest.approx((11.5, np.sqrt(5 / 3) / 2, 4))
    assert cost.is_clear
    assert str(cost) == "**+11.50 ± 0.65**"


def test_only_common_splits_count(results):
    del results["accuracy"][Accuracy("a", DEFAULT, 3)], results["accuracy"][Accuracy("a", DEFAULT, 4)]
    found = costs_of(PARTS["accuracy"], results["accuracy"], ["no_heads"])["Brier score, x 1,000"]["no_heads"]
    assert found == pytest.approx((12.0, 1.0 / np.sqrt(3), 3))


def test_seconds_are_relative(results):
    assert seconds_of(PARTS["accuracy"], results["accuracy"], ["no_trees"]) == {"no_trees": pytest.approx(0.5)}


def test_report_says_which_steps_stay(results):
    text = compose(results, [DEFAULT, "no_heads", "no_trees", "folds_10"])
    lines = {line.split(" | ")[0]: line for line in text.splitlines()}
    assert lines["| heads not chosen"].endswith("| stays: Brier score |")
    assert lines["| no trees"].endswith("| 0.50 | 1.00 | may go |")
    assert lines["| 10 folds"].endswith("| not measured |")
    assert "4 data sets of the accuracy study and 1 situations" in text


def test_a_verdict_without_costs():
    assert verdict({}) == "not measured"


def test_the_default_is_that_of_the_truth_study():
    measured = ("rmse", "mean_curve", "c_index")
    own, variant = (run_cell(Truth("weibull", 60, name, 30)) for name in ("fpboost", DEFAULT))
    assert [variant[name] for name in measured] == [own[name] for name in measured]


def test_variants_are_no_models_of_other_studies():
    assert not set(peers_of("ablation")) & (set(peers_of("truth")) | set(peers_of("accuracy")))


def test_run_continues_and_reports(tmp_path, capsys):
    pytest.importorskip("SurvSet")
    arguments = ["--variants", "folds_2", "--datasets", "glioma", "--repeats", "3", "--situations", "weibull"]
    arguments += ["--rows", "60", "--truth-repeats", "30", "--output", str(tmp_path), "--jobs", "1"]
    command.main(["run", *arguments])
    command.main(arguments)
    found = capsys.readouterr()
    assert found.err.count("2 cells of 2 are done") == 2
    assert {cell.model for cell in WORK.read(tmp_path / "truth")} == {DEFAULT, "folds_2"}
    assert "1 data sets of the accuracy study" in found.out
    assert (tmp_path / "report.md").read_text() == found.out


def test_a_report_without_results_says_so(tmp_path, capsys):
    command.main(["report", "--output", str(tmp_path)])
    assert capsys.readouterr().out == "No cell has a result.\n"


def test_unknown_names_are_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["--variants", "no"])
    assert "no_calibration" in capsys.readouterr().err
