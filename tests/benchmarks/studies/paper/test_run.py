import math
from dataclasses import asdict, replace

import numpy as np
import pytest

from benchmarks.harness import storage
from benchmarks.harness.cells import unfinished
from benchmarks.harness.paths import RESULTS
from benchmarks.harness.pool import Limits
from benchmarks.peers.shared.base import Peer
from benchmarks.studies.paper import cells, run
from benchmarks.studies.paper.cells import WORK, Cell, failure, run_cell
from benchmarks.studies.paper.estimates import LEAKY
from benchmarks.studies.paper.models import models
from benchmarks.studies.paper.run import Study, available_data, order, plan, run_study
from hazboost.datasets import PAPER

SHAPES = {("small", "paper"): (100, 5), ("large", "paper"): (1000, 5), ("large", "leak_free"): (1000, 4)}


def line_of(cell, seconds=1.0, **changes):
    return (
        asdict(cell) | {"c_index": 0.6, "ibs": 0.2, "seconds": seconds, "predict_seconds": 0.0, "error": None} | changes
    )


class Marginal:
    """A model that ignores the features."""

    def risk(self, X):
        return np.zeros(len(X))

    def survival(self, X, times):
        return np.tile(np.exp(-times), (len(X), 1))


@pytest.fixture
def fake(monkeypatch, make_dataset):
    """A model named "fake" with the given fit, on fake data of any name."""
    monkeypatch.setattr(cells, "load", lambda name, variant: make_dataset())

    def make(fit=lambda task: Marginal(), packages=("xgboost",)):
        monkeypatch.setattr(cells, "models", lambda: {"fake": Peer("paper", "fake", fit, packages)})

    return make


def test_plan_is_balanced_over_seeds():
    planned = plan(["a", "b"], SHAPES, [0, 1])
    assert len(planned) == len(set(planned)) == 12
    assert [cell.seed for cell in planned] == [0] * 6 + [1] * 6


def test_long_cells_come_first_within_a_seed():
    known = [line_of(Cell("small", "slow", 0), 50.0), line_of(Cell("large", "slow", 0), 90.0)]
    known += [line_of(Cell("small", "quick", 0), 0.1), line_of(Cell("small", "quick", 1), 1e9, error="timeout")]
    rows = {data: shape[0] for data, shape in SHAPES.items()}
    costs = WORK.costs(rows, {WORK.cell_of(line): line for line in known})
    ordered = order(plan(["quick", "slow"], [("small", "paper"), ("large", "paper")], [1, 2]), costs)
    assert [cell.seed for cell in ordered] == [1] * 4 + [2] * 4
    assert [(cell.dataset, cell.model) for cell in ordered[:4]] == [
        ("large", "slow"), ("small", "slow"), ("large", "quick"), ("small", "quick"),
    ]  # fmt: skip


def test_the_committed_results_are_cells_of_the_study():
    """No cell may get lost when models, data sets or fields are renamed."""
    data = [(name, "paper") for name in PAPER] + [(name, "leak_free") for name in LEAKY]
    planned = plan(models(), data, range(30))
    lines = WORK.read(RESULTS / "paper")
    assert len(planned) == 4_950
    assert set(lines) <= set(planned)
    assert len(planned) - len(unfinished(planned, lines, retry_errors=True)) >= 3_613


def test_a_line_has_everything(fake):
    fake()
    line = run_cell(Cell("any", "fake", 3, "leak_free"))
    assert line["error"] is None
    assert [line[field] for field in ("dataset", "model", "seed", "variant")] == ["any", "fake", 3, "leak_free"]
    assert line["c_index"] == 0.5
    assert all(math.isfinite(line[metric]) for metric in cells.METRICS)
    assert line["n_train"] == 128
    assert {"python", "hazboost", "numpy", "xgboost"} <= set(line["versions"])


def test_a_model_gets_its_parts_the_name_and_the_seed(fake):
    seen = []
    fake(lambda task: seen.append((len(task.train.X), len(task.validation.X), task.dataset, task.seed)) or Marginal())
    run_cell(Cell("any", "fake", 5))
    assert seen == [(128, 32, "any", 5)]


def test_an_error_is_recorded_without_folders(fake):
    def fit(task):
        raise RuntimeError("no luck")

    fake(fit)
    line = run_cell(Cell("any", "fake", 0))
    assert line["error"].endswith("RuntimeError: no luck\n")
    assert "/" not in line["error"]
    assert [line[metric] for metric in cells.METRICS] == [None] * 6


def test_a_metric_that_is_not_finite_is_an_error(fake, make_dataset, monkeypatch):
    fake()
    dataset = make_dataset()
    test = np.flatnonzero(~dataset.y["event"])[:40]
    censored = make_dataset(test=np.isin(np.arange(200), test))
    monkeypatch.setattr(cells, "load", lambda name, variant: censored)
    line = run_cell(Cell("any", "fake", 0))
    assert line["c_index"] is None
    assert line["error"].startswith("not finite: c_index")


def test_missing_data_are_skipped_with_a_line(monkeypatch, make_dataset, capsys):
    def load(name, variant):
        if name == "missing":
            raise FileNotFoundError("put it there")
        return make_dataset(leaks=("one",) if name == "leaky" else ())

    monkeypatch.setattr(run, "load", load)
    shapes = available_data(Study(("km",), ("missing", "leaky", "clean"), (0,), ("paper", "leak_free")))
    assert list(shapes) == [("leaky", "paper"), ("leaky", "leak_free"), ("clean", "paper")]
    assert set(shapes.values()) == {(128, 6)}
    assert "missing: put it there" in capsys.readouterr().err


def test_a_study_continues_where_it_was(tmp_path, capsys):
    pytest.importorskip("sksurv")
    study = Study(("km",), ("veterans",), (0, 1), ("paper", "leak_free"))
    storage.append(tmp_path, "km", line_of(Cell("veterans", "km", 0), c_index=0.123))
    storage.append(tmp_path, "km", failure(Cell("veterans", "km", 1), "timeout after 1 second"))
    run_study(study, tmp_path, Limits())
    assert "2 cells of 2 are done" in capsys.readouterr().err
    assert [line["error"] for line in WORK.read(tmp_path).values()] == [None, "timeout after 1 second"]
    run_study(study, tmp_path, Limits(), retry_errors=True)
    kept, again = WORK.read(tmp_path).values()
    assert kept["c_index"] == 0.123
    assert (again["seed"], again["c_index"], again["error"]) == (1, 0.5, None)
    said = capsys.readouterr().err
    assert "1 cells of 2 are done" in said
    assert "1/1  veterans paper km 1" in said


def test_a_model_that_is_not_installed_is_skipped(tmp_path, monkeypatch, capsys):
    pytest.importorskip("sksurv")
    absent = replace(models()["km"], name="absent", packages=("no-such-package",))
    monkeypatch.setattr(run, "models", lambda: {"absent": absent})
    run_study(Study(("absent",), ("veterans",), (0,), ("paper",)), tmp_path, Limits())
    assert "Skipping the model absent" in capsys.readouterr().err
    assert WORK.read(tmp_path) == {}


def test_a_cell_that_takes_too_long_is_recorded(tmp_path):
    pytest.importorskip("sksurv")
    run_study(Study(("km",), ("veterans",), (0,), ("paper",)), tmp_path, Limits(timeout=0.0))
    (line,) = WORK.read(tmp_path).values()
    assert "timeout after 0 seconds" in line["error"]
    assert line["c_index"] is None
