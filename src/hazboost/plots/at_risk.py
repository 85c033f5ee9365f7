"""Numbers of subjects at risk, as rows of text below curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.data.nonparametric import at_risk
from hazboost.data.target import Target
from hazboost.plots.axes import ink, small_letters
from hazboost.utils.arrays import Array

#: Height of a row, the space before the first, and that between the name of a row and time zero, in font sizes.
ROW, SPACE, GAP = 1.25, 0.5, 2.2


def write_at_risk(ax: Any, outcomes: dict[str, Target], times: Array | None) -> None:
    """Write rows below the label of the horizontal axis, one for each group, with a number for each time.

    A single row without a name, of all subjects together, needs no heading. Without times, those of the ticks serve.
    """
    low, high = ax.get_xlim()
    if times is None:
        times = np.array([tick for tick in ax.get_xticks() if low <= tick <= high])
        ax.set_xticks(times)  # others would appear when the axes become smaller
    outside = times[(times < low) | (times > high)]
    if len(outside):
        raise ValueError(
            f"times must lie within the axes, from {low:g} to {high:g}; got {outside[0]:g}. Leave it out, or draw "
            "longer curves by times of from_estimator."
        )
    size, _ = small_letters(ax)
    # Bound to the label of the axis, the rows stay below it wherever it is.
    below: dict[str, Any] = {
        "textcoords": "offset points",
        "fontsize": size,
        "color": ink(),
        "va": "top",
        "annotation_clip": False,
    }
    named = list(outcomes) != [""]
    if named:
        _write_name(ax, "at risk", -SPACE * size, below)
    for number, (name, target) in enumerate(outcomes.items()):
        height = -(SPACE + ROW * (number + named)) * size
        _write_name(ax, name or "at risk", height, below)
        for time, count in zip(times.tolist(), at_risk(target, times).tolist(), strict=True):
            ax.annotate(
                f"{count:.0f}", (time, 0.0), (0.0, height), xycoords=("data", ax.xaxis.label), ha="center", **below
            )


def _write_name(ax: Any, name: str, height: float, look: dict[str, Any]) -> None:
    """Write the name of a row to the left of the axes."""
    ax.annotate(
        name,
        (0.0, 0.0),
        (-GAP * look["fontsize"], height),
        xycoords=("axes fraction", ax.xaxis.label),
        ha="right",
        **look,
    )
