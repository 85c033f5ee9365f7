"""Training out of core beside training in memory, on a few rows."""

from __future__ import annotations

import pytest

from benchmarks.harness import storage
from benchmarks.studies.speed import out_of_core
from benchmarks.studies.speed.out_of_core_report import out_of_core_table

FITTED = {"seconds": 12.34, "peak_mb": 1234, "rounds": 15, "depth": 3, "loss": 0.25, "concordance": 0.7, "error": None}


def test_both_ways_have_the_same_rows_and_are_scored_alike(tmp_path, monkeypatch):
    for name, value in {"FILE_ROWS": 300, "GROUP_ROWS": 100, "TEST_ROWS": 200, "SCORED_ROWS": 100}.items():
        monkeypatch.setattr(out_of_core, name, value)
    out_of_core.write_files(tmp_path, 600, 5)
    assert len(list(tmp_path.iterdir())) == 2
    batches, memory = (out_of_core.train(way, tmp_path, 5) for way in ("batches", "memory"))
    for name in ("loss", "concordance", "rounds"):
        assert batches[name] == pytest.approx(memory[name], rel=1e-6)
    assert memory["concordance"] > 0.65


def run(folder, monkeypatch, arguments=()):
    """The command with a limit of one megabyte, and fits that only say what they were asked for."""
    asked = []

    def fit(way, files, options, limit):
        asked.append((way, limit, len(list(files.iterdir())), options.settings))
        return {"error": "MemoryError"} if way == "memory" and limit else FITTED

    monkeypatch.setattr(out_of_core, "FILE_ROWS", 10_000)
    monkeypatch.setattr(out_of_core, "run_apart", fit)
    out_of_core.main(["--limit", "1", "--columns", "40", "--output", str(folder), *arguments])
    return asked


def test_data_are_at_least_four_times_the_limit_and_each_result_is_stored(tmp_path, monkeypatch, capsys):
    asked = run(tmp_path, monkeypatch)
    assert asked == [("batches", 1, 2, "given"), ("memory", 1, 2, "given"), ("memory", None, 2, "given")]
    lines = storage.read(tmp_path, lambda line: (line["way"], line["limit_mb"]))
    assert list(lines) == [(way, limit) for way, limit, *_ in asked]
    assert {line["data_mb"] >= 4 for line in lines.values()} == {True}
    assert lines["memory", 1]["error"] == "MemoryError"
    printed = capsys.readouterr().out
    assert "20,000 rows, 40 columns" in printed
    assert "memory, 1 MB: failed with MemoryError" in printed
    assert "held-out loss 0.2500, C-index 0.7000" in printed


def test_the_table_has_both_fits_side_by_side(tmp_path, monkeypatch):
    run(tmp_path, monkeypatch)
    run(tmp_path, monkeypatch, ["--settings", "chosen"])
    run(tmp_path, monkeypatch)  # the latest result of each counts
    table = out_of_core_table(tmp_path)
    fitted = ["15", "3", "-0.2500", "70.00", "12.3", "1,234"]
    data = ["20,000 × 40", "6"]
    expected = [
        [*data, "1", *fitted],
        [*data, "1", "MemoryError", *["—"] * 5],
        [*data, "none", *fitted],
    ]
    found = [[entry.text for entry in row.entries] for row in table.rows]
    assert found[:3] == expected
    assert found[3][3:5] == ["15 (chosen)", "3 (chosen)"]
    assert len(found) == 6
    assert len(table.columns) == len(found[0])
