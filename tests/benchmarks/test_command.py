"""The one command line of all studies."""

import signal
import subprocess
import sys

import pytest

from benchmarks import __main__ as command
from benchmarks.harness.paths import REPOSITORY

#: What separates the texts of several commands.
END = "\f"


def test_an_interrupt_says_how_to_continue(monkeypatch, capsys):
    from benchmarks.studies.speed import command as speed

    def interrupt(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(speed, "main", interrupt)
    with pytest.raises(SystemExit, match="130"):
        command.main(["speed"])
    assert "continues from here" in capsys.readouterr().err


def test_a_kill_ends_the_command_as_an_interrupt_does(monkeypatch):
    """SystemExit unwinds the stack, so that the pool ends its workers; the default of SIGTERM would not."""
    from benchmarks.studies.speed import command as speed

    unwound = []

    def run(arguments):
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            unwound.append(True)

    monkeypatch.setattr(speed, "main", run)
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit, match="143"):
            command.main(["speed"])
    finally:
        signal.signal(signal.SIGTERM, before)
    assert unwound


def test_options_reach_the_study(monkeypatch):
    from benchmarks.studies.speed import command as speed

    given = []
    monkeypatch.setattr(speed, "main", given.append)
    command.main(["speed", "--rows", "500", "--help"])
    assert given == [["--rows", "500", "--help"]]


def test_an_unknown_study_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["no"])
    assert "paper" in capsys.readouterr().err


ALL_HELP = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})
from benchmarks.__main__ import main
for study in sys.argv[1:]:
    try:
        main([study, "--help"])
    except SystemExit as end:
        print("exit", end.code, end={END!r})
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("elsewhere")


@pytest.fixture(scope="module")
def help_of(folder):
    """What each study prints when it is asked for help in another folder; one process imports all of them."""
    pytest.importorskip("pandas")
    code = [sys.executable, "-c", ALL_HELP, *command.STUDIES]
    printed = subprocess.run(code, capture_output=True, text=True, check=True, cwd=folder).stdout
    return dict(zip(command.STUDIES, printed.split(END)[:-1], strict=True))


@pytest.mark.parametrize("study", list(command.STUDIES))
def test_every_study_has_help_wherever_it_is_run(study, help_of, folder):
    """From another folder: nothing may depend on the current directory."""
    assert f"python -m benchmarks {study}" in help_of[study]
    assert "benchmarks/results" in help_of[study]
    assert help_of[study].endswith("exit 0")
    assert not list(folder.iterdir())
