import json

import numpy as np
import pytest

pytest.importorskip("sksurv")

from benchmarks.harness.paths import RESULTS
from benchmarks.studies.speed import command


def test_simulated_data():
    sample = command.simulate(3_000, 0)
    assert sample.X.shape == (3_000, command.COLUMNS)
    assert len(np.unique(sample.time)) <= command.DISTINCT_TIMES
    assert 0.3 < sample.event.mean() < 0.7
    assert len(np.unique(command.simulate(500, 0).time)) == 500


def test_a_line_has_the_fields_of_the_committed_ones(tmp_path, capsys):
    command.main(["--rows", "60", "--repeats", "1", "--output", str(tmp_path)])
    (line,) = map(json.loads, (tmp_path / "speed.jsonl").read_text().splitlines())
    committed = [json.loads(text) for text in (RESULTS / "speed" / "speed.jsonl").read_text().splitlines()]
    assert len(committed) >= 2
    assert set(line) == set(committed[0])
    assert line["ratio"] == line["fpboost"] / line["forest"]
    assert "60 rows" in capsys.readouterr().out
