import io
import math
import sys
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest

from hazboost.experiments import baselines, cells, run, storage
from hazboost.experiments.cells import Cell, failure, run_cell
from hazboost.experiments.environments import Environment
from hazboost.experiments.packages import versions, why_not
from hazboost.experiments.pool import Limits
from hazboost.experiments.progress import Progress
from hazboost.experiments.run import Costs, Study, available_data, is_available, order, plan, run_study

SHAPES = {("small", "paper"): (100, 5), ("large", "paper"): (1000, 5), ("large", "leak_free"): (1000, 4)}


def line_of(cell, seconds=1.0, **changes):
    return (
        asdict(cell) | {"c_index": 0.6, "ibs": 0.2, "seconds": seconds, "predict_seconds": 0.0, "error": None} | changes
    )


class Marginal:
    """A model that knows nothing."""

    def risk(self, X):
        return np.zeros(len(X))

    def survival(self, X, times):
        return np.tile(np.exp(-times), (len(X), 1))


@pytest.fixture
def fake(monkeypatch, make_dataset):
    """A model named "fake" with the given fit, on fake data of any name."""
    monkeypatch.setattr(cells, "load", lambda name, variant: make_dataset())
    monkeypatch.setattr(run, "load", lambda name, variant: make_dataset())

    def make(fit=lambda split, dataset, seed: Marginal(), packages=()):
        baseline = SimpleNamespace(fit=fit, packages=packages, environment=None, memory=lambda rows, columns: 0.1)
        monkeypatch.setitem(baselines.BASELINES, "fake", baseline)

    return make


def test_plan_is_balanced_over_seeds():
    planned = plan(["a", "b"], SHAPES, [0, 1])
    assert len(planned) == len(set(planned)) == 12
    assert [cell.seed for cell in planned] == [0] * 6 + [1] * 6


def test_long_cells_come_first_within_a_seed():
    known = [line_of(Cell("small", "slow", 0), 50.0), line_of(Cell("large", "slow", 0), 90.0)]
    costs = Costs(SHAPES, [*known, line_of(Cell("small", "quick", 0), 0.1)])
    ordered = order(plan(["quick", "slow"], [("small", "paper"), ("large", "paper")], [1, 2]), costs)
    assert [cell.seed for cell in ordered] == [1] * 4 + [2] * 4
    assert [(cell.dataset, cell.model) for cell in ordered[:4]] == [
        ("large", "slow"), ("small", "slow"), ("large", "quick"), ("small", "quick"),
    ]  # fmt: skip


def test_costs():
    costs = Costs(SHAPES)
    assert costs.of(Cell("large", "a", 0)) == 10 * costs.of(Cell("small", "a", 0))
    costs.learn(line_of(Cell("small", "a", 0), 2.0))
    costs.learn(line_of(Cell("small", "a", 1), 4.0))
    costs.learn(line_of(Cell("small", "a", 2), 1e9, error="timeout"))
    costs.learn(line_of(Cell("unknown", "a", 2), 1e9))
    assert costs.of(Cell("small", "a", 9)) == 3.0
    assert costs.of(Cell("large", "a", 0)) == costs.of(Cell("large", "b", 0)) == pytest.approx(30.0)


def test_a_line_has_all_that_was_asked_for(fake):
    fake(packages=("xgboost",))
    line = run_cell(Cell("any", "fake", 3, "leak_free"))
    assert line["error"] is None
    assert [line[field] for field in storage.KEY] == ["any", "fake", 3, "leak_free"]
    assert line["c_index"] == 0.5
    assert all(math.isfinite(line[metric]) for metric in cells.METRICS)
    assert line["n_train"] == 128
    assert {"python", "hazboost", "numpy", "xgboost"} <= set(line["versions"])


def test_a_model_gets_split_name_and_seed(fake):
    seen = []
    fake(lambda split, dataset, seed: seen.append((len(split.test.X), dataset, seed)) or Marginal())
    run_cell(Cell("any", "fake", 5))
    assert seen == [(40, "any", 5)]


