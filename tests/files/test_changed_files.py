"""Files that were damaged, forged or never were models are refused in plain words, or give the model that was saved."""

from __future__ import annotations

import json
import re
import sys
import zipfile

import pytest

from hazboost import ModelFileError, load
from hazboost.files.archive import pack, unpack
from hazboost.files.manifest import FORMAT_VERSION, NAME, with_manifest
from tests.files.__main__ import run_block, write_originals
from tests.files.models import fitted
from tests.files.mutations import CHANGES
from tests.wording import FOREIGN, is_on_page

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a process")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("originals")
    write_originals(folder)
    return folder


@pytest.fixture
def original(tmp_path):
    """Bytes of the file of a small model."""
    fitted("names").save(tmp_path / "model.hzb")
    return (tmp_path / "model.hzb").read_bytes()


def refusal(path, data):
    """The message for a file with these bytes."""
    path.write_bytes(data)
    with pytest.raises(ModelFileError) as error:
        load(path)
    message = str(error.value)
    assert is_on_page(message)
    assert not FOREIGN.search(message)
    assert path.name in message
    return message


def test_hundreds_of_changed_files(folder):
    """In a process with a gigabyte, within a second each, without a crash; ``python -m tests.files`` makes more."""
    found = run_block(folder, 1, 0, 16 * len(CHANGES))
    assert not found["wrong"]
    assert {how.split(":")[0] for how in found["counts"]} == set(CHANGES)
    assert found["slowest"] < 1.0


