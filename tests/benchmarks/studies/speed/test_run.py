"""Measurements in processes of their own, from the command to the page."""

import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.harness.memory import peak_gibibytes, resident_gibibytes
from benchmarks.harness.paths import DOCS, REPOSITORY
from benchmarks.studies.speed import command, gpu, measure
from benchmarks.studies.speed.cells import Cell, is_measured, read
from benchmarks.studies.speed.process import Limits, commit_of
from benchmarks.studies.speed.process import measure as measure_cell

FIRST = ["--threads", "1", "--repeats", "1"]
CELL = Cell("fits", "xgb_aft", "defaults", 100, 1, 0)
HAS_HISTORY = bool(commit_of(command.FIRST))


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, **command.PARTS["fits"].arrays(CELL))
    return path


def run(folder, *options):
    command.main(["run", *FIRST, "--output", str(folder), *options])
    return read(folder)


class TestProcess:
    def test_a_measurement(self, saved):
        result = measure_cell(CELL, saved, REPOSITORY / "src", Limits())
        assert result["error"] is None
        assert (result["n"], result["d"]) == (100, 20)
        assert result["fit_seconds"] > 0.0
        assert 0.05 < result["peak_gib"] < 1.0

    @pytest.mark.parametrize(
        ("limits", "error"),
        [(Limits(seconds=0.0), "more than 0 seconds"), (Limits(memory=1e-6), "more than 1e-06 GiB")],
    )
    def test_what_exceeds_the_limits_is_ended(self, limits, error, saved):
        if limits.memory < 1.0 and not sys.platform.startswith("linux"):
            pytest.skip("the memory of another process is known on Linux only")
        assert measure_cell(CELL, saved, REPOSITORY / "src", limits) == {"error": error}

    def test_an_error_names_no_folder(self, saved):
        np.savez(saved, X=np.zeros((3, 2)))
        error = measure_cell(CELL, saved, REPOSITORY / "src", Limits())["error"]
        assert error.startswith("ended with the code 1")
        assert "KeyError: 'event'" in error
        assert str(REPOSITORY) not in error

    def test_memory(self):
        before = peak_gibibytes()
        held = np.ones(2**24)
        assert peak_gibibytes() >= before
        assert resident_gibibytes(2**30) == 0.0
        assert held.sum() == 2**24


class TestMeasure:
    ARRAYS = command.PARTS["fits"].arrays(Cell("fits", "fpboost", "defaults", 60, 1, 0))

    def test_the_fit_that_counts_is_the_second(self):
        sizes = []

        class Model:
            def risk(self, X):
                return np.zeros(len(X))

        result = measure.time_fit(lambda X, event, time: sizes.append(len(X)) or Model(), self.ARRAYS)
        assert sizes == [60, 60]
        assert set(result) == {"n", "d", "fit_seconds", "fit_cpu_seconds", "predict_seconds"}

    def test_short_work_is_repeated(self, monkeypatch):
        clock = [0.0]
        monkeypatch.setattr(measure.clock, "perf_counter", lambda: clock[0])

        def work(seconds):
            clock[0] += next(seconds)

        short, long = iter([0.5, *[0.01] * 8]), iter([3.0, 9.0])
        assert measure.typical_seconds(lambda: work(short)) == 0.01
        assert measure.typical_seconds(lambda: work(long)) == 3.0
        assert list(long) == [9.0]

    def test_nested_calls_are_counted_once(self, monkeypatch):
        class Work:
            def outer(self):
                self.inner()

            def inner(self):
                clock[0] += 1.0

        clock = [0.0]
        monkeypatch.setattr(measure.clock, "perf_counter", lambda: clock[0])
        watch = measure.Stopwatch()
        watch.watch(Work, "outer")
        watch.watch(Work, "inner")
        Work().outer()
        Work().inner()
        assert watch.seconds == 2.0


def test_the_command_continues_and_writes_the_page(tmp_path):
    options = ["--part", "heads", "--settings", "2", "--models", "fpboost"]
    run(tmp_path, *options, "--rows", "60")
    lines = run(tmp_path, *options, "--rows", "60,80")
    assert [(cell.rows, is_measured(line)) for cell, line in lines.items()] == [(60, True), (80, True)]
    assert len((tmp_path / "heads.jsonl").read_text().splitlines()) == 2
    page = tmp_path / "speed.md"
    shutil.copy(DOCS / "speed.md", page)
    command.main(["report", "--output", str(tmp_path), "--page", str(page)])
    assert re.search(r"\| 2 \| 60 \| [0-9.]+ \| — \|", page.read_text())
    assert (tmp_path / "speed.svg").exists()


