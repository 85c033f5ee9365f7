"""Interpreters of their own: found, made once, and talked to."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.environments import Environment, UnavailableError, Worker, WorkerError

THIS = Environment("this", ("numpy",))


@pytest.fixture
def this_interpreter(monkeypatch):
    monkeypatch.setenv("HAZBOOST_PYTHON_THIS", sys.executable)
    return THIS


@pytest.fixture
def cache(monkeypatch, tmp_path):
    pooch = pytest.importorskip("pooch")
    monkeypatch.delenv("HAZBOOST_PYTHON_THIS", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / name)
    return tmp_path / "hazboost" / "environments"


@pytest.fixture
def worker(this_interpreter, tmp_path):
    (tmp_path / "doubling.py").write_text(
        "import os\n"
        "def fit(arrays, settings):\n"
        "    print('libraries talk')\n"
        "    os.write(1, b'those of C too')\n"
        "    return arrays['X'].mean() + settings['more']\n"
        "def predict(model, arrays):\n"
        "    if arrays['times'].size == 0:\n"
        "        raise ValueError('no times')\n"
        "    return {'risk': 2 * arrays['X'] + model}\n"
    )
    return Worker(this_interpreter, tmp_path / "doubling.py")


class TestInterpreter:
    def test_the_one_that_is_named(self, this_interpreter):
        assert this_interpreter.python() == Path(sys.executable)

    def test_a_name_that_is_no_file(self, monkeypatch):
        monkeypatch.setenv("HAZBOOST_PYTHON_THIS", "/nowhere/python")
        with pytest.raises(UnavailableError, match="HAZBOOST_PYTHON_THIS='/nowhere/python' is no file"):
            THIS.python()

    def test_made_once(self, cache, monkeypatch):
        commands = []

        def pretend(self, command):
            commands.append(command)
            if "venv" in command:
                Path(command[-1]).mkdir()

        monkeypatch.setattr(Environment, "_call", pretend)
        first, second = THIS.python(), THIS.python()
        assert first == second
        assert first.is_relative_to(cache)
        assert [command[2] for command in commands] == ["venv", "pip"]
        assert [path.name for path in cache.iterdir()] == [first.parents[1].name], "nothing else is left behind"

    def test_first_use_is_part_of_making_it(self, cache, monkeypatch):
        commands = []

        def pretend(self, command):
            commands.append(command[1:])
            if "venv" in command:
                Path(command[-1]).mkdir()

        monkeypatch.setattr(Environment, "_call", pretend)
        Environment("this", ("numpy",), first_use="import numpy").python()
        assert commands[-1] == ["-c", "import numpy"]

    def test_two_processes_make_it_at_once(self, cache, monkeypatch):
        def pretend(self, command):
            if "venv" in command:
                Path(command[-1]).mkdir()
            else:
                (THIS._folder() / "bin").mkdir(parents=True)

        monkeypatch.setattr(Environment, "_call", pretend)
        assert THIS.python().parents[1].exists()

    def test_other_requirements_live_elsewhere(self, cache):
        assert THIS._folder() != Environment("this", ("numpy", "scipy"))._folder()

    def test_one_that_cannot_be_made(self, cache):
        with pytest.raises(UnavailableError, match=r"made of no-such-package.*point HAZBOOST_PYTHON_THIS at"):
            Environment("this", ("no-such-package",))._call([sys.executable, "-c", "raise SystemExit('not found')"])
        assert not cache.exists()

    def test_versions(self, this_interpreter):
        found = this_interpreter.versions(("NumPy", "no-such-package"))
        assert found == {"NumPy": np.__version__}


class TestWorker:
    def test_trains_and_predicts(self, worker):
        assert worker.call("fit", {"X": np.array([1.0, 3.0])}, {"more": 10.0}) == {}
        output = worker.call("predict", {"X": np.array([1.0, 2.0]), "times": np.ones(1)})
        np.testing.assert_array_equal(output["risk"], [14.0, 16.0])

    def test_an_error_shows_its_traceback(self, worker):
        with pytest.raises(WorkerError, match=r"(?s)predict ended with the code 1.*ValueError: no times"):
            worker.call("predict", {"X": np.ones(1), "times": np.ones(0)})
        with pytest.raises(WorkerError, match="no times"):
            worker.call("predict", {"X": np.ones(1), "times": np.ones(1)})

    def test_ends_when_nobody_needs_it(self, this_interpreter, tmp_path):
        (tmp_path / "idle.py").write_text("")
        worker = Worker(this_interpreter, tmp_path / "idle.py")
        process, folder = worker._process, worker._path
        assert folder.exists()
        del worker
        gc.collect()
        assert process.poll() == 0
        assert not folder.exists()
