"""The part of the report on calibration: how far predicted probabilities are from what was observed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.accuracy.cells import Cell
from benchmarks.studies.accuracy.models import REFERENCE

#: Level of the D-calibration test.
LEVEL = 0.05
HEAD = ["model", "data sets", "cells", "passes D-calibration", "deviation of its bins", "off at the median event time"]


def calibration_section(results: Mapping[Cell, Line], names: Sequence[str]) -> str:
    """Calibration of some models, and of the Kaplan-Meier curve, which has no features to be wrong about."""
    found = mean_calibration(results)
    shown = list(dict.fromkeys([*names, REFERENCE]))
    text = (
        "Means over repeats, then over data sets: the share of splits in which the D-calibration test is passed at "
        f"{100 * LEVEL:g} %, the root mean square of the relative deviations of its ten bins from their expected size, "
        "and the absolute difference between mean predicted survival and the Kaplan-Meier estimate of the test part at "
        "the median event time.\n"
    )
    rows = [[name, *_row(found, name)] for name in shown]
    return "\n".join(["## Calibration\n", text, *grid(HEAD, rows)]) + "\n"


def mean_calibration(results: Mapping[Cell, Line]) -> pd.DataFrame:
    """Means over repeats, then over data sets, of the cells that have been measured with calibration; one row a model.

    Returns
    -------
    DataFrame
        ``datasets`` and ``cells``, their numbers; ``passed``, ``deviation`` and ``off``, the three measures.
    """
    rows = [
        (cell.model, cell.dataset, line["d_calibration_p"] > LEVEL, line["d_deviation"], abs(line["median_excess"]))
        for cell, line in results.items()
        if line["error"] is None and line.get("d_calibration_p") is not None
    ]
    table = pd.DataFrame(rows, columns=["model", "dataset", "passed", "deviation", "off"])
    by_dataset = table.astype({"passed": float}).groupby(["model", "dataset"])
    means = by_dataset.mean().groupby(level="model").mean()
    sizes = by_dataset.size().groupby(level="model")
    return means.assign(datasets=sizes.size(), cells=sizes.sum())


def _row(found: pd.DataFrame, name: str) -> list[str]:
    if name not in found.index:
        return ["0", "0", "not measured", "", ""]
    row = found.loc[name]
    return [
        f"{row['datasets']:.0f}",
        f"{row['cells']:.0f}",
        f"{100 * row['passed']:.0f} %",
        f"{100 * row['deviation']:.1f} %",
        f"{row['off']:.4f}",
    ]
