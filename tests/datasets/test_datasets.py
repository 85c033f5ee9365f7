"""The registry: the counts of the paper's table, and the properties of every data set."""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hazboost import FPBoost
from hazboost.datasets import PAPER, Leak, dataset_names, load_dataset
from hazboost.datasets.packages import require

PAGE = Path(__file__).parents[2] / "docs" / "datasets.md"
#: Rows, share of censoring in %, features (all three as in the paper's table), columns after one-hot encoding.
COUNTS = {
    "aids": ("AIDS", 1151, 91.66, 11, 27),
    "breast_cancer": ("Breast", 198, 74.24, 80, 84),
    "flchain": ("FLCHAIN", 7874, 72.45, 9, 43),
    "gbsg2": ("GBSG2", 686, 56.41, 8, 12),
    "metabric": ("METABRIC", 1904, 42.07, 9, 9),
    "support2": ("SUPPORT2", 9105, 31.89, 35, 76),
    "veterans": ("Veterans", 137, 6.57, 6, 11),
    "whas": ("WHAS", 1638, 57.88, 6, 6),
}
#: Columns with missing values, and how many.
MISSING = {
    "flchain": {"chapter": 5705, "creatinine": 1350},
    "support2": {
        "num_edu": 1634,
        "num_scoma": 1,
        "num_sps": 1,
        "num_surv2m": 1,
        "num_surv6m": 1,
        "num_meanbp": 1,
        "num_wblc": 212,
        "num_hrt": 1,
        "num_resp": 1,
        "num_temp": 1,
        "num_pafi": 2325,
        "num_alb": 3372,
        "num_bili": 2601,
        "num_crea": 67,
        "num_sod": 1,
        "num_ph": 2284,
        "num_glucose": 4500,
        "num_bun": 4352,
        "num_urine": 4862,
        "num_adlp": 5641,
        "num_adls": 2867,
    },
}
#: Rows at time zero: events, censored.
AT_ZERO = {"flchain": (3, 0), "metabric": (0, 1)}
LEAKY = {"flchain": ("chapter",), "support2": ("fac_sfdm2", "fac_dnr"), "whas": ("x0",)}


def one_hot_columns(X):
    return pd.get_dummies(X).shape[1]


def test_the_paper_has_eight():
    assert tuple(COUNTS) == PAPER
    assert dataset_names()[:8] == PAPER


@pytest.mark.parametrize("name", PAPER)
def test_counts_of_the_papers_table(name, load):
    dataset = load(name)
    title, rows, censored, features, columns = COUNTS[name]
    assert (dataset.name, dataset.title) == (name, title)
    assert dataset.X.shape == (rows, features)
    assert len(dataset.y) == rows
    assert round(100 * np.mean(~dataset.y["event"]), 2) == censored
    assert one_hot_columns(dataset.X) == columns


@pytest.mark.parametrize("name", PAPER)
def test_types(name, load):
    dataset = load(name)
    kinds = {"category" if isinstance(dtype, pd.CategoricalDtype) else dtype.name for dtype in dataset.X.dtypes}
    assert kinds <= {"float64", "bool", "category"}
    assert dataset.y.dtype == np.dtype([("event", bool), ("time", float)])
    assert np.isfinite(dataset.y["time"]).all()
    assert dataset.X.index.equals(pd.RangeIndex(len(dataset.y)))


@pytest.mark.parametrize("name", PAPER)
def test_time_zero(name, load):
    y = load(name).y
    at_zero = y["event"][y["time"] == 0]
    assert (at_zero.sum(), (~at_zero).sum()) == AT_ZERO.get(name, (0, 0))
    assert (y["time"] >= 0).all()


@pytest.mark.parametrize("name", PAPER)
def test_missing_values(name, load):
    missing = load(name).X.isna().sum()
    assert missing[missing > 0].to_dict() == MISSING.get(name, {})


@pytest.mark.parametrize("name", PAPER)
def test_descriptions_and_citations(name, load):
    dataset = load(name)
    assert dataset.time_unit == ("months" if name == "metabric" else "days")
    assert len(dataset.description) > 50
    assert any(year in dataset.citation for year in map(str, range(1990, 2020)))
    assert str(len(dataset.y)) in dataset.description


@pytest.mark.parametrize("name", PAPER)
def test_leak_free_is_without_the_leaking_columns_and_the_same_otherwise(name, load):
    dataset, clean = load(name), load(name, leak_free=True)
    assert tuple(column for leak in dataset.leaks for column in leak.columns) == LEAKY.get(name, ())
    assert clean.leaks == ()
    pd.testing.assert_frame_equal(clean.X, dataset.X.drop(columns=list(LEAKY.get(name, ()))))
    np.testing.assert_array_equal(clean.y, dataset.y)
    if name != "whas":
        assert clean.groups is dataset.groups is None
        assert (clean.test is None) == (name != "metabric")


@pytest.mark.parametrize("name", ["veterans", "whas"])
def test_the_model_takes_a_data_set_as_it_is(name, load):
    dataset = load(name)
    model = FPBoost(n_estimators=2, random_state=0).fit(dataset.X, dataset.y)
    assert 0.6 < model.score(dataset.X, dataset.y) < 1.0


def test_a_data_set_prints_without_its_rows(load):
    text = repr(load("flchain"))
    assert "2169 subjects who died" in text
    assert "\n" not in text
    assert isinstance(load("flchain").leaks[0], Leak)


@pytest.mark.parametrize("name", ["GBSG2", "support", ""])
def test_unknown_name(name):
    with pytest.raises(ValueError, match=f"aids, breast_cancer, .*survset/.*got {name!r}"):
        load_dataset(name)


def test_missing_package_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "sksurv", None)
    monkeypatch.setitem(sys.modules, "sksurv.datasets", None)
    with pytest.raises(
        ImportError, match=r'needs scikit-survival; install it with `pip install "hazboost\[datasets\]"`'
    ):
        load_dataset("gbsg2")
    with pytest.raises(ImportError, match="needs nowhere"):
        require("nowhere.at.all")


def test_names_without_survset(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert dataset_names() == PAPER


def test_importing_the_module_imports_no_package_of_the_extra(packages_imported):
    assert not {"h5py", "pooch", "sksurv", "SurvSet"} & packages_imported  # XGBoost imports pandas itself


@pytest.mark.usefixtures("capsys")
def test_code_of_the_page_runs():
    pytest.importorskip("sksurv")
    pytest.importorskip("SurvSet")
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL):
        exec(compile(block, PAGE.name, "exec"), {})


@pytest.mark.parametrize("name", PAPER)
def test_counts_of_the_page(name):
    _, rows, censored, features, columns = COUNTS[name]
    row = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{name}`"))
    assert f"| {rows} | {censored:.2f} % | {features} | {columns} |" in row


def test_links_of_the_page():
    links = re.findall(r"\]\(([^)#:\s]+)\)", PAGE.read_text(encoding="utf-8"))
    assert links
    assert all((PAGE.parent / link).exists() for link in links)
