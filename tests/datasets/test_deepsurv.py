from dataclasses import replace
from hashlib import sha256

import numpy as np
import pandas as pd
import pytest

from hazboost.datasets import deepsurv, load_dataset
from hazboost.datasets.files import FOLDER
from hazboost.metrics import concordance_index


@pytest.fixture
def metabric_data(load):
    return load("metabric")


@pytest.fixture
def whas_data(load):
    return load("whas")


@pytest.fixture
def clean(load):
    return load("whas", leak_free=True)


def write_hdf5(path, dataset):
    """A file of DeepSurv's layout, in single precision as theirs."""
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        for part, rows in (("train", ~dataset.test), ("test", dataset.test)):
            file[f"{part}/x"] = dataset.X.to_numpy(np.float32)[rows]
            file[f"{part}/t"] = dataset.y["time"].astype(np.float32)[rows]
            file[f"{part}/e"] = dataset.y["event"].astype(np.int32)[rows]


@pytest.mark.parametrize(("name", "train", "test"), [("metabric", 1523, 381), ("whas", 1310, 328)])
def test_split_of_the_source(load, name, train, test):
    dataset = load(name)
    assert ((~dataset.test).sum(), dataset.test.sum()) == (train, test)
    assert not dataset.test[:train].any()
    assert dataset.groups is None


@pytest.mark.parametrize(("name", "flags"), [("metabric", "x4 x5 x6 x7"), ("whas", "x0 x2 x4 x5")])
def test_flags_are_bool(load, name, flags):
    assert load(name).X.select_dtypes(bool).columns.tolist() == flags.split()


def test_metabric_has_no_copies(metabric_data):
    assert not metabric_data.X.assign(**as_columns(metabric_data.y)).duplicated().any()
    at_zero = metabric_data.y["time"] == 0
    assert metabric_data.test[at_zero].tolist() == [True]


@pytest.mark.parametrize("name", ["metabric", "whas"])
def test_hdf5_and_csv_are_the_same_data(load, name, tmp_path, monkeypatch):
    from_csv = load(name)
    file = getattr(deepsurv, name.upper())
    path = tmp_path / file.name
    write_hdf5(path, from_csv)
    checksum = sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(deepsurv, name.upper(), replace(file, sha256=checksum))
    monkeypatch.setenv(FOLDER, str(tmp_path))
    from_hdf5 = load_dataset(name)
    pd.testing.assert_frame_equal(from_hdf5.X, from_csv.X, check_exact=True)
    np.testing.assert_array_equal(from_hdf5.y, from_csv.y)
    np.testing.assert_array_equal(from_hdf5.test, from_csv.test)


def as_columns(y):
    return {"time": y["time"], "event": y["event"]}


def test_a_case_has_died(whas_data):
    case = whas_data.X["x0"].to_numpy()
    assert case.sum() == 273
    assert whas_data.y["event"][case].all()
    assert round(concordance_index(whas_data.y, case.astype(float)), 3) == 0.685


def test_each_of_the_dead_is_a_case_once(whas_data, clean):
    cases = np.bincount(clean.groups, weights=whas_data.X["x0"])
    died = np.bincount(clean.groups, weights=clean.y["event"]) > 0
    assert died.sum() == 273
    np.testing.assert_array_equal(cases, died)


def test_copies_across_the_split(whas_data, clean):
    rows = whas_data.X.assign(**as_columns(whas_data.y)).apply(tuple, axis=1)
    seen = set(rows[~whas_data.test])
    assert rows[whas_data.test].isin(seen).sum() == 229
    trained = set(clean.groups[~whas_data.test])
    assert np.isin(clean.groups[whas_data.test], list(trained)).sum() == 286


def test_rows_of_patients(clean):
    assert clean.test is None
    rows = np.bincount(clean.groups)
    assert (len(rows), rows.min(), rows.max()) == (556, 1, 12)
    frame = clean.X.assign(**as_columns(clean.y)).groupby(clean.groups)
    varying = frame.nunique().gt(1).sum()
    assert varying.to_dict() == {"x1": 0, "x2": 0, "x3": 0, "x4": 1, "x5": 0, "time": 0, "event": 0}


def test_patients_are_those_of_the_csv(clean):
    path = deepsurv.obtain(deepsurv.WHAS)
    if path.suffix != ".csv":
        pytest.skip("the CSV is not there")
    np.testing.assert_array_equal(clean.groups, pd.read_csv(path)["subject"])
