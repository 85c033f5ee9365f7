"""A model that was saved and loaded is the same model, here and in another process."""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import subprocess
import sys
import zipfile
from dataclasses import is_dataclass, replace
from importlib import import_module
from inspect import cleandoc
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

import hazboost
from hazboost import FPBoost, ModelFileError, load
from hazboost.engines import CudaEngine, LocalEngine
from hazboost.files import read_versions
from hazboost.files.records import ATTRIBUTES
from hazboost.utils.devices import has_device
from tests.files.models import CASES, digest, features, fitted

ROOT = Path(__file__).resolve().parents[2]
#: Numbers of models that are averaged, by case.
SEVERAL_MODELS = {"defaults": 3, "several models of two causes": 2, "several models, rising": 2}
ELSEWHERE = """
import sys
from pathlib import Path
import hazboost
from tests.files.models import CASES, digest

for number, name in enumerate(CASES):
    print(digest(hazboost.load(Path(sys.argv[1]) / f"{number}.hzb"), CASES[name]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All models, each in its file."""
    folder = tmp_path_factory.mktemp("models")
    for number, name in enumerate(CASES):
        fitted(name).save(folder / f"{number}.hzb")
    return folder


def assert_same(one, other):
    """Compare plain values, arrays, generators and records of them."""
    if is_dataclass(one):
        assert type(one) is type(other)
        one, other = vars(one), vars(other)
    if isinstance(one, np.ndarray):
        assert_array_equal(one, other)
        assert one.dtype == other.dtype
    elif isinstance(one, np.random.RandomState):
        assert_array_equal(one.get_state()[1], other.get_state()[1])
    elif isinstance(one, dict):
        assert list(one) == list(other)
        for key in one:
            assert_same(one[key], other[key])
    else:
        assert one == other or (np.isnan(one) and np.isnan(other))
        assert isinstance(one, np.generic) or type(one) is type(other)


@pytest.mark.parametrize("name", CASES)
def test_a_loaded_model_is_the_same(name, folder):
    model = fitted(name)
    loaded = load(folder / f"{list(CASES).index(name)}.hzb")
    assert digest(loaded, CASES[name]) == digest(model, CASES[name])
    for attribute in [one for one in vars(model) if one.endswith("_") and one != "model_"]:
        assert_same(getattr(model, attribute), getattr(loaded, attribute))
    for parameter, value in model.get_params().items():
        assert_same(value, loaded.get_params()[parameter])


def test_several_models_are_stored():
    """Of one cause and of two, and with parts of an engine."""
    assert {name: fitted(name).model_.mixture.n_models for name in SEVERAL_MODELS} == SEVERAL_MODELS


