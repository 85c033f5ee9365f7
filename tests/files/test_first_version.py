"""Files of the first version of the format give the same predictions as when they were written.

`first_version` has models of that time, and what they predicted for `ROWS` at `TIMES`: survival.
"""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import numpy as np
import pytest

from hazboost import ModelFileError, load
from hazboost.files.archive import pack, unpack
from hazboost.files.manifest import NAME, with_manifest

FOLDER = Path(__file__).parent / "first_version"
EXPECTED = json.loads((FOLDER / "expected.json").read_text(encoding="ascii"))
ROWS = np.array([[-1.5, 0.0], [-0.4, np.nan], [0.0, 0.3], [0.2, -0.7], [np.nan, 1.0], [0.6, 2.0], [9.0, -9.0]])
TIMES = [0.1, 0.5, 1.5]
#: Ensembles whose scores were averaged, by name of the model; some kept more rounds than others.
ENSEMBLES = {"folds": 5, "single head": 4, "single heads of two causes": 1, "one parameter": 1}


def bytes_of(name):
    """The file, which is stored compressed."""
    return lzma.decompress((FOLDER / f"{name.replace(' ', '_')}.hzb.xz").read_bytes())


def load_old(name, folder):
    (folder / "old.hzb").write_bytes(bytes_of(name))
    return load(folder / "old.hzb")


def model_json(name):
    return json.loads(unpack(bytes_of(name))["model.json"])["model"]


@pytest.mark.parametrize("name", EXPECTED)
def test_predictions_are_the_same(name, tmp_path):
    model = load_old(name, tmp_path)
    assert len(model_json(name)["trees"]) == ENSEMBLES[name]
    assert (model.model_.mixture.n_models, len(model.model_.boosters)) == (1, 1)
    np.testing.assert_allclose(model.predict_survival_function(ROWS, times=TIMES), EXPECTED[name], rtol=0.0, atol=1e-6)
    assert model.n_estimators_ == model.model_.n_rounds
    assert len(list(model.model_.course(model.model_.schema.encode(ROWS)))) == model.n_estimators_ + 1
    assert "subjects" in str(model.summary())


@pytest.mark.parametrize("name", EXPECTED)
def test_they_can_be_saved_in_the_format_of_today(name, tmp_path):
    model = load_old(name, tmp_path)
    model.save(tmp_path / "model.hzb")
    again = load(tmp_path / "model.hzb")
    np.testing.assert_array_equal(again.predict(ROWS), model.predict(ROWS))


def test_a_single_head_had_a_share_of_its_level_that_is_gone(tmp_path):
    model = load_old("single heads of two causes", tmp_path)
    assert model_json("single heads of two causes")["trust"]["shape"] == [8]
    assert model.model_.shrinkage.shape == (model.model_.mixture.n_scores,) == (6,)
    assert [part.scores.tolist() for part in model.model_.engine.parts] == [[4, 5], [0, 1, 2, 3]]


FORGERIES = {
    "a start of today": (lambda one: one.update(starts=[one.pop("start")]), "fields are missing"),
    "shares that are too many": (lambda one: one["trees"].pop(), "shares do not fit the rest"),
    "shares for trust": (lambda one: one.update(shares=one["trust"], trust=one["shares"]), "trust do not fit the rest"),
    "another start": (lambda one: one["start"].update(log_intercept=one["trust"]), "used twice"),
    "another number of heads": (lambda one: one["mixture"]["counts"][0].__setitem__(1, 3), "do not fit the rest"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_they_are_checked(name, tmp_path):
    change, words = FORGERIES[name]
    entries = {one: data for one, data in unpack(bytes_of("folds")).items() if one != NAME}
    document = json.loads(entries["model.json"])
    change(document["model"])
    entries["model.json"] = json.dumps(document).encode()
    manifest = with_manifest(entries, {})
    manifest[NAME] = re.sub(rb'"version":\d+', b'"version":1', manifest[NAME], count=1)
    (tmp_path / "forged.hzb").write_bytes(b"".join(pack(manifest)))
    with pytest.raises(ModelFileError, match=words):
        load(tmp_path / "forged.hzb")
