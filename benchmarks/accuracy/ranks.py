"""From results to mean ranks, and whether they differ by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
from scipy.stats import friedmanchisquare

from benchmarks.accuracy.cell import Cell
from benchmarks.accuracy.metrics import HIGHER_IS_BETTER

SMALL_ROWS = 500
#: Points of C-index (x100).
TOLERATED_LOSS = 0.5


def mean_scores(
    results: dict[Cell, dict[str, Any]], models: Sequence[str], metric: str, repeats: Sequence[int]
) -> pd.DataFrame:
    """Scores averaged over the repeats, data sets by models.

    Only repeats in which every model has a score count; data sets without any such repeat are left out.
    """
    rows = [
        (cell.dataset, cell.repeat, cell.model, line[metric])
        for cell, line in results.items()
        if line["error"] is None and line[metric] is not None and cell.model in models and cell.repeat in repeats
    ]
    table = pd.DataFrame(rows, columns=["dataset", "repeat", "model", "score"])
    wide = table.pivot_table(index=["dataset", "repeat"], columns="model", values="score").reindex(columns=list(models))
    return wide.dropna().groupby(level="dataset").mean()


def rank_within(scores: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Ranks of the models in each data set: 1 is best, ties share their mean."""
    return scores.rank(axis=1, ascending=not HIGHER_IS_BETTER[metric])


def friedman_p(scores: pd.DataFrame) -> float:
    """Probability of ranks so different if all models were equal; NaN with fewer than three models or two sets."""
    if scores.shape[0] < 2 or scores.shape[1] < 3:
        return float("nan")
    return float(friedmanchisquare(*scores.to_numpy().T).pvalue)


def small_set_losses(results: dict[Cell, dict[str, Any]], own: str, rival: str, repeats: Sequence[int]) -> pd.DataFrame:
    """Points of C-index by which `own` leads `rival` (negative: is behind), on the sets with fewer than 500 rows."""
    rows = {cell.dataset: line["n"] for cell, line in results.items() if line["error"] is None}
    scores = mean_scores(results, [own, rival], "c_index", repeats)
    small = scores[[rows[name] < SMALL_ROWS for name in scores.index]]
    lead = 100 * (small[own] - small[rival])
    return small.assign(n=[rows[name] for name in small.index], lead=lead).sort_values("lead")
