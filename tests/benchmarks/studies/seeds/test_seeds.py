"""Cells and report of the study."""

from __future__ import annotations

import pytest

pytest.importorskip("pandas")

from benchmarks.studies.seeds import cells, command
from benchmarks.studies.seeds.cells import WORK, Cell
from benchmarks.studies.seeds.report import compose


def line(spread, brier):
    return {"range": spread, "c_index": [0.6, 0.8], "brier": [brier] * 2, "fit_seconds": [1.0, 2.0], "error": None}


def test_means_are_over_the_data_sets_that_all_have():
    lines = {
        Cell("a", "default", 3, "here"): line(0.04, 0.1),
        Cell("b", "default", 3, "here"): line(0.08, 0.2),
        Cell("a", "default", 3, "before"): line(0.05, 0.1),
    }
    means, each = compose(lines).split("## Data sets")
    assert "Means over 1 data sets" in means
    assert "| default, here | 0.0400 | 0.7000 | 0.1000 | 1.50 |" in means
    assert "| b | default, here | 0.0800 | 0.7000 | 0.2000 | 1.50 |" in each


def test_run_continues_and_reports(tmp_path, capsys, monkeypatch):
    pytest.importorskip("SurvSet")
    arguments = [
        "--datasets",
        "glioma",
        "--variants",
        "folds_2",
        "--repeats",
        "6",
        "--output",
        str(tmp_path),
        "--jobs",
        "1",
    ]
    command.main(["run", *arguments])
    command.main(arguments)
    found = capsys.readouterr()
    assert "1 cells of 1 are done" in found.err
    (cell,) = lines = WORK.read(tmp_path)
    assert cell == Cell("glioma", "folds_2", 6, "here")
    assert len(lines[cell]["brier"]) == cells.SEEDS
    assert 0.0 < lines[cell]["range"] < 1.0
    assert "| glioma | 2 folds, here |" in found.out


def test_versions_are_cells_of_their_own():
    options = command.parse(["--version", "before"])
    assert options.version == "before"
    assert options.datasets == command.DATASETS


def test_a_report_without_results_says_so(tmp_path, capsys):
    command.main(["report", "--output", str(tmp_path)])
    assert capsys.readouterr().out == "No cell has a result.\n"
