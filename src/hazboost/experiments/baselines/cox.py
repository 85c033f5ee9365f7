"""Cox's proportional hazards, of scikit-survival."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hazboost.experiments.baselines.base import Baseline, Fitted
from hazboost.experiments.baselines.curves import breslow, step_values
from hazboost.experiments.baselines.scikit_survival import PACKAGES, ScikitSurvival, fit_scikit_survival
from hazboost.hazards.mixture import LARGEST_EXPONENT
from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Split

RIDGE = 0.01


@dataclass(frozen=True)
class Cox(ScikitSurvival):
    r"""A fitted `CoxPHSurvivalAnalysis`, with survival functions from Breslow's baseline hazard, in logarithms.

    .. math:: S(t \mid x) = \exp(-e^{\log H_0(t) + x'\beta})

    They are the library's own, which are not finite for some patients of Breast Cancer, whose log-risks exceed 100.
    """

    steps: Array
    log_hazard: Array

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        exponent = np.minimum(self.log_hazard + self.risk(X)[:, None], LARGEST_EXPONENT)
        return step_values(self.steps, np.exp(-np.exp(exponent)), times)


def fit(split: Split, dataset: str, seed: int) -> Fitted:
    """Fit `CoxPHSurvivalAnalysis` with the ridge of 0.01 of the authors' notebook; else its defaults.

    The paper speaks of default parameters, which mean no penalty. That has no solution here: the one-hot columns of a
    feature sum to one, and Breast Cancer has more columns than training events. There is no other fallback: a fit that
    fails raises (the authors' notebook goes on with S = 0.5 for everybody).
    """
    from sksurv.linear_model import CoxPHSurvivalAnalysis  # noqa: PLC0415

    fitted = fit_scikit_survival(CoxPHSurvivalAnalysis(alpha=RIDGE), split.train)
    score = fitted.risk(split.train.X)
    largest = score.max()
    steps, hazard = breslow(score - largest, split.train.event, split.train.time)
    return Cox(fitted.model, steps, np.log(hazard) - largest)


COX = Baseline(
    name="cox",
    title="Cox",
    kind="semi-parametric",
    learner="linear",
    fit=fit,
    space={"alpha": (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)},
    packages=PACKAGES,
)
