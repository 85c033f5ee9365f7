"""Two figures: errors by the number of rows, and by the seconds of a fit; one panel for each situation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.harness.style import line_of, settings
from benchmarks.studies.learning.models import OWN, RIVALS
from benchmarks.studies.learning.report import titles
from benchmarks.studies.learning.situations import SITUATIONS

COLUMNS = 3
#: Inches.
WIDTH, PANEL_HEIGHT, LEGEND_HEIGHT = 9.0, 2.3, 0.5


def draw_learning(errors: pd.DataFrame, path: Path) -> None:
    """Errors of all models by the number of rows."""

    def panel(axes: Any, situation: str) -> None:
        here = errors.xs(situation, level="situation")
        for model in here:
            points = here[model].dropna()
            axes.plot(points.index, points, **look(str(model)))

    _draw(errors, "training rows", panel, path)


def draw_seconds(errors: pd.DataFrame, seconds: pd.DataFrame, path: Path) -> None:
    """Errors of FPBoost and XGBoost by the seconds of a fit; each point is a number of rows."""

    def panel(axes: Any, situation: str) -> None:
        here, spent = (values.xs(situation, level="situation") for values in (errors, seconds))
        for model in (name for name in (OWN, *RIVALS) if name in here):
            points = here[model].dropna()
            axes.plot(spent[model][points.index], points, **look(model))

    _draw(errors, "seconds of a fit", panel, path)


def look(model: str) -> dict[str, Any]:
    """Arguments of ``axes.plot``; a model keeps its look where another has no result."""
    return line_of(list(titles()).index(model)) | {"markersize": 4, "label": titles()[model]}


def _draw(errors: pd.DataFrame, label: str, panel: Callable[[Any, str], None], path: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - imported when a figure is drawn
    from matplotlib.figure import Figure  # noqa: PLC0415

    situations = list(dict.fromkeys(errors.index.get_level_values("situation")))
    columns = min(COLUMNS, len(situations))
    lines = -(-len(situations) // columns)
    with mpl.rc_context(settings("learning") | {"font.size": 8, "axes.titlesize": 9, "axes.titlelocation": "left"}):
        figure = Figure(figsize=(WIDTH, PANEL_HEIGHT * lines + LEGEND_HEIGHT), layout="constrained")
        panels = figure.subplots(lines, columns, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, situation in zip(panels, situations, strict=False):
            panel(axes, situation)
            axes.set_title(SITUATIONS[situation].title)
        _scale(panels[0])
        for axes in panels[len(situations) :]:
            axes.set_visible(False)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=9)
        figure.supxlabel(label)
        figure.supylabel("error of the survival function")
        figure.savefig(path, metadata={"Date": None})


def _scale(axes: Any) -> None:
    """Logarithmic scales, which all panels share, with plain decimals of errors."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter  # noqa: PLC0415

    axes.set(xscale="log", yscale="log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
