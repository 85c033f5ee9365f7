"""Figures of what was chosen and why. They need matplotlib, which is imported when one is drawn."""

from __future__ import annotations

from hazboost.plots.selection import plot_selection
from hazboost.plots.trials import plot_trials

__all__ = ["plot_selection", "plot_trials"]
