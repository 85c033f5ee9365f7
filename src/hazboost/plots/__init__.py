"""Figures of what was chosen and why, and of how models compare.

They need matplotlib, which is imported when one is drawn.
"""

from __future__ import annotations

from hazboost.plots.ranks import critical_difference, plot_ranks
from hazboost.plots.selection import plot_selection
from hazboost.plots.trials import plot_trials

__all__ = ["critical_difference", "plot_ranks", "plot_selection", "plot_trials"]
