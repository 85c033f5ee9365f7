import pytest

pytest.importorskip("sksurv")

from benchmarks.harness.paths import REPOSITORY
from benchmarks.harness.pool import Limits
from benchmarks.studies.paper import command
from benchmarks.studies.paper.models import models
from benchmarks.studies.paper.run import Study
from hazboost.datasets import PAPER


@pytest.fixture
def calls(monkeypatch):
    """What the command does, in order, without doing it."""
    made = []
    monkeypatch.setattr(command, "run_study", lambda *args, **options: made.append(("run", *args, options)))
    monkeypatch.setattr(command, "print_tables", lambda results, stream: made.append(("print", results)))
    monkeypatch.setattr(command, "write_report", lambda results, output: made.append(("write", results, output)))
    return made


def test_the_whole_study_then_tables_in_the_repository(calls, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    command.main([])
    (_, study, folder, _, options), *rest = calls
    assert study == Study(tuple(models()), PAPER, tuple(range(30)), ("paper", "leak_free"))
    assert folder == REPOSITORY / "benchmarks" / "results" / "paper"
    assert options == {"retry_errors": False}
    assert rest == [("print", folder), ("write", folder, REPOSITORY / "docs" / "experiments")]


def test_quick(calls):
    command.main(["--quick"])
    (_, study, folder, _, _), *rest = calls
    assert study == Study(tuple(models()), ("veterans", "gbsg2"), (0, 1), ("paper", "leak_free"))
    assert rest == [("print", folder)]
    assert folder == REPOSITORY / "benchmarks" / "results" / "quick"


@pytest.mark.parametrize(("step", "made"), [("run", ["run"]), ("tables", ["print", "write"])])
def test_steps(calls, step, made):
    command.main([step])
    assert [call[0] for call in calls] == made


def test_options(calls, tmp_path):
    what = "--models km,cox --datasets whas --seeds 0-1,7 --variants leak_free"
    how = f"--retry-errors --jobs 3 --memory 5.5 --timeout 60 --output {tmp_path}"
    command.main(["run", *what.split(), *how.split()])
    study = Study(("km", "cox"), ("whas",), (0, 1, 7), ("leak_free",))
    assert calls == [("run", study, tmp_path, Limits(3, 60.0, 5.5), {"retry_errors": True})]


@pytest.mark.parametrize("wrong", ["--models=no", "--datasets=no", "--variants=no", "--seeds=a", "--jobs=0"])
def test_a_wrong_option_is_named(calls, wrong, capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main([wrong])
    assert wrong.split("=")[0] in capsys.readouterr().err
    assert not calls
