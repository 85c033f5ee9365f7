import argparse
from pathlib import Path

import pytest

from benchmarks.harness import options
from benchmarks.harness.paths import REPOSITORY
from benchmarks.harness.pool import Limits


def test_machine():
    assert options.cores() >= 1
    assert options.gibibytes() > 0.0


def test_lists():
    assert options.names("a, b") == ("a", "b")
    assert options.numbers("3,5-7") == (3, 5, 6, 7)


def test_run_options_become_limits():
    parser = argparse.ArgumentParser()
    options.add_run_options(parser, timeout=60.0)
    given = parser.parse_args(["--jobs", "2", "--memory", "3"])
    assert options.limits(given) == Limits(2, 60.0, 3.0)
    with pytest.raises(SystemExit):
        parser.parse_args(["--jobs", "0"])


def test_paths_are_shown_relative_to_the_repository():
    assert options.shown(REPOSITORY / "docs" / "x") == str(Path("docs") / "x")
    assert options.shown(Path("/elsewhere")) == str(Path("/elsewhere"))
