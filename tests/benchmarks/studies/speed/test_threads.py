"""How fits scale with threads, on a few rows."""

from __future__ import annotations

import json

import pytest

from benchmarks.studies.speed import threads

#: Few rounds of small steps; how well the model fits is not what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:the fitted curves are poor")


def run(tmp_path, *arguments):
    """The lines that a small run writes."""
    output = tmp_path / "threads.jsonl"
    threads.main(["--output", str(output), "--rows", "600", "--threads", "1,2", *arguments])
    return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]


def test_a_round_takes_longer_than_its_trees(tmp_path):
    machine, *lines = run(tmp_path, "--part", "rounds")
    assert machine["versions"]["xgboost"]
    assert {(line["depth"], line["threads"], line["compiled"]) for line in lines} == {
        (depth, number, compiled) for depth in threads.DEPTHS for number in (1, 2) for compiled in (True, False)
    }
    for line in lines:
        assert 0.0 < line["boost_ms"] < line["round_ms"]
        assert line["ratio"] > 1.0


def test_the_fit_is_the_same_with_any_number_of_threads(tmp_path):
    _, two, one = run(tmp_path, "--part", "fits")
    assert (two["threads"], one["threads"]) == (2, 1)
    assert (two["rounds"], two["depth"]) == (one["rounds"], one["depth"])


def test_results_are_lines(tmp_path):
    with pytest.raises(SystemExit, match="2"):
        threads.main(["--output", str(tmp_path / "threads.json")])
