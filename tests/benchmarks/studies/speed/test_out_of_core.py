"""Training out of core beside training in memory, on a few rows."""

from __future__ import annotations

import pytest

from benchmarks.studies.speed import out_of_core


def test_both_ways_have_the_same_rows_and_are_scored_alike(tmp_path, monkeypatch):
    for name, value in {"FILE_ROWS": 300, "GROUP_ROWS": 100, "TEST_ROWS": 200, "SCORED_ROWS": 100}.items():
        monkeypatch.setattr(out_of_core, name, value)
    out_of_core.write_files(tmp_path, 600, 5)
    assert len(list(tmp_path.iterdir())) == 2
    batches, memory = (out_of_core.train(way, tmp_path, 5) for way in ("batches", "memory"))
    for name in ("loss", "concordance", "rounds"):
        assert batches[name] == pytest.approx(memory[name], rel=1e-6)
    assert memory["concordance"] > 0.65
