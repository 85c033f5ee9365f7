"""``hazboost plot``: every display can be drawn, and its numbers are those of the library."""

from __future__ import annotations

import struct
import sys

import numpy as np
import pandas as pd
import pytest

import hazboost
from hazboost import FPBoost, Surv, plots
from hazboost.cli.figures import FIGURES
from tests.cli.command import call, run, simulated

OUTCOME = "--time time --event event"
BEGINNINGS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plot")
    table = simulated(150).assign(sex=lambda table: np.where(table["x"] * 7 % 2 < 1, "female", "male"))
    table.to_csv(folder / "data.csv", index=False)
    X = table[["x", "sex"]].astype({"sex": "category"})
    FPBoost(n_estimators=4, random_state=0).fit(X, Surv.right(table["event"], table["time"])).save(folder / "model.hzb")
    return folder


@pytest.fixture(scope="module")
def data(folder):
    """Model, features and outcomes as the library reads them."""
    table = pd.read_csv(folder / "data.csv")
    X = table[["x", "sex"]].astype({"sex": "category"})
    return hazboost.load(folder / "model.hzb"), X, Surv.right(table["event"], table["time"])


FIGURES_DRAWN = {
    f"survival data.csv {OUTCOME} --groups sex": lambda model, X, y: plots.SurvivalDisplay.from_estimator(
        model, X, y, groups=X["sex"]
    ),
    "survival data.csv --rows 1,4-5 --of hazard --times 0.5,1": lambda model, X, y: (
        plots.SurvivalDisplay.from_estimator(model, X.iloc[[1, 4, 5]], of="hazard", times=[0.5, 1.0])
    ),
    f"survival data.csv --rows 2 {OUTCOME}": lambda model, X, y: plots.SurvivalDisplay.from_estimator(
        model, X.iloc[[2]], y
    ),
    f"survival data.csv --rows 0-99 --groups sex {OUTCOME}": lambda model, X, y: plots.SurvivalDisplay.from_estimator(
        model, X.iloc[:100], y[:100], groups=X["sex"][:100]
    ),
    "heads data.csv --row 3 --cause 1": lambda model, X, y: plots.HeadsDisplay.from_estimator(
        model, X.iloc[[3]], cause=1
    ),
    f"calibration data.csv {OUTCOME} --at 0.5 --bins 4": lambda model, X, y: plots.CalibrationDisplay.from_estimator(
        model, X, y, 0.5, 4
    ),
    f"d-calibration data.csv {OUTCOME} --bins 5": lambda model, X, y: plots.DCalibrationDisplay.from_estimator(
        model, X, y, 5
    ),
    f"scores data.csv {OUTCOME} --train data.csv --times 0.3,0.6": lambda model, X, y: (
        plots.ScoresDisplay.from_estimator(model, X, y, y, times=[0.3, 0.6])
    ),
    f"roc data.csv {OUTCOME} --train data.csv --at 0.6 --cause 1": lambda model, X, y: plots.RocDisplay.from_estimator(
        model, X, y, y, 0.6, 1
    ),
    f"residuals data.csv {OUTCOME}": plots.ResidualsDisplay.from_estimator,
    f"residuals data.csv {OUTCOME} --residual deviance --against x --cause 1": lambda model, X, y: (
        plots.ResidualsDisplay.from_estimator(model, X, y, "deviance", "x", 1)
    ),
    "history": lambda model, X, y: plots.HistoryDisplay.from_estimator(model),
    "importance data.csv --of level --most 1": lambda model, X, y: plots.ImportanceDisplay.from_estimator(
        model, X, "level"
    ),
    "dependence data.csv --features x,sex --of rmst --at 1": lambda model, X, y: plots.DependenceDisplay.from_estimator(
        model, X, ["x", "sex"], "rmst", 1.0
    ),
    "accumulated data.csv --feature x --of rmst --at 1": lambda model, X, y: (
        plots.AccumulatedEffectsDisplay.from_estimator(model, X, "x", "rmst", 1.0)
    ),
    "accumulated data.csv --feature sex --order male,female": lambda model, X, y: (
        plots.AccumulatedEffectsDisplay.from_estimator(model, X, "sex", grid=["male", "female"])
    ),
    "contributions data.csv --times 0.5 --most 1": lambda model, X, y: plots.ContributionsDisplay.from_estimator(
        model, X.iloc[[0]], times=[0.5]
    ),
    "parameters data.csv": lambda model, X, y: plots.ParametersDisplay.from_estimator(model, X),
}


@pytest.mark.parametrize("options", FIGURES_DRAWN)
def test_figures_and_their_numbers_are_those_of_the_library(options, folder, data, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)
    kind, *rest = options.split()
    figure, table = tmp_path / "figure.svg", tmp_path / "numbers.csv"
    assert call("plot", kind, "model.hzb", *rest, "-o", figure, "--table", table, "--size", "3.3x2.5") == 0
    assert figure.read_bytes().startswith(BEGINNINGS["svg"])
    expected = FIGURES_DRAWN[options](*data).frame()
    pd.testing.assert_frame_equal(
        pd.read_csv(table, keep_default_na=True), expected.replace("", np.nan), check_dtype=False
    )


def test_every_display_has_a_figure():
    displays = {getattr(plots, name) for name in plots.__all__ if name.endswith("Display")}
    assert displays == {getattr(figure.draw, "__self__", None) for figure in FIGURES.values()} - {None}
    assert {one.split()[0] for one in FIGURES_DRAWN} == set(FIGURES) - {"selection"}  # which is no display


