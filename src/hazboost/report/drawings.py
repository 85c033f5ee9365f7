"""Figures that no display has: the follow-up of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.data.nonparametric import evaluate_steps, follow_up_distribution
from hazboost.data.target import Target
from hazboost.plots.axes import add_legend, curve_style, make_axes, tidy


def draw_follow_up(targets: dict[str, Target]) -> Any:
    """Share of subjects still followed, if there were no events, over time since entry (reverse Kaplan-Meier)."""
    (ax,) = make_axes(1, None, None)
    longest = {name: float((target.lower - target.entry).max()) for name, target in targets.items()}
    last = max(longest.values())
    times = np.linspace(0.0, last, 200)
    for position, (name, target) in enumerate(targets.items()):
        followed = evaluate_steps(follow_up_distribution(target), times, start=1.0)
        shown = np.where(times <= longest[name], followed, np.nan)
        ax.step(times, shown, where="post", label=name, **curve_style(position))
    ax.set(xlabel="time since entry", ylabel="still followed", ylim=(0.0, 1.02), xlim=(0.0, last))
    tidy(ax)
    add_legend(ax, own=True)
    return ax
