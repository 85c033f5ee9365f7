"""Cox's proportional hazards with an elastic net, of scikit-survival."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.cross_validation import choose_penalty
from benchmarks.peers.shared.proportional_hazards import Cox, with_baseline
from benchmarks.peers.shared.scikit_survival import PACKAGES, outcome
from benchmarks.peers.shared.tables import standardised
from hazboost.utils.arrays import Array, Mask

#: Number of penalties to choose from, and the smallest as a share of the largest.
PENALTIES = 50
SMALLEST = 0.01


def fit(task: Task) -> Cox:
    """Fit `CoxnetSurvivalAnalysis` with ``l1_ratio=0.5`` and a penalty chosen by cross-validation.

    The model that is kept has the path of penalties from the strongest to the chosen one.
    """
    from sksurv.linear_model import CoxnetSurvivalAnalysis  # noqa: PLC0415

    settings: dict[str, Any] = {"l1_ratio": 0.5, "alpha_min_ratio": SMALLEST}
    X, y = task.train.X, outcome(task.train.event, task.train.time)
    grid = CoxnetSurvivalAnalysis(n_alphas=PENALTIES, **settings).fit(X, y).alphas_

    def fit_path(X: Array, event: Mask, time: Array) -> Array:
        part = CoxnetSurvivalAnalysis(alphas=grid, **settings).fit(X, outcome(event, time))
        path = np.full((X.shape[1], len(grid)), np.nan)
        path[:, np.searchsorted(-grid, -part.alphas_)] = part.coef_
        return path

    best = choose_penalty(fit_path, task.train, task.seed)
    return with_baseline(CoxnetSurvivalAnalysis(alphas=grid[: best + 1], **settings).fit(X, y), task.train)


PEERS = (Peer("accuracy", "coxnet", fit, PACKAGES, encoder=standardised),)
