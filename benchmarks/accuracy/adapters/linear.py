"""Penalised Cox regressions of scikit-survival, with the penalty chosen by cross-validated partial likelihood.

The criterion is that of Verweij and van Houwelingen: the partial log-likelihood of all rows minus that of the rows
fitted on, with the coefficients fitted without the fold. Unlike the likelihood of the fold alone it has full risk sets.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sksurv.linear_model import CoxnetSurvivalAnalysis, CoxPHSurvivalAnalysis

from benchmarks.accuracy.adapters.base import SksurvAdapter, outcome
from benchmarks.accuracy.curves import partial_log_likelihood
from benchmarks.accuracy.folds import inner_folds
from hazboost.utils.arrays import Array, Mask

RIDGE_GRID = np.logspace(-2, 3, 11)
SELECTION_TOLERANCE = 1e-5
#: Grid of Coxnet: so many penalties, down to this share of the largest.
COXNET_PENALTIES = 50
COXNET_SMALLEST = 0.01

#: From training rows to one column of coefficients for each penalty of the grid.
FitPath = Callable[[Array, Mask, Array], Array]


def choose_penalty(fit_path: FitPath, X: Array, event: Mask, time: Array, seed: int) -> int:
    """Position of the best penalty in the grid of `fit_path`."""
    total = 0.0
    for fitted, _ in inner_folds(event, seed):
        scores = X @ fit_path(X[fitted], event[fitted], time[fitted])
        total = total + np.array(
            [
                partial_log_likelihood(score, event, time)
                - partial_log_likelihood(score[fitted], event[fitted], time[fitted])
                for score in scores.T
            ]
        )
    return int(np.nanargmax(total))


class RidgeCox(SksurvAdapter):
    """`CoxPHSurvivalAnalysis` with a ridge penalty out of eleven."""

    def fit_model(self, X: Array, event: Mask, time: Array) -> CoxPHSurvivalAnalysis:
        """The model refitted with the chosen penalty; the next stronger one where Newton's method fails."""
        best = choose_penalty(_ridge_path, X, event, time, self.seed)
        for alpha in RIDGE_GRID[best:]:
            try:
                return CoxPHSurvivalAnalysis(alpha=alpha).fit(X, outcome(event, time))
            except (ValueError, np.linalg.LinAlgError):
                continue
        raise RuntimeError("no penalty of the grid converges")


def _ridge_path(X: Array, event: Mask, time: Array) -> Array:
    """Coefficients for every penalty; NaN where the fit fails."""
    path = np.full((X.shape[1], len(RIDGE_GRID)), np.nan)
    for i, alpha in enumerate(RIDGE_GRID):
        try:
            path[:, i] = CoxPHSurvivalAnalysis(alpha=alpha, tol=SELECTION_TOLERANCE).fit(X, outcome(event, time)).coef_
        except (ValueError, np.linalg.LinAlgError):
            continue
    return path


class Coxnet(SksurvAdapter):
    """`CoxnetSurvivalAnalysis` with ``l1_ratio=0.5`` and the penalty out of fifty."""

    def fit_model(self, X: Array, event: Mask, time: Array) -> CoxnetSurvivalAnalysis:
        """The model whose path of penalties, from the strongest on, ends with the chosen one."""
        settings = {"l1_ratio": 0.5, "alpha_min_ratio": COXNET_SMALLEST}
        y = outcome(event, time)
        grid = CoxnetSurvivalAnalysis(n_alphas=COXNET_PENALTIES, **settings).fit(X, y).alphas_

        def fit_path(X: Array, event: Mask, time: Array) -> Array:
            part = CoxnetSurvivalAnalysis(alphas=grid, **settings).fit(X, outcome(event, time))
            path = np.full((X.shape[1], len(grid)), np.nan)
            path[:, np.searchsorted(-grid, -part.alphas_)] = part.coef_
            return path

        best = choose_penalty(fit_path, X, event, time, self.seed)
        return CoxnetSurvivalAnalysis(alphas=grid[: best + 1], fit_baseline_model=True, **settings).fit(X, y)
