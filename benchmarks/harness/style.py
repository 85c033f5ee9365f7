"""How lines of models look in figures: FPBoost in a colour of its own, the others told apart by markers, too."""

from __future__ import annotations

from typing import Any

INK, FAINT, GRID, OWN = "#24292f", "#8c959f", "#eaeef2", "#d55e00"
#: For the models after FPBoost. Markers and dashes tell them apart without colours, too.
STYLES = (
    ("#8c959f", "s", "--"),
    ("#0072b2", "^", "-"),
    ("#56b4e9", "v", "--"),
    ("#009e73", "D", "-"),
    ("#cc79a7", "P", "-."),
    ("#7a5195", "X", ":"),
    ("#000000", "<", "-."),
)


def settings(salt: str) -> Any:
    """Settings of matplotlib; the salt makes the same figure the same file."""
    return {
        "svg.hashsalt": salt, "svg.fonttype": "none", "font.size": 10, "text.color": INK, "axes.labelcolor": INK,
        "xtick.color": INK, "ytick.color": INK, "axes.edgecolor": FAINT, "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True, "grid.color": GRID,
    }  # fmt: skip


def line_of(number: int) -> dict[str, Any]:
    """Arguments of ``axes.plot`` for the model with this number; 0 is FPBoost."""
    colour, marker, dashes = (OWN, "o", "-") if number == 0 else STYLES[(number - 1) % len(STYLES)]
    return {
        "color": colour,
        "marker": marker,
        "linestyle": dashes,
        "linewidth": 2.6 if number == 0 else 1.5,
        "zorder": 3 if number == 0 else 2,
    }
