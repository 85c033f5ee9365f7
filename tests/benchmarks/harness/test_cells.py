from dataclasses import dataclass

import pytest

from benchmarks.harness.cells import Work, attempt, from_line, timed, unfinished
from benchmarks.harness.costs import Costs
from benchmarks.harness.pool import Limits

ROWS = {"small": 100, "large": 1000}


@dataclass(frozen=True)
class Cell:
    data: str
    model: str
    seed: int = 0


def test_costs():
    costs = Costs(ROWS)
    assert costs.of(Cell("large", "a")) == 10 * costs.of(Cell("small", "a"))
    costs.learn(Cell("small", "a"), 2.0)
    costs.learn(Cell("small", "a", 1), 4.0)
    costs.learn(Cell("unknown", "a"), 1e9)
    assert costs.of(Cell("small", "a", 9)) == 3.0
    assert costs.of(Cell("large", "a")) == costs.of(Cell("large", "b")) == pytest.approx(30.0)


def test_unfinished(capsys):
    cells = [Cell("small", "a", seed) for seed in range(3)]
    lines = {cells[0]: {"error": None}, cells[1]: {"error": "timeout"}}
    assert unfinished(cells, lines, retry_errors=False) == cells[2:]
    assert unfinished(cells, lines, retry_errors=True) == cells[1:]
    assert capsys.readouterr().err == "2 cells of 3 are done.\n1 cells of 3 are done.\n"


def test_an_exception_is_recorded_without_folders():
    def fail(cell):
        raise RuntimeError("no luck")

    message = attempt(fail, lambda cell, message: message, Cell("small", "a"))
    assert message.endswith("RuntimeError: no luck\n")
    assert 'File "test_cells.py"' in message
    assert "/" not in message


def test_timed():
    result, seconds = timed(lambda: "done")
    assert result == "done"
    assert 0.0 <= seconds < 1.0


def test_from_line():
    assert from_line(Cell, {"seed": 3, "model": "a", "data": "small", "more": 1}) == Cell("small", "a", 3)
    with pytest.raises(KeyError):
        from_line(Cell, {"model": "a"})


def test_lines_are_stored_and_reported_as_they_come(tmp_path, capsys, monkeypatch):
    lines = {
        Cell("small", "a"): {"name": "a", "seconds": 2.0},
        Cell("small", "b"): {"name": "b", "error": "E\nlast"},
    }
    work = Work(
        run=None,
        failed=None,
        cell_of=lambda line: Cell("small", line["name"]),
        file_of=lambda cell: cell.model,
        seconds_of=lambda line: line["seconds"],
        describe=lambda line: "fine",
    )
    monkeypatch.setattr("benchmarks.harness.cells.run_tasks", lambda cells, *_: iter(lines[cell] for cell in cells))
    costs = work.costs(ROWS, {})
    work.execute(list(lines), tmp_path, Limits(), costs)
    assert work.read(tmp_path) == lines
    assert {path.name for path in tmp_path.iterdir()} == {"a.jsonl", "b.jsonl"}
    assert costs.of(Cell("small", "a", 7)) == 2.0
    said = capsys.readouterr().err
    assert "fine" in said
    assert "ERROR last" in said
    assert "1 errors" in said