def test_the_table_of_a_selection_has_the_losses_and_what_was_chosen(folder, data, tmp_path):
    model, table = data[0], tmp_path / "numbers.csv"
    assert call("plot", "selection", folder / "model.hzb", "-o", tmp_path / "f.svg", "--table", table) == 0
    found = pd.read_csv(table)
    assert found.columns.tolist() == ["name", "value", "loss", "chosen"]
    assert found["name"].unique().tolist() == ["ridge"]
    np.testing.assert_allclose(found["value"], model.cv_results_["ridges"])
    np.testing.assert_allclose(found["loss"], model.cv_results_["ridge_loss"])
    assert found["value"][found["chosen"]].tolist() == [pytest.approx(model.ridge_)]


def test_size_and_kind_of_the_file(folder, tmp_path):
    for kind, beginning in BEGINNINGS.items():
        options = ["--size", "4x2.5", "--dpi", "100", "--dark"]
        assert call("plot", "selection", folder / "model.hzb", "-o", tmp_path / f"f.{kind}", *options) == 0
        assert (tmp_path / f"f.{kind}").read_bytes().startswith(beginning)
    assert struct.unpack(">2I", (tmp_path / "f.png").read_bytes()[16:24]) == (400, 250)


def test_light_and_dark_differ_and_the_same_figure_is_the_same_file(folder, tmp_path):
    for name, options in {"light": [], "dark": ["--dark"], "again": []}.items():
        assert call("plot", "history", folder / "model.hzb", "-o", tmp_path / f"{name}.svg", *options) == 0
    light, dark, again = ((tmp_path / f"{name}.svg").read_bytes() for name in ("light", "dark", "again"))
    assert light == again
    assert light != dark


@pytest.mark.parametrize("valid", [True, False])
def test_the_executable(valid, folder, tmp_path):
    at = "1" if valid else "1,2"
    options = ["--features", "x", "--at", at, "-o", tmp_path / "figure.png", "--table", "-"]
    done = run("plot", "dependence", folder / "model.hzb", folder / "data.csv", *options)
    assert done.returncode == (0 if valid else 2)
    assert done.stdout.startswith("x,value\n") == valid
    assert (tmp_path / "figure.png").exists() == valid
    expected = (
        "columns that are not used: time, event" if valid else "hazboost plot dependence: argument --at: must be a"
    )
    assert done.stderr.startswith(expected)


BAD_OPTIONS = {
    "": "required: KIND",
    "pie model.hzb -o f.png": "invalid choice: 'pie'",
    "history model.hzb": "required: -o",
    "history none.hzb -o f.png": "there is no such file",
    "history model.hzb -o f.jpg": "f.jpg: a figure is a file that ends with .png, .svg or .pdf",
    "history model.hzb -o {tmp}/none/f.png": "there must be a folder",
    "history model.hzb -o f.png --size 3": "width and height in inches",
    "history model.hzb -o f.png --size 0x9999": "width and height in inches",
    "history model.hzb -o f.png --table f.txt": "use .csv, .parquet or .feather",
    "heads model.hzb -o f.png": "required: data",
    "heads model.hzb data.csv --row 150 -o f.png": "data.csv: there is no row 150; the rows are 0 to 149",
    "heads model.hzb data.csv --row 1-2 -o f.png": "must be the number of one row",
    "survival model.hzb data.csv --rows 5-2 -o f.png": "must be numbers of rows",
    "survival model.hzb data.csv --groups age -o f.png": "no column 'age'",
    "survival model.hzb data.csv --groups x -o f.png": "at most 12 different labels",
    "survival model.hzb data.csv --time time -o f.png": "the outcome needs --event",
    f"survival model.hzb data.csv {OUTCOME} --of hazard -o f.png": "leave out --time and --event",
    "calibration model.hzb data.csv -o f.png": "the outcome needs --time and --event",
    f"calibration model.hzb data.csv {OUTCOME} --cause 2 -o f.png": "cause",
    "dependence model.hzb data.csv -o f.png": "required: --features",
    "dependence model.hzb data.csv --features age -o f.png": "age",
    "dependence model.hzb data.csv --features x,sex,x -o f.png": "features",
    "importance model.hzb data.csv --of survival -o f.png": "invalid choice",
    "accumulated model.hzb data.csv --feature sex -o f.png": "hazboost plot: --order must list the categories in the",
    "accumulated model.hzb data.csv --feature sex --order male,x -o f.png": "hazboost plot: --order must be categories",
    "accumulated model.hzb data.csv --feature age -o f.png": "hazboost plot: --feature must be given by name",
    f"residuals model.hzb data.csv {OUTCOME} --against x -o f.png": "--against must be left out with --residual cox_",
    "dependence model.hzb data.csv --features x --cause 1 -o f.png": "--cause must not be given with --of survival",
}


@pytest.mark.parametrize("options", BAD_OPTIONS)
def test_bad_options_are_refused_in_one_line(options, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    assert call("plot", *options.format(tmp=tmp_path).split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert BAD_OPTIONS[options] in printed.err
    lines = [line for line in printed.err.splitlines() if not line.startswith("columns that are not used")]
    assert len(lines) == 1
    assert lines[0].startswith("hazboost plot")
    assert sorted(folder.iterdir()) == before


def test_a_table_without_a_feature_is_refused(folder, tmp_path, capsys):
    (tmp_path / "new.csv").write_text("x\n1\n", encoding="utf-8")
    assert call("plot", "parameters", folder / "model.hzb", tmp_path / "new.csv", "-o", tmp_path / "f.png") == 2
    assert "there is no column 'sex'; the columns are 'x'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


def test_without_matplotlib_one_sentence_says_what_to_install(folder, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert call("plot", "history", folder / "model.hzb", "-o", folder / "f.png") == 2
    expected = 'hazboost plot: this needs matplotlib; install it with `pip install "hazboost[plots]"`.\n'
    assert capsys.readouterr().err == expected
