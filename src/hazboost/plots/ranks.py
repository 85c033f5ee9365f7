"""Critical-difference diagrams (Demšar, 2006): mean ranks of models, and which do not differ significantly."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from scipy.stats import studentized_range

from hazboost.plots.axes import CHOSEN, make_axes
from hazboost.utils.arrays import Array

INK = "#222222"
#: Vertical distances between bars and between labels. The vertical axis points downwards, with ranks at 0.
_BAR, _LABEL = 0.45, 0.8


def plot_ranks(
    ranks: Mapping[str, float],
    difference: float,
    ax: Any = None,
    *,
    highlight: Collection[str] = (),
    title: str = "",
    ink: str = INK,
    accent: str = CHOSEN,
) -> Any:
    """Draw mean ranks on an axis, and bars that join models whose ranks do not differ significantly.

    The better half of the models is listed on the left, the others on the right.

    Parameters
    ----------
    ranks : mapping
        Mean rank of each model by name; 1 is best.
    difference : float
        Critical difference of mean ranks, see `critical_difference`.
    ax : Axes, optional
        Where to draw; a new figure by default.
    highlight : collection of str
        Names to draw in the accent colour.
    title : str
        Title above the axis.
    ink, accent : str
        Colours of normal and of highlighted models.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from hazboost.plots import critical_difference, plot_ranks
    >>> ranks = {"boosting": 1.4, "forest": 1.8, "Cox": 2.8}
    >>> ax = plot_ranks(ranks, critical_difference(models=3, datasets=20), highlight={"boosting"})
    >>> ax.texts[0].get_text().split()
    ['boosting', '1.40']
    """
    (ax,) = make_axes(1, ax)
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    count, half = len(ordered), (len(ordered) + 1) // 2
    bars = cliques(np.array([rank for _, rank in ordered]), difference)
    # Labels begin below the lowest bar, so that bars and lines to the labels do not cross at the same height.
    top = _BAR * len(bars) + 0.6
    for position, (name, rank) in enumerate(ordered):
        left = position < half
        # The outermost rank of each side has the highest label, so that the lines to the labels do not cross.
        depth = top + _LABEL * (position if left else count - 1 - position)
        edge = 0.6 if left else count + 0.4
        marked = name in highlight
        style = {"color": accent if marked else ink, "clip_on": False}
        ax.plot([rank, rank, edge], [0, depth, depth], linewidth=1, **style)
        label = f" {name}  {rank:.2f} " if left else f" {rank:.2f}  {name} "
        side, weight = "right" if left else "left", "bold" if marked else "normal"
        ax.text(edge, depth, label, ha=side, va="center", fontsize=9, weight=weight, **style)
    for level, (first, last) in enumerate(bars, start=1):
        ax.plot([first - 0.05, last + 0.05], [_BAR * level] * 2, color=ink, linewidth=3, solid_capstyle="butt")
    ax.set(xlim=(-1.2, count + 2.2), ylim=(top + _LABEL * half, -1.4))
    _draw_axis(ax, count, ink)
    ax.plot([1, 1 + difference], [-1.1, -1.1], color=ink, marker="|", linewidth=1.5)
    ax.text(1 + difference + 0.1, -1.1, f"critical difference {difference:.2f}", va="center", fontsize=8, color=ink)
    ax.set_title(title, fontsize=10, weight="bold", color=ink, loc="center")
    return ax


def _draw_axis(ax: Any, count: int, ink: str) -> None:
    ax.axis("off")
    ax.plot([1, count], [0, 0], color=ink, linewidth=1)
    for rank in range(1, count + 1):
        ax.plot([rank, rank], [-0.15, 0], color=ink, linewidth=1)
        ax.text(rank, -0.25, str(rank), ha="center", va="bottom", fontsize=8, color=ink)


def critical_difference(models: int, datasets: int, level: float = 0.05) -> float:
    r"""Nemenyi's critical difference of mean ranks.

    .. math:: q_\alpha \sqrt{\frac{k (k + 1)}{6 D}}

    for :math:`k` models on :math:`D` data sets, where :math:`q_\alpha` is the quantile of the studentised range divided
    by :math:`\sqrt 2` (Demšar, 2006, Statistical comparisons of classifiers over multiple data sets).

    Parameters
    ----------
    models, datasets : int
        Numbers of models and of data sets.
    level : float, default=0.05
        Level of the test.

    Returns
    -------
    float
        Mean ranks that differ by less do not differ significantly.

    Examples
    --------
    >>> from hazboost.plots import critical_difference
    >>> round(critical_difference(models=9, datasets=58), 2)
    1.58
    """
    # Infinitely many degrees of freedom: the variance of ranks is known.
    quantile = studentized_range.ppf(1 - level, models, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(models * (models + 1) / (6 * datasets)))


def cliques(ranks: Array, difference: float) -> list[tuple[float, float]]:
    """First and last rank of each maximal group of at least two sorted ranks that spans at most the difference.

    Examples
    --------
    >>> cliques(np.array([1.0, 2.0, 2.5, 5.0]), 1.5)
    [(1.0, 2.5)]
    """
    runs: list[tuple[float, float]] = []
    end = -1
    for start, rank in enumerate(ranks):
        last = int(np.searchsorted(ranks, rank + difference, side="right")) - 1
        # A run that ends where an earlier one ends is contained in it.
        if last > max(start, end):
            runs.append((float(rank), float(ranks[last])))
            end = last
    return runs
