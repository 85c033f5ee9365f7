"""Figures of the cross-validation, of hyperparameter searches and of comparisons of models.

They need matplotlib, which is imported only when a figure is drawn. The functions accept any object with the
attributes they read, so this package does not depend on the estimator or on the tuning.
"""

from __future__ import annotations

from hazboost.plots.ranks import critical_difference, plot_ranks
from hazboost.plots.selection import plot_selection
from hazboost.plots.trials import plot_trials

__all__ = ["critical_difference", "plot_ranks", "plot_selection", "plot_trials"]
