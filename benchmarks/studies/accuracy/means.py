"""Scores averaged over the repeats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from benchmarks.harness.storage import Line
from benchmarks.studies.accuracy.cells import Cell

Results = Mapping[Cell, Line]


def mean_scores(results: Results, names: Sequence[str], score: str) -> pd.DataFrame:
    """Scores averaged over the repeats, data sets by models; data sets without any common repeat are left out."""
    return common_scores(results, names, score).groupby(level="dataset").mean()


def common_scores(results: Results, names: Sequence[str], score: str) -> pd.DataFrame:
    """Scores, data sets and repeats by models. Only repeats in which every model has a score count."""
    rows = [
        (cell.dataset, cell.repeat, cell.model, line[score])
        for cell, line in results.items()
        if line["error"] is None and line[score] is not None and cell.model in names
    ]
    table = pd.DataFrame(rows, columns=["dataset", "repeat", "model", "score"])
    wide = table.pivot_table(index=["dataset", "repeat"], columns="model", values="score").reindex(columns=list(names))
    return wide.dropna()
