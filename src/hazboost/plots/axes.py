"""Axes and colours shared by the figures."""

from __future__ import annotations

from typing import Any

#: Colours of curves, of what was chosen, and of references in the background.
LINE, CHOSEN, QUIET = "#1f77b4", "#d62728", "#8c8c8c"


def make_axes(panels: int, ax: Any) -> list[Any]:
    """Axes side by side in a new figure, or the given ones, checked to be as many as there are panels."""
    if ax is None:
        # Imported here because matplotlib is optional, and slow to import.
        try:
            from matplotlib import pyplot as plt  # noqa: PLC0415
        except ImportError as error:
            raise ImportError('figures need matplotlib; install it with `pip install "hazboost[demo]"`.') from error
        return list(plt.subplots(1, panels, figsize=(6.0, 2.8), layout="constrained", squeeze=False)[1][0])
    axes = list(ax) if hasattr(ax, "__len__") else [ax]
    if len(axes) != panels:
        raise ValueError(f"ax must have {panels} axes, one for each panel; got {len(axes)}.")
    return axes


def tidy(ax: Any) -> None:
    """Hide the top and right borders."""
    ax.spines[["top", "right"]].set_visible(False)
