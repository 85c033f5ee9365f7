"""The figure of the study: errors by the number of rows, both on logarithmic scales, one panel for each situation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.harness.style import line_of, settings
from benchmarks.studies.truth.models import models
from benchmarks.studies.truth.situations import SITUATIONS

COLUMNS = 5
#: Inches.
WIDTH, PANEL_HEIGHT, LEGEND_HEIGHT = 10.0, 1.65, 0.5


def draw(errors: pd.DataFrame, path: Path) -> None:
    """Write the figure of a table of errors: (rows, situation) by models."""
    import matplotlib as mpl  # noqa: PLC0415 - imported when a figure is drawn
    from matplotlib.figure import Figure  # noqa: PLC0415

    situations = list(dict.fromkeys(errors.index.get_level_values("situation")))
    columns = min(COLUMNS, len(situations))
    lines = -(-len(situations) // columns)
    with mpl.rc_context(settings("truth") | {"font.size": 8, "axes.titlesize": 9, "axes.titlelocation": "left"}):
        figure = Figure(figsize=(WIDTH, PANEL_HEIGHT * lines + LEGEND_HEIGHT), layout="constrained")
        panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, situation in zip(panels, situations, strict=False):
            draw_panel(axes, errors.xs(situation, level="situation"), SITUATIONS[situation].title)
        scale_axes(panels[0], sorted(set(errors.index.get_level_values("rows"))))
        for axes in panels[len(situations) :]:
            axes.set_visible(False)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=9)
        figure.supxlabel("training rows")
        figure.supylabel("error of the survival function")
        figure.savefig(path, metadata={"Date": None})


def draw_panel(axes: Any, errors: pd.DataFrame, title: str) -> None:
    """Errors of one situation: rows by models; a model keeps its look where another has no result."""
    peers = models()
    for model in errors:
        look = line_of(list(peers).index(str(model)))
        # A line without points is drawn, too, so that any panel has the whole legend.
        axes.plot(errors.index, errors[model], **look, markersize=4, label=peers[str(model)].title)
    axes.set_title(title)


def scale_axes(axes: Any, rows: Sequence[int]) -> None:
    """Logarithmic scales, which all panels share, with the numbers of rows and plain decimals."""
    from matplotlib.ticker import LogLocator, NullFormatter, NullLocator, StrMethodFormatter  # noqa: PLC0415

    axes.set(xscale="log", yscale="log")
    axes.set_xticks(rows, labels=[f"{number:,}" for number in rows])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
