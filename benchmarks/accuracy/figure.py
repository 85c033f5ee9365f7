"""The critical-difference figure."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.accuracy.models import OWN

OWN_COLOUR = "#c0392b"
COLOUR = "#222222"
TITLES = {
    "c_index": "C-index",
    "brier": "integrated Brier score",
    "c_index_ipcw": "IPCW C-index",
    "log_score": "integrated log score",
}


def draw(mean_ranks: dict[str, pd.Series], differences: dict[str, float], path: Path) -> None:
    """Write one panel for each metric.

    Parameters
    ----------
    mean_ranks : dict
        Metric -> mean rank of each model.
    differences : dict
        Metric -> critical difference.
    path : Path
        Where to; the ending chooses the format.
    """
    count = max(len(ranks) for ranks in mean_ranks.values())
    figure = Figure(figsize=(8, len(mean_ranks) * (0.9 + 0.17 * count)), layout="constrained")
    panels = np.atleast_1d(figure.subplots(len(mean_ranks)))
    for panel, (metric, ranks) in zip(panels, mean_ranks.items(), strict=True):
        draw_panel(panel, ranks.sort_values(), differences[metric], TITLES[metric])
    with mpl.rc_context({"svg.hashsalt": "accuracy"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def draw_panel(axes: Axes, ranks: pd.Series, difference: float, title: str) -> None:
    """An axis of ranks with the models below, the better half on the left, and bars over groups that may be equal."""
    count = len(ranks)
    half = (count + 1) // 2
    bars = cliques(ranks.to_numpy(), difference)
    top = 0.45 * len(bars) + 0.6
    for position, (model, rank) in enumerate(ranks.items()):
        left = position < half
        depth = top + 0.8 * (position if left else count - 1 - position)
        edge = 0.6 if left else count + 0.4
        style = {"color": OWN_COLOUR if model == OWN else COLOUR, "clip_on": False}
        axes.plot([rank, rank, edge], [0, depth, depth], linewidth=1, **style)
        label = f"{model}  {rank:.2f}" if left else f"{rank:.2f}  {model}"
        weight = "bold" if model == OWN else "normal"
        axes.text(
            edge, depth, f" {label} ", ha="right" if left else "left", va="center", fontsize=9, weight=weight, **style
        )
    for level, (first, last) in enumerate(bars, start=1):
        axes.plot([first - 0.05, last + 0.05], [0.45 * level] * 2, color=COLOUR, linewidth=3, solid_capstyle="butt")
    axes.set_xlim(-1.2, count + 2.2)
    axes.set_ylim(top + 0.8 * half, -1.4)
    _draw_axis(axes, count)
    axes.plot([1, 1 + difference], [-1.1, -1.1], color=COLOUR, marker="|", linewidth=1.5)
    axes.text(1 + difference + 0.1, -1.1, f"critical difference {difference:.2f}", va="center", fontsize=8)
    axes.set_title(title, fontsize=10, weight="bold")


def _draw_axis(axes: Axes, count: int) -> None:
    axes.axis("off")
    axes.plot([1, count], [0, 0], color=COLOUR, linewidth=1)
    for rank in range(1, count + 1):
        axes.plot([rank, rank], [-0.15, 0], color=COLOUR, linewidth=1)
        axes.text(rank, -0.25, str(rank), ha="center", va="bottom", fontsize=8)


def cliques(ranks: np.ndarray, difference: float) -> list[tuple[float, float]]:
    """Longest runs of sorted ranks, of at least two, that span no more than the critical difference.

    Examples
    --------
    >>> cliques(np.array([1.0, 2.0, 2.5, 5.0]), 1.5)
    [(1.0, 2.5)]
    """
    runs: list[tuple[float, float]] = []
    end = -1
    for start, rank in enumerate(ranks):
        last = int(np.searchsorted(ranks, rank + difference, side="right")) - 1
        if last > max(start, end):
            runs.append((float(rank), float(ranks[last])))
            end = last
    return runs
