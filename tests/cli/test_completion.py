"""Scripts for completion: bash offers what the parser knows, and the others have the same words."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from hazboost.cli.command import SUBCOMMANDS, make_parser
from hazboost.cli.completion import places
from hazboost.cli.figures import FIGURES
from tests.cli.command import call, run

PLACES = list(places(make_parser()))


@pytest.fixture(scope="module")
def script():
    """That of bash, through the executable."""
    return run("completion", "bash").stdout


def offered(script, lines, cwd):
    """What bash offers for the last word of each line, which may be empty."""
    asked = "\n".join(
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _hazboost 2>&1; "
        'printf "%s|" "${COMPREPLY[@]}"; echo'
        for words in ([*line.split(), *(['""'] if line.endswith(" ") else [])] for line in lines)
    )
    bash = [shutil.which("bash"), "--norc", "--noprofile"]
    done = subprocess.run(
        bash, input=f"{script}\n{asked}\n", capture_output=True, text=True, check=True, cwd=cwd, timeout=60
    )
    assert done.stderr == ""
    return [[word for word in line.split("|") if word] for line in done.stdout.splitlines()]


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@needs_bash
def test_bash_offers_every_command_and_option(script, tmp_path):
    for start, wanted in (
        ("-", lambda place: [name for option in place.options for name in option.names]),
        ("", lambda place: [*place.commands, *place.words]),
    ):
        found = offered(script, [f"hazboost {place.name} {start}" for place in PLACES], tmp_path)
        assert found == [wanted(place) for place in PLACES]
    assert {place.name for place in PLACES} == {"", *SUBCOMMANDS, *(f"plot {kind}" for kind in FIGURES)}


@needs_bash
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hazboost pre", ["predict"]),
        ("hazboost plot d", ["d-calibration", "dependence"]),
        ("hazboost completion z", ["zsh"]),
        ("hazboost fit data.csv --time-unit ", ["days", "years"]),
        ("hazboost plot dependence m.hzb data.csv --of m", ["median"]),
        ("hazboost fit data.csv --time ", []),
        ("hazboost predict m", ["m.hzb", "my data.csv"]),
        ("hazboost predict m.hzb data.csv -o my", ["my data.csv"]),
        ("hazboost fit plot --ro", ["--rounds"]),
    ],
)
def test_bash_offers_values_and_files(line, expected, script, tmp_path):
    for name in ("m.hzb", "my data.csv", "other.csv"):
        (tmp_path / name).touch()
    (found,) = offered(script, [line], tmp_path)
    assert sorted(found) == expected


@needs_bash
def test_bash_calls_the_function_for_the_command(script, tmp_path):
    asked = f"{script}\ncomplete -p hazboost\n"
    done = subprocess.run(["bash"], input=asked, capture_output=True, text=True, check=True, cwd=tmp_path, timeout=60)
    assert done.stdout == "complete -F _hazboost hazboost\n"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_know_every_option(shell, capsys):
    """And understand their scripts, where they are installed."""
    assert call("completion", shell) == 0
    script = capsys.readouterr().out
    for place in PLACES:
        lines = [line for line in script.splitlines() if f'"{place.name}:-"*' in line or f'at "{place.name}"' in line]
        known = "\n".join(lines)
        for option in place.options:
            for name in option.names:
                assert re.search(rf"'{name}:|-[ls] {name.lstrip('-')} ", known), (place.name, name)
        assert all(f"'{word}:" in script or f"-a {word} " in known for word in place.commands)
    # Every quotation is closed, so that no text of a help is read as a command.
    plain = re.sub(r"'(?:[^'\\]|\\.)*'" if shell == "fish" else r"'[^']*'|\\'", "", script)
    assert "'" not in plain
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True, timeout=60)


def test_an_unknown_shell_is_refused():
    done = run("completion", "tcsh")
    assert (done.returncode, done.stdout) == (2, "")
    assert "invalid choice: 'tcsh'" in done.stderr
    assert done.stderr.count("\n") == 1