def test_an_error_is_recorded_without_folders(fake):
    def fit(split, dataset, seed):
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


def test_what_is_not_installed_is_skipped_with_a_line(fake, capsys):
    fake(packages=("numpy", "no-such-package"))
    assert not is_available("fake")
    assert "pip install no-such-package" in capsys.readouterr().err
    fake(packages=("numpy",))
    assert is_available("fake")


def test_a_model_without_its_interpreter_is_skipped(monkeypatch, capsys, tmp_path):
    environment = Environment("elsewhere", ("no-such-package",))
    monkeypatch.setenv(environment.variable, str(tmp_path / "python"))
    baseline = replace(baselines.BASELINES["km"], environment=environment)
    monkeypatch.setitem(baselines.BASELINES, "km", baseline)
    assert not is_available("km")
    assert environment.variable in capsys.readouterr().err


def test_an_interpreter_is_announced_only_where_it_has_to_be_made(monkeypatch, capsys, tmp_path):
    environment = Environment("elsewhere", ("numpy",))
    baseline = replace(baselines.BASELINES["km"], environment=environment)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    monkeypatch.setattr(Environment, "_make", lambda self, folder: folder.mkdir(parents=True))
    assert why_not(baseline) is None
    assert "elsewhere: making an interpreter of its own" in capsys.readouterr().err
    assert why_not(baseline) is None
    monkeypatch.setenv(environment.variable, sys.executable)
    assert why_not(baseline) is None
    assert capsys.readouterr().err == ""


def test_versions_are_those_of_the_interpreter_that_was_used(monkeypatch):
    environment = Environment("elsewhere", ("pytest",))
    monkeypatch.setenv(environment.variable, sys.executable)
    baseline = replace(baselines.BASELINES["km"], environment=environment, packages=("PyTest", "no-such-package"))
    found = versions(baseline)
    assert found["PyTest"] == pytest.__version__
    assert set(found) == {"python", "hazboost", "numpy", "scikit-learn", "PyTest"}
    assert why_not(baseline) is None


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


def test_a_study_goes_on_where_it_was(tmp_path, capsys):
    pytest.importorskip("sksurv")
    study = Study(("km",), ("veterans",), (0, 1), ("paper", "leak_free"))
    storage.append(tmp_path, line_of(Cell("veterans", "km", 0), c_index=0.123))
    storage.append(tmp_path, failure(Cell("veterans", "km", 1), "timeout after 1 second"))
    run_study(study, tmp_path, Limits())
    assert [line["error"] for line in storage.read(tmp_path)] == [None, "timeout after 1 second"]
    run_study(study, tmp_path, Limits(), retry_errors=True)
    kept, again = storage.read(tmp_path)
    assert kept["c_index"] == 0.123
    assert (again["seed"], again["c_index"], again["error"]) == (1, 0.5, None)
    assert "1/1  veterans paper km 1" in capsys.readouterr().err


def test_a_cell_that_takes_too_long_is_recorded(tmp_path):
    pytest.importorskip("sksurv")
    run_study(Study(("km",), ("veterans",), (0,), ("paper",)), tmp_path, Limits(timeout=0.0))
    (line,) = storage.read(tmp_path)
    assert "timeout after 0 seconds" in line["error"]
    assert line["c_index"] is None


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_tells_the_time_left(monkeypatch):
    seconds = iter([0.0, 10.0, 20.0])
    monkeypatch.setattr("hazboost.experiments.progress.clock.monotonic", lambda: next(seconds))
    stream = Terminal()
    progress = Progress(4, stream)
    progress.advance(line_of(Cell("a", "b", 0)), spent=5.0, left=300.0)
    progress.advance(line_of(Cell("a", "b", 1), error="E\nlast"), spent=0.0, left=30.0)
    progress.close()
    first, second = stream.getvalue().split("\r")[1:]
    assert "1/4  0:00:10 gone, 0:10:00 left  a paper b 0" in first
    assert "2/4  0:00:20 gone, 0:02:00 left, 1 errors  a paper b 1" in second
    assert second.endswith("\n")
