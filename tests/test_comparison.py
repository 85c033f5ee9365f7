"""What docs/comparison.md names exists: in this library, and in those that are installed with the tests."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "comparison.md").read_text(encoding="utf-8")
COLUMNS = ["what", "hazboost", "survex", "comprisk", "lifelines", "scikit-survival"]
#: Where the functions and classes of a library are looked for.
MODULES = {
    "hazboost": ["hazboost", "hazboost.plots", "hazboost.explain", "hazboost.metrics", "hazboost.plots.display"],
    "lifelines": [
        "lifelines",
        "lifelines.plotting",
        "lifelines.utils",
        "lifelines.statistics",
        "lifelines.calibration",
    ],
    "scikit-survival": ["sksurv.metrics", "sksurv.nonparametric", "sksurv.ensemble", "sksurv.compare"],
}
#: Names of packages and methods of every display, which are no functions.
OTHER = {"hazboost.metrics", "hazboost", "frame"}


def rows():
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| what")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_every_row_has_a_cell_for_each_library():
    assert len(rows()) > 40
    for row in rows():
        assert len(row) == len(COLUMNS), row
        assert all(row), row


@pytest.mark.parametrize("library", MODULES)
def test_what_is_named_exists(library):
    cells = [row[COLUMNS.index(library)] for row in rows()]
    names = {name for cell in cells for name in re.findall(r"`([\w.]+)`", cell)} - OTHER
    modules = [import_module(name) for name in MODULES[library]]
    missing = set()
    for name in names:
        first, *rest = name.split(".")
        found = next((getattr(module, first) for module in modules if hasattr(module, first)), None)
        if found is None or not all(hasattr(found, attribute) for attribute in rest):
            missing.add(name)
    assert len(names) > 8
    assert not missing
