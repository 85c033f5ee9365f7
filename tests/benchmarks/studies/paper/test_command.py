import subprocess
import sys
from pathlib import Path

import pytest

from hazboost import cli

pytest.importorskip("sksurv")

from hazboost.datasets import PAPER
from hazboost.experiments import run
from hazboost.experiments.baselines import BASELINES
from hazboost.experiments.pool import Limits


@pytest.fixture
def calls(monkeypatch):
    """What the command does, in order, without doing it."""
    made = []
    monkeypatch.setattr(cli, "run_study", lambda *args, **options: made.append(("run", *args, options)))
    monkeypatch.setattr(cli, "print_tables", lambda results, stream: made.append(("print", results)))
    monkeypatch.setattr(cli, "write_report", lambda results, output: made.append(("write", results, output)))
    return made


def test_the_whole_study_then_tables(calls):
    cli.main(["bench"])
    (_, study, folder, _, options), *rest = calls
    assert study == run.Study(tuple(BASELINES), PAPER, tuple(range(30)), ("paper", "leak_free"))
    assert folder == Path("results/paper")
    assert options == {"retry_errors": False}
    assert rest == [("print", folder), ("write", folder, Path("docs/experiments"))]


def test_quick(calls):
    cli.main(["bench", "--quick"])
    (_, study, folder, _, _), *rest = calls
    assert study == run.Study(tuple(BASELINES), ("veterans", "gbsg2"), (0, 1), ("paper", "leak_free"))
    assert rest == [("print", folder)]
    assert folder == Path("results/quick")


@pytest.mark.parametrize(("step", "made"), [("run", ["run"]), ("tables", ["print", "write"])])
def test_steps(calls, step, made):
    cli.main(["bench", step])
    assert [call[0] for call in calls] == made


def test_options(calls, tmp_path):
    what = "--models km,cox --datasets whas --seeds 0-1,7 --variants leak_free"
    how = f"--retry-errors --jobs 3 --memory 5.5 --timeout 60 --output {tmp_path}"
    cli.main(["bench", "run", *what.split(), *how.split()])
    study = run.Study(("km", "cox"), ("whas",), (0, 1, 7), ("leak_free",))
    assert calls == [("run", study, tmp_path, Limits(3, 60.0, 5.5), {"retry_errors": True})]


@pytest.mark.parametrize("wrong", ["--models=no", "--datasets=no", "--variants=no", "--seeds=a", "--jobs=0"])
def test_what_is_wrong_is_named(calls, wrong, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["bench", wrong])
    assert wrong.split("=")[0] in capsys.readouterr().err
    assert not calls


def test_an_interrupt_says_how_to_go_on(monkeypatch, capsys):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "run_study", interrupt)
    with pytest.raises(SystemExit, match="130"):
        cli.main(["bench"])
    assert "goes on from here" in capsys.readouterr().err


def test_the_module_runs():
    done = subprocess.run(
        [sys.executable, "-m", "hazboost", "bench", "--help"], capture_output=True, text=True, check=True
    )
    assert "--quick" in done.stdout


def test_machine():
    assert cli.cores() >= 1
    assert cli.gibibytes() > 0.0
