"""A file takes the place of another when it is complete, and not before."""

from __future__ import annotations

import os

import pytest

from hazboost.utils.files import complete_file


def test_the_old_file_is_there_until_the_new_one_is_complete(tmp_path):
    path = tmp_path / "result.txt"
    path.write_text("old", encoding="utf-8")
    with complete_file(path) as beside:
        beside.write_text("new", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"path: there must be a folder '.*none'; make it first"):
        write_half(tmp_path / "none" / "result.txt", ValueError)
    assert not list(tmp_path.iterdir())


def write_half(path, error):
    with complete_file(path) as beside:
        beside.write_text("half", encoding="utf-8")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_nothing_is_left_after_an_error(error, tmp_path):
    with pytest.raises(error):
        write_half(tmp_path / "result.txt", error)
    assert not list(tmp_path.iterdir())


def test_the_disk_has_all_of_the_file_before_it_takes_its_place(tmp_path, monkeypatch):
    written, path = [], tmp_path / "result.txt"
    monkeypatch.setattr(os, "fsync", lambda number: written.append((os.fstat(number).st_size, path.exists())))
    with complete_file(path) as beside:
        beside.write_text("four", encoding="utf-8")
    assert written == [(4, False)]


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old", encoding="utf-8")
    link.symlink_to(target)
    with complete_file(link) as beside:
        beside.write_text("new", encoding="utf-8")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"
