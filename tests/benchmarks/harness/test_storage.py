import json

import pytest

from benchmarks.harness import storage


def cell_of(line):
    return tuple(line[field] for field in ("dataset", "model", "seed", "variant"))


def read(folder):
    return list(storage.read(folder, cell_of).values())


def append(folder, line):
    storage.append(folder, line["model"], line)


LINE = {"dataset": "gbsg2", "model": "cox", "seed": 0, "variant": "paper", "c_index": 0.7}


def test_what_is_appended_is_read(tmp_path):
    lines = [LINE, LINE | {"seed": 1}, LINE | {"model": "rsf"}, LINE | {"variant": "leak_free"}]
    for line in lines:
        append(tmp_path / "deep" / "folder", line)
    found = read(tmp_path / "deep" / "folder")
    assert sorted(map(str, found)) == sorted(map(str, lines))
    assert {path.name for path in (tmp_path / "deep" / "folder").iterdir()} == {"cox.jsonl", "rsf.jsonl"}


def test_the_last_line_of_a_cell_wins(tmp_path):
    for c_index in (0.1, 0.2):
        append(tmp_path, LINE | {"c_index": c_index})
    assert read(tmp_path) == [LINE | {"c_index": 0.2}]


def test_without_results_there_are_none(tmp_path):
    assert read(tmp_path / "missing") == []


@pytest.mark.parametrize("cut", [1, 20, len(json.dumps(LINE)) - 1])
def test_a_kill_costs_only_the_line_in_the_making(tmp_path, cut):
    append(tmp_path, LINE)
    with (tmp_path / "cox.jsonl").open("a") as file:
        file.write(json.dumps(LINE | {"seed": 1})[:cut])
    assert read(tmp_path) == [LINE]
    append(tmp_path, LINE | {"seed": 2})
    assert read(tmp_path) == [LINE, LINE | {"seed": 2}]


def test_a_cut_inside_a_character_is_skipped(tmp_path):
    append(tmp_path, LINE)
    with (tmp_path / "cox.jsonl").open("ab") as file:
        file.write(b'{"error": "\xc3')
    assert read(tmp_path) == [LINE]


def test_what_is_no_number_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="Out of range"):
        append(tmp_path, LINE | {"c_index": float("nan")})
    assert read(tmp_path) == []


def test_lines_of_something_else_are_skipped(tmp_path):
    append(tmp_path, LINE)
    storage.append(tmp_path, "cox", {"model": "cox", "repeat": 0})
    assert read(tmp_path) == [LINE]
    assert list(storage.read(tmp_path, lambda line: line["repeat"])) == [0]
