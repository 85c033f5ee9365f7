"""Explanations of a fitted model: which features move a prediction, by how much, and at which times.

``docs/explaining.md`` has the rules with their formulas, and says how exact each of them is.
"""

from __future__ import annotations

from hazboost.explain.accumulated import accumulated_effects
from hazboost.explain.dependence import partial_dependence
from hazboost.explain.dividing import contributions, score_contributions
from hazboost.explain.explanation import Explanation
from hazboost.explain.importances import importance
from hazboost.explain.pairs import interaction_values, interactions
from hazboost.explain.permutation import permutation_importance

__all__ = [
    "Explanation",
    "accumulated_effects",
    "contributions",
    "importance",
    "interaction_values",
    "interactions",
    "partial_dependence",
    "permutation_importance",
    "score_contributions",
]
