"""The figure of the study: seconds of a default fit by the number of rows, both on logarithmic scales."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.harness.style import line_of, settings
from benchmarks.studies.speed.report import exponent


def draw(curves: Mapping[str, dict[int, float]], path: Path) -> None:
    """Write the figure; the legend has the exponents, the slowest model at the largest number of rows first."""
    import matplotlib as mpl  # noqa: PLC0415 - imported when a figure is drawn
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context(settings("speed")):
        figure = Figure(figsize=(8.5, 4.8), layout="constrained")
        axes = figure.subplots()
        for number, (title, curve) in enumerate(curves.items()):
            points = (list(curve), list(curve.values()))
            axes.plot(*points, **line_of(number), markersize=6, label=label(title, curve))
        axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds of a default fit")
        _legend(axes, list(curves.values()))
        figure.savefig(path, metadata={"Date": None})


def label(title: str, curve: dict[int, float]) -> str:
    """The name of a model with its exponent, where there are two points to fit one to.

    Examples
    --------
    >>> label("Cox", {100: 1.0, 1000: 10.0}), label("Cox", {100: 1.0})
    ('Cox, $n^{1.00}$', 'Cox')
    """
    slope = exponent(curve)
    return title if slope is None else f"{title}, $n^{{{slope:.2f}}}$"


def _legend(axes: Any, curves: list[dict[int, float]]) -> None:
    """Beside the lines, in the order of what one would read off at their ends."""
    handles, labels = axes.get_legend_handles_labels()
    if not handles:
        return
    order = sorted(range(len(curves)), key=lambda number: -curves[number][max(curves[number])])
    axes.legend(
        [handles[number] for number in order],
        [labels[number] for number in order],
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
        frameon=False,
    )
