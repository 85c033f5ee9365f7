import warnings

import numpy as np
import pytest

from hazboost.datasets import dataset_names, load_dataset
from hazboost.metrics import concordance_index

survset_data = pytest.importorskip("SurvSet.data")


def test_fac_sfdm2_leaks_death_within_two_months(load):
    dataset = load("support2")
    told = (dataset.X["fac_sfdm2"] == "<2 mo. follow-up").to_numpy()
    assert told.sum() == 3123
    assert dataset.y["event"][told].all()
    assert dataset.y["time"][told].max() == 59
    early = dataset.y["time"] <= 59
    assert (early.sum(), (early & ~told).sum()) == (3131, 8)
    assert round(concordance_index(dataset.y, told.astype(float)), 3) == 0.76


def test_fac_dnr_leaks_death_soon_after_the_order(load):
    dataset = load("support2")
    later = (dataset.X["fac_dnr"] == "dnr after sadm").to_numpy()
    died, time = dataset.y["event"][later], dataset.y["time"][later]
    assert later.sum() == 2956
    assert round(100 * died.mean()) == 93
    assert np.mean(died & (time <= 20)) >= 0.5 > np.mean(died & (time <= 19))
    assert round(concordance_index(dataset.y, later.astype(float)), 3) == 0.67


@pytest.mark.parametrize("name", ["support2", "survset/support2"])
def test_leaks_of_support2(name, load):
    columns = [leak.columns for leak in load(name).leaks]
    assert columns == [("fac_sfdm2",), ("fac_dnr",)]
    assert not {"fac_sfdm2", "fac_dnr"} & set(load(name, leak_free=True).X)


def test_rows_with_something_missing(load):
    assert load("support2").X.isna().any(axis=1).sum() == 8575


def test_columns_of_support2(load):
    dtypes = load("support2").X.dtypes.astype(str)
    assert (dtypes == "float64").sum() == dtypes.index.str.startswith("num_").sum() == 24
    assert (dtypes == "category").sum() == dtypes.index.str.startswith("fac_").sum() == 11


def test_support2_is_survsets(load):
    ours, theirs = load("support2"), load("survset/support2")
    np.testing.assert_array_equal(ours.y, theirs.y)
    assert ours.X.equals(theirs.X)
    assert (theirs.name, theirs.title, theirs.time_unit) == ("survset/support2", "support2", "not given")
    assert "hbiostat" in theirs.description


def test_time_fixed_sets_only():
    catalogue = survset_data.SurvLoader().df_ds
    assert len(dataset_names()) == 8 + (~catalogue["is_td"]).sum() == 77
    assert "survset/heart" not in dataset_names()


def test_two_eyes_of_one_patient(load):
    dataset = load("survset/diabetes")
    assert len(dataset.X) == 394
    assert (np.bincount(dataset.groups) == 2).all()
    assert load("survset/ovarian").groups is None


def test_the_first_kind_of_event_counts(load):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        kinds = survset_data.SurvLoader().load_dataset("follic")["df"]["event"]
    assert set(kinds) == {0, 1, 2}
    assert load("survset/follic").y["event"].sum() == (kinds == 1).sum()


def test_leak_of_flchain(load):
    dataset = load("survset/flchain")
    np.testing.assert_array_equal(dataset.X["fac_chapter"] != "missing", dataset.y["event"])
    assert "fac_chapter" not in load("survset/flchain", leak_free=True).X


@pytest.mark.parametrize("name", ["heart", "nowhere"])
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match=rf"no data set '{name}' with fixed covariates.*Surv\.counting"):
        load_dataset(f"survset/{name}")
