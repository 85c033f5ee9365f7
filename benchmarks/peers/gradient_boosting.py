"""Gradient boosting of the Cox likelihood, of scikit-survival."""

from __future__ import annotations

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.scikit_survival import PACKAGES, ScikitSurvival, fit_scikit_survival
from benchmarks.peers.shared.tables import standardised


def fit(task: Task) -> ScikitSurvival:
    """Fit `GradientBoostingSurvivalAnalysis` at its defaults: 100 trees of depth 3, learning rate 0.1."""
    from sksurv.ensemble import GradientBoostingSurvivalAnalysis  # noqa: PLC0415

    return fit_scikit_survival(GradientBoostingSurvivalAnalysis(random_state=task.seed), task.train)


PEERS = (
    Peer("paper", "coxboost", fit, PACKAGES, "CoxBoost", "semi-parametric", "tree"),
    Peer("accuracy", "gbsa", fit, PACKAGES, encoder=standardised),
    Peer("speed", "gradient_boosting", fit, PACKAGES, "gradient boosting (scikit-survival)"),
)
