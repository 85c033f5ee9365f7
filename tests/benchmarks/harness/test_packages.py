import sys
from types import SimpleNamespace

import pytest

from benchmarks.harness.environments import Environment
from benchmarks.harness.packages import is_available, versions, why_not


def model(packages=("hazboost",), environment=None):
    return SimpleNamespace(packages=packages, environment=environment)


def test_a_model_without_its_packages_is_skipped_with_a_line(capsys):
    assert not is_available("fake", model(("numpy", "no-such-package")))
    assert "Skipping the model fake" in (said := capsys.readouterr().err)
    assert "pip install no-such-package" in said
    assert is_available("fake", model(("numpy",)))


def test_a_model_without_its_interpreter_is_skipped(monkeypatch, capsys, tmp_path):
    environment = Environment("elsewhere", ("no-such-package",))
    monkeypatch.setenv(environment.variable, str(tmp_path / "python"))
    assert not is_available("fake", model(environment=environment))
    assert environment.variable in capsys.readouterr().err


def test_an_interpreter_is_announced_only_where_it_has_to_be_made(monkeypatch, capsys, tmp_path):
    pytest.importorskip("pooch")
    environment = Environment("elsewhere", ("numpy",))
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    monkeypatch.setattr(Environment, "_make", lambda self, folder: folder.mkdir(parents=True))
    assert why_not(model(environment=environment)) is None
    assert "elsewhere: making an interpreter of its own" in capsys.readouterr().err
    assert why_not(model(environment=environment)) is None
    monkeypatch.setenv(environment.variable, sys.executable)
    assert why_not(model(environment=environment)) is None
    assert capsys.readouterr().err == ""


def test_versions_are_those_of_the_interpreter_that_was_used(monkeypatch):
    environment = Environment("elsewhere", ("pytest",))
    monkeypatch.setenv(environment.variable, sys.executable)
    remote = model(("PyTest", "no-such-package"), environment)
    found = versions(remote, "scipy")
    assert found["PyTest"] == pytest.__version__
    assert set(found) == {"python", "hazboost", "numpy", "scikit-learn", "scipy", "PyTest"}
    assert why_not(remote) is None