def test_a_loaded_model_is_the_same_in_another_process(folder):
    command = [sys.executable, "-c", ELSEWHERE, str(folder)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
    out = subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout
    assert out.split() == [digest(fitted(name), case) for name, case in CASES.items()]


@pytest.mark.parametrize("name", CASES)
def test_the_same_model_is_the_same_bytes(name, folder, tmp_path):
    path = folder / f"{list(CASES).index(name)}.hzb"
    load(path).save(tmp_path / "again.hzb")
    pickle.loads(pickle.dumps(fitted(name))).save(tmp_path / "copied.hzb")
    assert path.read_bytes() == (tmp_path / "again.hzb").read_bytes() == (tmp_path / "copied.hzb").read_bytes()


def test_every_fitted_attribute_is_there(folder):
    loaded = load(folder / "0.hzb")
    # Python 3.13 takes the indentation away when it compiles.
    documented = re.findall(r"^(\w+_(?:, \w+_)*) : ", cleandoc(FPBoost.__doc__), re.MULTILINE)
    names = {name for line in documented for name in line.split(", ")}
    names -= {"feature_names_in_", "linear_effect_"}  # there is no table here, and the start says what it acts on
    assert names <= set(vars(loaded))
    assert set(ATTRIBUTES) <= names


def test_a_new_fitted_attribute_needs_no_change(folder, tmp_path):
    model = load(folder / "0.hzb")
    model.heads_ = {"weibull": [1, (2.5, None)], 3: np.arange(4.0).reshape(2, 2)}
    model.save(tmp_path / "model.hzb")
    again = load(tmp_path / "model.hzb").heads_
    assert again["weibull"] == [1, (2.5, None)]
    assert_array_equal(again[3], model.heads_[3])


def test_a_loaded_model_can_be_fitted_again(folder):
    loaded, model = load(folder / "0.hzb"), fitted("defaults")
    X = features("array")
    y = np.ones(len(X)), np.arange(1.0, len(X) + 1.0)
    assert_array_equal(loaded.fit(X, y).predict(X), FPBoost(**model.get_params()).fit(X, y).predict(X))


def test_a_model_trained_on_a_gpu_predicts_on_the_processor(tmp_path):
    """Its engine is that of a GPU; without one, it predicts as one in memory does."""
    model = pickle.loads(pickle.dumps(fitted("defaults")))
    engine = model.model_.engine
    settings = {**engine.settings, "device": "cuda"}
    model.model_ = replace(model.model_, engine=CudaEngine(settings, engine.n_scores, engine.features))
    model.set_params(device="cuda").save(tmp_path / "model.hzb")
    loaded = load(tmp_path / "model.hzb")
    assert type(loaded.model_.engine) is CudaEngine
    assert loaded.device == "cuda"
    if not has_device():
        assert digest(loaded, CASES["defaults"]) == digest(fitted("defaults"), CASES["defaults"])


def test_a_model_of_dask_is_loaded_without_dask(tmp_path):
    pytest.importorskip("distributed")
    dask = import_module("hazboost.dask")
    model, local = dask.FPBoost(**fitted("defaults").get_params()), fitted("defaults")
    model._take(local)
    model.save(tmp_path / "dask.hzb")
    local.save(tmp_path / "local.hzb")
    assert (tmp_path / "dask.hzb").read_bytes() == (tmp_path / "local.hzb").read_bytes()
    assert type(load(tmp_path / "dask.hzb")) is FPBoost


# The file


def test_other_programs_read_the_file(folder):
    with zipfile.ZipFile(folder / "0.hzb") as archive:
        assert archive.testzip() is None
        manifest = json.loads(archive.read("manifest.json"))
        assert [*manifest["entries"]] == archive.namelist()[1:]
        assert manifest["written_by"]["hazboost"] == hazboost.__version__
        assert manifest["summary"]["Data: features"] == "3; 0 % of the values missing"
        arrays = [np.load(io.BytesIO(archive.read(name))) for name in archive.namelist() if name.endswith(".npy")]
    assert any(np.array_equal(one, fitted("defaults").unique_times_) for one in arrays)


def test_versions_are_read_without_the_model(folder, tmp_path):
    assert read_versions(folder / "0.hzb")["hazboost"] == hazboost.__version__
    (tmp_path / "table.csv").write_text("a,b", encoding="utf-8")
    with pytest.raises(ModelFileError, match=r"table\.csv is not a hazboost model file"):
        read_versions(tmp_path / "table.csv")


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_leads_to_the_saved_model(folder, tmp_path):
    (tmp_path / "link.hzb").symlink_to(tmp_path / "model.hzb")
    load(folder / "0.hzb").save(tmp_path / "link.hzb")
    assert (tmp_path / "link.hzb").is_symlink()
    assert (tmp_path / "model.hzb").read_bytes() == (folder / "0.hzb").read_bytes()


def test_nothing_is_left_where_writing_fails(tmp_path, monkeypatch):
    fitted("names").save(tmp_path / "model.hzb")
    before = (tmp_path / "model.hzb").read_bytes()
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        fitted("defaults").save(tmp_path / "model.hzb")
    assert [one.name for one in tmp_path.iterdir()] == ["model.hzb"]
    assert (tmp_path / "model.hzb").read_bytes() == before


def test_a_file_can_be_read_by_whom_a_new_file_can(tmp_path):
    fitted("names").save(str(tmp_path / "model.hzb"))
    (tmp_path / "other").touch()
    assert (tmp_path / "model.hzb").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_model_must_be_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        FPBoost().save(tmp_path / "model.hzb")


class Strange:
    """Something that is no data."""


def test_what_has_no_place_in_a_file_is_refused(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("names")))
    model.strange_ = Strange()
    with pytest.raises(ModelFileError, match=r"no place for what was found \(strange_: a value of type Strange\)"):
        model.save(tmp_path / "model.hzb")
    assert not list(tmp_path.iterdir())


def test_what_could_not_be_read_again_is_not_written(tmp_path):
    """The old file stays where it is."""
    fitted("names").save(tmp_path / "model.hzb")
    before = (tmp_path / "model.hzb").read_bytes()
    model = pickle.loads(pickle.dumps(fitted("names")))
    model.causes_ = np.array([1, 2])  # the model knows one
    with pytest.raises(ModelFileError, match="causes_ do not fit the rest"):
        model.save(tmp_path / "model.hzb")
    assert (tmp_path / "model.hzb").read_bytes() == before


class StrangeEngine(LocalEngine):
    """An engine that this library does not know."""


def test_an_engine_of_somebody_else_is_refused(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("names")))
    engine = model.model_.engine
    model.model_ = replace(model.model_, engine=StrangeEngine(engine.settings, engine.n_scores, engine.features))
    with pytest.raises(ModelFileError, match="an object of class StrangeEngine"):
        model.save(tmp_path / "model.hzb")


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model.hzb")
