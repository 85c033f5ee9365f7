"""Style, drawing functions and command line shared by the examples on kinds of survival data."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from demo import FAINT, INK, STYLE

# Colours of Okabe and Ito, which colour-blind readers can tell apart.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
LOOK = {**STYLE, "figure.figsize": (7.0, 4.2), "font.size": 11, "axes.titlesize": 11.5, "axes.titlepad": 8}
#: Line styles of the model, of the nonparametric estimate, and of the analysis that ignores the kind of data.
FITTED = {"linewidth": 2.2}
OBSERVED = {"linewidth": 1.1, "drawstyle": "steps-post", "alpha": 0.8}
IGNORANT = {"linewidth": 1.8, "linestyle": (0, (1.5, 1.5))}


def explain_lines(figure: Figure, observed: str, ignorant: str, fitted: str = "FPBoost") -> None:
    """Legend of the three line styles below the axes; `name_curve` explains the colours."""
    # Empty lines, because the legend is about styles and the curves have several colours.
    styles = {fitted: FITTED, observed: OBSERVED, ignorant: IGNORANT}
    for label, style in styles.items():
        figure.axes[0].plot([], [], color=INK, label=label, **style)
    figure.legend(loc="outside lower left", ncols=3, columnspacing=1.6, handlelength=2.4)


def name_curve(axes: plt.Axes, x: float, y: float, text: str, colour: str) -> None:
    """Write a label next to a curve."""
    axes.text(x, y, text, color=colour, fontsize=10.5, fontweight="bold")


def two_panels(**options: object) -> tuple[Figure, Sequence[plt.Axes]]:
    """Two axes side by side with a common vertical axis, and enough space for the tick labels between them."""
    figure, panels = plt.subplots(1, 2, sharey=True)
    figure.get_layout_engine().set(wspace=0.06)
    for axes in panels:
        axes.set(**options)
    return figure, panels


def print_table(title: str, columns: Sequence[str], rows: dict[str, Sequence[float | None]]) -> None:
    """Print one line per row; None leaves a cell empty."""
    print(f"{title:<42}" + "".join(f"{column:>16}" for column in columns))
    print("-" * (42 + 16 * len(columns)))
    for name, values in rows.items():
        print(f"{name:<42}" + "".join(" " * 16 if value is None else f"{value:>16.2f}" for value in values))
    print()


def run(document: str, name: str, draw: Callable[[], Figure], arguments: Sequence[str] | None = None) -> None:
    """Read the command line, call ``draw`` and write its figure."""
    parser = argparse.ArgumentParser(description=document.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("demo"), help="folder for the figure")
    folder = parser.parse_args(arguments).output
    folder.mkdir(parents=True, exist_ok=True)
    # A backend without windows, so that the examples run on servers.
    mpl.use("Agg")
    with mpl.rc_context(LOOK):
        figure = draw()
        figure.savefig(folder / f"{name}.png")
        plt.close(figure)
    print(folder / f"{name}.png")


__all__ = [
    "BLUE",
    "FAINT",
    "FITTED",
    "GREEN",
    "IGNORANT",
    "INK",
    "OBSERVED",
    "ORANGE",
    "explain_lines",
    "name_curve",
    "print_table",
    "run",
    "two_panels",
]
