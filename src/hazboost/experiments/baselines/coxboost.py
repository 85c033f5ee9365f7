"""Gradient boosting of the Cox likelihood, of scikit-survival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hazboost.experiments.baselines.base import Baseline, Fitted
from hazboost.experiments.baselines.scikit_survival import PACKAGES, fit_scikit_survival

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split


def fit(split: Split, dataset: str, seed: int) -> Fitted:
    """Fit `GradientBoostingSurvivalAnalysis` at its defaults: 100 trees of depth 3, learning rate 0.1."""
    from sksurv.ensemble import GradientBoostingSurvivalAnalysis  # noqa: PLC0415

    return fit_scikit_survival(GradientBoostingSurvivalAnalysis(random_state=seed), split.train)


COXBOOST = Baseline(
    name="coxboost",
    title="CoxBoost",
    kind="semi-parametric",
    learner="tree",
    fit=fit,
    space={
        "n_estimators": (50, 100, 200, 400),
        "learning_rate": (0.02, 0.05, 0.1, 0.2),
        "max_depth": (1, 2, 3, 4),
        "subsample": (0.5, 0.75, 1.0),
    },
    packages=PACKAGES,
)
