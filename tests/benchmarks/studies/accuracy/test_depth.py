"""Automatic depth on clean data: what is measured, and the committed table."""

import pytest

from benchmarks.harness import storage
from benchmarks.harness.paths import DOCS
from benchmarks.studies.accuracy import depth


def test_a_measurement_is_close_to_the_truth(monkeypatch):
    monkeypatch.setattr(depth, "NEW", 500)
    line = depth.measure("additive", 400, 2)
    assert (line["chosen"], line["rows"]) == (2, 400)
    assert 0.02 < line["rmse"] < 0.2
    assert 0.6 < line["c_index"] < 0.8


def test_the_documentation_has_the_committed_table(capsys, monkeypatch):
    monkeypatch.setattr(depth, "measure", lambda *_: pytest.fail("a committed result is missing"))
    depth.main()
    table = capsys.readouterr().out
    assert table.strip() in (DOCS / "defaults-evidence.md").read_text(encoding="utf-8")
    assert len(storage.read(depth.OUTPUT, depth._cell)) == len(table.splitlines()[2:]) * len(depth.DEPTHS)
