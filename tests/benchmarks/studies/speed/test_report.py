"""Tables of the results: medians, ratios of the same repeat, and exponents."""

import shutil

import pytest

from benchmarks.harness import storage
from benchmarks.harness.paths import DOCS, RESULTS
from benchmarks.studies.speed import report
from benchmarks.studies.speed.cells import Cell, read, store
from benchmarks.studies.speed.figure import draw

ABOUT = {"error": None, "machine": "m", "commit": "c", "versions": {"xgboost": "3"}, "n": 50, "d": 20}


def measured(folder, part, model, setting, rows, *, fits=(1.0,), **others):
    for repeat, seconds in enumerate(fits):
        line = {"fit_seconds": seconds, "predict_seconds": seconds / 10.0, "peak_gib": 0.5, **ABOUT, **others}
        store(folder, Cell(part, model, setting, rows, 1, repeat), line)


def texts(table):
    return {row.label: [entry.text for entry in row.entries] for row in table.rows}


def test_default_fits(tmp_path):
    for rows, seconds in ((100, (1.0, 2.0, 3.0)), (1_000, (10.0, 20.0, 30.0))):
        measured(tmp_path, "fits", "fpboost", "defaults", rows, fits=seconds)
        measured(tmp_path, "fits", "xgb_aft", "defaults", rows, fits=(2.0, 3.0, 12.0))
    store(tmp_path, Cell("fits", "forest", "defaults", 1_000, 1, 0), {**ABOUT, "skipped": "would take about 9 minutes"})
    lines = read(tmp_path)
    table = report.fits_table(lines, "fit_seconds", "Fits")
    assert table.columns == ("100 rows", "1,000 rows", "exponent")
    assert texts(table) == {
        "FPBoost": ["2", "20", "1.00"],
        "XGBoost AFT": ["3 (2×)", "3 (0.2×)", "0.00"],
        "random survival forest (scikit-survival)": ["—", "—", "—"],
    }
    assert list(texts(report.skipped_table(lines)).values()) == [
        ["fits", "defaults", "1,000", "would take about 9 minutes"]
    ]


def test_a_tree_of_seven_is_compared_with_one_of_one(tmp_path):
    setting = report.PARTS["fixed"].settings[0]
    measured(tmp_path, "fixed", "fpboost", setting, 100, fits=(7.0,), likelihood_seconds=0.7, trees_seconds=6.0)
    measured(tmp_path, "fixed", "xgb_aft", setting, 100, fits=(2.0,))
    assert texts(report.fixed_table(read(tmp_path))) == {
        "FPBoost": [setting, "100", "7", "20", "0.5×", "10 %", "86 %"],
        "XGBoost AFT": [setting, "100", "2", "40", "1×", "—", "—"],
    }


def test_the_paper_has_a_geometric_mean_and_a_minimum(tmp_path):
    for name, authors in (("aids", 2.0), ("gbsg2", 8.0)):
        measured(tmp_path, "paper", "fpboost_paper", name, 0, trees_seconds=0.5)
        measured(tmp_path, "paper", "fpboost_authors", name, 0, fits=(authors,))
    table = texts(report.paper_table(read(tmp_path)))
    assert table["aids"] == ["50", "20", "32 + 4", "1", "2", "2×", "4×", "0.1", "0.2", "2×"]
    assert table["geometric mean"][5:7] == ["4×", "8×"]
    assert table["minimum"][5:7] == ["2×", "4×"]


def test_only_the_threads_of_most_lines_are_shown(tmp_path):
    measured(tmp_path, "heads", "fpboost", "2", 100, fits=(1.0, 1.0))
    store(tmp_path, Cell("heads", "fpboost", "2", 100, 4, 0), {"fit_seconds": 9.0, "peak_gib": 1.0, **ABOUT})
    table = report.heads_table(read(tmp_path))
    assert "one thread" in table.title
    assert texts(table)["2"][:2] == ["100", "1"]


def test_machines_have_no_name(tmp_path):
    storage.append(tmp_path, "machines", {"key": "m", "cpu": "Fast", "cores": 2, "memory_gib": 4.0, "system": "Linux"})
    measured(tmp_path, "heads", "fpboost", "2", 100)
    assert texts(report.machines_table(read(tmp_path), tmp_path)) == {
        "Fast": ["2", "4.0 GiB", "Linux", "xgboost 3", "c", " "]
    }


def test_the_figure_has_the_exponents(tmp_path):
    pytest.importorskip("matplotlib")
    draw({"FPBoost": {100: 1.0, 1_000: 10.0}, "forest": {100: 1.0}}, tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text()
    assert "1.00" in text
    assert ">forest<" in text


def test_the_page_is_that_of_the_committed_results(tmp_path):
    pytest.importorskip("matplotlib")
    shutil.copytree(RESULTS / "speed", tmp_path / "results")
    shutil.copy(DOCS / "speed.md", tmp_path)
    report.write_page(tmp_path / "results", tmp_path / "speed.md")
    assert (tmp_path / "speed.md").read_text(encoding="utf-8") == (DOCS / "speed.md").read_text(encoding="utf-8")
