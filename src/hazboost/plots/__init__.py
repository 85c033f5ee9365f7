"""Figures of predictions, of scores, of what was learned, of searches, and of comparisons of models.

They need matplotlib, which is imported only when a figure is drawn. Displays are in the style of scikit-learn's: the
class method ``from_estimator`` computes and draws, ``plot(ax)`` draws again, and ``frame()`` returns the numbers.
``docs/plots.md`` shows them all.
"""

from __future__ import annotations

from hazboost.plots.accumulated import AccumulatedEffectsDisplay
from hazboost.plots.calibration import CalibrationDisplay, DCalibrationDisplay
from hazboost.plots.contributions import ContributionsDisplay
from hazboost.plots.curves import SurvivalDisplay
from hazboost.plots.dependence import DependenceDisplay
from hazboost.plots.heads import HeadsDisplay
from hazboost.plots.history import HistoryDisplay
from hazboost.plots.importance import ImportanceDisplay
from hazboost.plots.parameters import ParametersDisplay
from hazboost.plots.ranks import critical_difference, plot_ranks
from hazboost.plots.residuals import ResidualsDisplay
from hazboost.plots.roc import RocDisplay
from hazboost.plots.scores import ScoresDisplay
from hazboost.plots.selection import plot_selection
from hazboost.plots.trials import plot_trials

__all__ = [
    "AccumulatedEffectsDisplay",
    "CalibrationDisplay",
    "ContributionsDisplay",
    "DCalibrationDisplay",
    "DependenceDisplay",
    "HeadsDisplay",
    "HistoryDisplay",
    "ImportanceDisplay",
    "ParametersDisplay",
    "ResidualsDisplay",
    "RocDisplay",
    "ScoresDisplay",
    "SurvivalDisplay",
    "critical_difference",
    "plot_ranks",
    "plot_selection",
    "plot_trials",
]