def test_every_single_byte_matters(tmp_path, original):
    """No byte can be changed without notice: checksums of all entries, and headers that have one form only."""
    path = tmp_path / "changed.hzb"
    for place in [*range(0, len(original), len(original) // 150), *range(len(original) - 22, len(original))]:
        path.write_bytes(original[:place] + bytes([original[place] ^ 1]) + original[place + 1 :])
        with pytest.raises(ModelFileError):
            load(path)


@pytest.mark.parametrize("kept", [0, 1, 4, 29, 500, -23, -22, -1])
def test_a_file_that_is_cut_short(tmp_path, original, kept):
    assert re.search("damaged|not a hazboost model file", refusal(tmp_path / "cut.hzb", original[:kept]))


def test_a_checksum_is_compared_before_trees_are_read(tmp_path, original, monkeypatch):
    monkeypatch.setattr("hazboost.files.store.read_contents", lambda *_: pytest.fail("was read"))
    entries = unpack(original)
    name = next(one for one in entries if one.endswith(".ubj"))
    entries[name] = bytes([entries[name][0] ^ 1]) + entries[name][1:]
    assert f"the checksum of {name} is another" in refusal(tmp_path / "model.hzb", b"".join(pack(entries)))


def test_a_newer_format_says_what_to_install(tmp_path, original):
    entries = unpack(original)
    manifest = {**json.loads(entries[NAME]), "version": FORMAT_VERSION + 1}
    manifest["written_by"]["hazboost"] = "9.1"
    message = refusal(tmp_path / "model.hzb", b"".join(pack({**entries, NAME: json.dumps(manifest).encode()})))
    assert "was written by hazboost 9.1" in message
    assert "install the newer version" in message


@pytest.mark.parametrize("name", ["../../evil.py", "/etc/passwd", "arrays/99999.npy", "extra"])
def test_an_entry_that_nothing_refers_to_is_refused(tmp_path, original, name):
    entries = {one: data for one, data in unpack(original).items() if one != NAME}
    forged = with_manifest({**entries, name: b"import os"}, {})
    assert "entries that nothing refers to" in refusal(tmp_path / "model.hzb", b"".join(pack(forged)))


def test_a_compressed_archive_is_refused_before_it_grows(tmp_path, original):
    path = tmp_path / "bomb.hzb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in unpack(original):
            archive.writestr(name, bytes(2**22))
    assert path.stat().st_size < 2**20
    assert "damaged" in refusal(path, path.read_bytes())


def test_a_name_twice_is_refused(tmp_path, original):
    entries = unpack(original)
    once, twice = b"".join(pack(entries)), b"".join(pack({"model.json": entries["model.json"]}))
    end = len(twice) - len("model.json") - 46 - 22
    assert "occurs twice" in refusal(tmp_path / "model.hzb", twice[:end] * 2 + once)


def forged_json(original, change):
    """The file with another ``model.json``, and a manifest that agrees with it."""
    entries = {one: data for one, data in unpack(original).items() if one != NAME}
    document = json.loads(entries["model.json"])
    change(document)
    return b"".join(pack(with_manifest({**entries, "model.json": json.dumps(document).encode()}, {})))


def test_a_file_from_before_the_adaptive_ridge(tmp_path, original):
    path = tmp_path / "older.hzb"
    path.write_bytes(forged_json(original, lambda one: one["attributes"].pop("adaptive_ridge_")))
    older = load(path)
    assert older.adaptive_ridge_ is None
    assert "adaptive" not in str(older.summary())


FORGERIES = {
    "a class": (lambda one: one["model"]["engine"].update({"class": "Popen"}), "engine: a class that is not known"),
    "a method": (lambda one: one["attributes"].update({"predict": 1}), "an attribute has no proper name"),
    "a dunder": (lambda one: one["attributes"].update({"__class__": 1}), "an attribute has no proper name"),
    "another model": (lambda one: one["attributes"].update({"model_": 1}), "an attribute has no proper name"),
    "a property": (lambda one: one["attributes"].update({"linear_effect_": "time"}), "a value for linear_effect_"),
    "a parameter": (lambda one: one["parameters"].update({"evil": 1}), "parameters that this version"),
    "a wrong parameter": (lambda one: one["parameters"].update({"max_depth": -1}), "parameters that this version"),
    "no horizon": (lambda one: one["model"].pop("horizon"), "fields are missing"),
    "a negative unit": (lambda one: one["model"].update({"unit": -1.0}), "unit: -1 is out of range"),
    "infinite": (lambda one: one["model"].update({"longest": "inf"}), "longest: inf is out of range"),
    "no number": (lambda one: one["model"].update({"longest": "nan"}), "longest: nan is out of range"),
    "a head": (lambda one: one["model"]["mixture"].update({"counts": [["evil", 1]]}), "none that is known"),
    "no heads": (lambda one: one["model"]["mixture"].update({"counts": [["weibull", 0]]}), "there are no heads"),
    "more heads": (lambda one: one["model"]["mixture"]["counts"][0].__setitem__(1, 5), "do not fit the rest"),
    "fewer features": (lambda one: one["attributes"].update({"n_features_in_": 2}), "do not fit the rest"),
    "no trees": (lambda one: one["model"].update({"trees": []}), "trees: no list, or too short"),
    "no starts": (lambda one: one["model"].update({"starts": []}), "starts: no list, or too short"),
    "the same start twice": (lambda one: one["model"]["starts"].append(one["model"]["starts"][0]), "used twice"),
    "trees twice": (lambda one: one["model"]["trees"].append(one["model"]["trees"][0]), "used twice"),
    "a huge array": (lambda one: one["attributes"]["causes_"].update({"shape": [2**39]}), "another size than it says"),
    "a numbered processor": (
        lambda one: one["model"]["engine"]["settings"].__setitem__(-3, ["device", "cpu:0"]),
        "device of the trees",
    ),
    "objects": (lambda one: one["attributes"]["causes_"].update({"type": "|O"}), "no type or size"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forger_gets_nothing_but_data_of_the_right_kind(tmp_path, original, name):
    change, words = FORGERIES[name]
    path = tmp_path / "model.hzb"
    path.write_bytes(forged_json(original, change))
    with pytest.raises(ModelFileError, match=words):
        load(path)


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    path = tmp_path / "large.hzb"
    with path.open("wb") as file:
        file.truncate(2**30 + 1)
    with pytest.raises(ModelFileError, match=r"large\.hzb is too large"):
        load(path)


def test_a_model_that_is_too_large_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("hazboost.files.store.LARGEST", 1000)
    with pytest.raises(ModelFileError, match="must not be larger than 1000 bytes"):
        fitted("names").save(tmp_path / "model.hzb")
    assert not list(tmp_path.iterdir())
