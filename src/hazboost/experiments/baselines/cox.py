"""Cox's proportional hazards, of scikit-survival."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hazboost.experiments.baselines.base import Baseline, Fitted
from hazboost.experiments.baselines.scikit_survival import PACKAGES, fit_scikit_survival

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split

RIDGE = 0.01


def fit(split: Split, dataset: str, seed: int) -> Fitted:
    """Fit `CoxPHSurvivalAnalysis` with the ridge of 0.01 of the authors' notebook; else its defaults.

    The paper speaks of default parameters, which mean no penalty. That has no solution here: the one-hot columns of a
    feature sum to one, and Breast Cancer has more columns than training events. There is no other fallback: a fit that
    fails raises (the authors' notebook goes on with S = 0.5 for everybody).
    """
    from sksurv.linear_model import CoxPHSurvivalAnalysis  # noqa: PLC0415

    return fit_scikit_survival(CoxPHSurvivalAnalysis(alpha=RIDGE), split.train)


COX = Baseline(
    name="cox",
    title="Cox",
    kind="semi-parametric",
    learner="linear",
    fit=fit,
    space={"alpha": (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)},
    packages=PACKAGES,
)