@pytest.mark.skipif(not HAS_HISTORY, reason="needs the history of the repository")
def test_the_version_before_is_measured_beside_ours(tmp_path):
    options = ["--part", "fixed", "--models", "fpboost,fpboost_previous", "--rows", "60"]
    lines = run(tmp_path, *options, "--settings", "half of the rows and columns in 64 bins")
    (own, one), (before, other) = lines.items()
    assert (own.model, before.model) == ("fpboost", "fpboost_previous")
    assert [one["error"], other["error"]] == [None, None]
    assert other["commit"] == command.FIRST
    for line in (one, other):
        assert 0.0 < line["likelihood_seconds"] < line["fit_seconds"]
        assert 0.0 < line["trees_seconds"] < line["fit_seconds"]


@pytest.mark.parametrize("setting", ["risk", "survival"])
def test_predictions(setting, tmp_path):
    lines = run(tmp_path, "--part", "predict", "--models", "fpboost", "--settings", setting, "--rows", "60")
    (line,) = lines.values()
    assert line["error"] is None
    assert line["predict_seconds"] > 0.0
    assert ("in_place_seconds" in line) == (setting == "risk")
    assert ("result_gib" in line) == (setting == "survival")


def test_a_script_for_a_machine_without_other_packages(tmp_path):
    """In a process that cannot import them; on the processor, as there is no GPU."""
    blocked = "pandas", "sksurv", "matplotlib", "hazardous", "polars", "pyarrow", "cupy"
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({blocked})); "
        "from benchmarks.studies.speed import gpu; gpu.HELD_OUT = 200; gpu.main(sys.argv[1:])"
    )
    output = tmp_path / "gpu.jsonl"
    subprocess.run(
        [sys.executable, "-c", code, "--output", str(output), "--rows", "150", "--repeats", "1", "--device", "cpu"],
        check=True,
        cwd=REPOSITORY,
        capture_output=True,
    )
    machine, *lines = map(json.loads, output.read_text().splitlines())
    assert machine["kind"] == "machine"
    assert [line["error"] for line in lines] == [None] * 7
    assert [(line["part"], line["model"]) for line in lines] == [
        ("host", "fpboost"), ("host", "xgb_aft"), ("device", "fpboost"), ("device", "xgb_aft"),
        ("accuracy", "fpboost"), ("accuracy", "fpboost, on the processor"), ("defaults", "fpboost"),
    ]  # fmt: skip
    assert lines[4]["log_likelihood"] == lines[5]["log_likelihood"]
    page = tmp_path / "speed.md"
    shutil.copy(DOCS / "speed.md", page)
    command.main(["report", "--output", str(tmp_path), "--page", str(page)])
    assert "| FPBoost | generated on the device | 150 |" in page.read_text()


def test_the_likelihood_of_other_rows_is_the_loss():
    """Minus the mean loss that `fit` reports for the same rows as validation data."""
    data = gpu.simulate(300, np.random.default_rng(0))
    new = gpu.simulate(150, np.random.default_rng(1))
    model = gpu.FPBoost(n_estimators=3, init="marginal", random_state=0)
    model.fit(data["X"], (data["event"], data["time"]), eval_set=(new["X"], (new["event"], new["time"])))
    assert gpu.mean_log_likelihood(model, new) == pytest.approx(-model.history_["validation_loss"][-1], rel=1e-4)


def test_what_fails_on_a_gpu_is_a_line():
    def broken():
        raise RuntimeError("no such device")

    (line,) = gpu.attempts({"fpboost": broken})
    assert "no such device" in line["error"]


def test_results_of_a_gpu_are_json_lines(tmp_path, capsys):
    with pytest.raises(SystemExit, match="2"):
        gpu.main(["--output", str(tmp_path / "gpu.txt")])
    assert "must end with .jsonl; got gpu.txt" in capsys.readouterr().err
