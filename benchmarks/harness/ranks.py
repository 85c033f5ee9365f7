"""Mean ranks of models over data sets, whether they differ by more than chance, and their diagrams."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare, rankdata

from hazboost.plots import critical_difference, plot_ranks

Scores = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Ranking:
    """Mean ranks of models, 1 is best.

    Attributes
    ----------
    ranks : dict
        Model -> mean rank over the data sets; models that tie share the mean of their ranks.
    difference : float
        Nemenyi's critical difference at 5 %.
    friedman : float
        P-value of Friedman's test that all models are equal; NaN with fewer than three models or two data sets.
    """

    ranks: dict[str, float]
    difference: float
    friedman: float


def rank_models(scores: Scores, *, higher_is_better: bool) -> Ranking:
    """Rank models within each data set, and average.

    Parameters
    ----------
    scores : mapping
        Model -> its score on each data set, the same data sets in the same order for all.
    higher_is_better : bool
        Whether the largest score has rank 1.
    """
    table = np.array(list(scores.values()), dtype=np.float64)
    models, datasets = table.shape
    ranks = rankdata(-table if higher_is_better else table, axis=0).mean(axis=1)
    return Ranking(
        dict(zip(scores, map(float, ranks), strict=True)),
        critical_difference(models, datasets) if models > 1 else 0.0,
        float(friedmanchisquare(*table).pvalue) if models > 2 and datasets > 1 else float("nan"),
    )


def draw_rankings(
    rankings: Mapping[str, Ranking | None],
    *,
    width: float,
    highlight: Collection[str],
    accent: str,
    ink: str = "#222222",
) -> Any:
    """Draw critical-difference diagrams, one panel for each metric.

    Parameters
    ----------
    rankings : mapping
        Title of each panel -> ranking, or None for a panel without diagram.
    width : float
        Width of the figure in inches.
    highlight : collection of str
        Models to draw in the accent colour.
    accent, ink : str
        Colours.

    Returns
    -------
    Figure
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - imported when a figure is drawn

    most = max(len(ranking.ranks) if ranking else 0 for ranking in rankings.values())
    figure = Figure(figsize=(width, len(rankings) * (0.9 + 0.17 * most)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(len(rankings)))
    for axes, (title, ranking) in zip(panels, rankings.items(), strict=True):
        if ranking is None:
            axes.axis("off")
            axes.set_title(title, loc="center")
        else:
            plot_ranks(
                ranking.ranks, ranking.difference, axes, highlight=highlight, title=title, ink=ink, accent=accent
            )
    return figure
