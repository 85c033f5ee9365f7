"""Cross-validation inside of models that choose a setting with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchmarks.peers.shared.base import Sample
from benchmarks.peers.shared.curves import at_risk
from hazboost.utils.arrays import Array, Indices, Mask

FOLDS = 5
#: Above this number of rows one fold is held out instead of five in turn.
ONE_FOLD_ABOVE = 2_000

#: From training rows to one column of coefficients for each penalty of a grid.
FitPath = Callable[[Array, Mask, Array], Array]


def inner_folds(event: Mask, seed: int) -> list[tuple[Indices, Indices]]:
    """Pairs of rows to fit on and rows to check on, stratified on the event."""
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(np.zeros(len(event)), event)
    pairs = list(folds)
    return pairs if len(event) <= ONE_FOLD_ABOVE else pairs[:1]


def choose_penalty(fit_path: FitPath, sample: Sample, seed: int) -> int:
    """Position of the best penalty in the grid of `fit_path`, by cross-validated partial likelihood.

    The criterion is that of Verweij and van Houwelingen: the partial log-likelihood of all rows minus that of the rows
    fitted on, with the coefficients fitted without the fold. Unlike the likelihood of the fold alone it has full risk
    sets.
    """
    X, event, time = sample.X, sample.event, sample.time
    total: Any = 0.0
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


def partial_log_likelihood(score: Array, event: Mask, time: Array) -> float:
    """Partial log-likelihood of a Cox model with Breslow's handling of ties."""
    score = score - score.max()
    return float(np.sum(score[event]) - np.sum(np.log(at_risk(score, time, time[event]))))
