"""The critical-difference figure."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.accuracy.models import OWN
from hazboost.plots import plot_ranks

OWN_COLOUR = "#c0392b"
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
        title = TITLES[metric]
        plot_ranks(ranks.to_dict(), differences[metric], panel, highlight={OWN}, title=title, accent=OWN_COLOUR)
    with mpl.rc_context({"svg.hashsalt": "accuracy"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
