"""XGBoost's Cox objective, with Breslow's baseline hazard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import xgboost as xgb

from benchmarks.peers.shared.base import Peer, Sample, Task, with_validation
from benchmarks.peers.shared.boosted_trees import (
    DEFAULT_ROUNDS,
    PACKAGES,
    SMALL_STEPS,
    BoostedRisk,
    cross_validate,
    fit_risk,
    margin,
    matrix,
)
from benchmarks.peers.shared.curves import breslow, positive
from benchmarks.peers.shared.tables import KnownCategories
from hazboost.data.nonparametric import evaluate_steps
from hazboost.utils.arrays import Array

OBJECTIVE = {"objective": "survival:cox", "eval_metric": "cox-nloglik", "nthread": 1}
PATIENCE = 10


@dataclass(frozen=True)
class BoostedCox:
    """Trees for the log-risk, and steps of the cumulative baseline hazard."""

    booster: xgb.Booster
    steps: Array
    hazard: Array

    def risk(self, X: Any) -> Array:
        """The log-risk."""
        return margin(self.booster, matrix(X))

    def survival(self, X: Any, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        hazard = evaluate_steps((self.steps, self.hazard), times, start=0.0)
        return np.asarray(np.exp(-hazard * np.exp(self.risk(X))[:, None]))


def fit_defaults(task: Task) -> BoostedCox:
    """Fit with the library's default trees (depth 6, learning rate 0.3), stopped early by the validation part.

    At most its default number of 100 trees; training stops when the partial likelihood of the validation part has not
    improved for 10 rounds, and the best number is kept. ``max_delta_step=1``, the library's own advice for unbounded
    losses, keeps log-risks from running away on SUPPORT2. The paper speaks of default parameters and does not say which
    baseline hazard it uses.
    """
    part, watched = with_validation(task)
    train = labelled(part)
    booster = xgb.train(
        OBJECTIVE | {"max_delta_step": 1, "seed": task.seed},
        train,
        num_boost_round=DEFAULT_ROUNDS,
        evals=[(labelled(watched), "validation")],
        early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )
    return with_baseline(booster[: booster.best_iteration + 1], train, part)


def fit_small_steps(task: Task) -> BoostedCox:
    """Fit shallow trees in small steps; the number of rounds is chosen by cross-validated partial likelihood.

    Events at time zero are moved in the baseline hazard, too.
    """
    sample = replace(task.train, time=positive(task.train.time))
    train, settings = labelled(sample), SMALL_STEPS | OBJECTIVE | {"seed": task.seed}
    _, rounds = cross_validate(settings, train, sample.event, task.seed)
    return with_baseline(xgb.train(settings, train, num_boost_round=rounds), train, sample)


def fit_library_defaults(task: Task, **settings: Any) -> BoostedRisk:
    """Fit ``survival:cox`` with the library's own defaults, and settings by its names."""
    return fit_risk(task, OBJECTIVE | settings, {"label": signed_time(task.train)}, sign=1.0)


def labelled(sample: Sample) -> xgb.DMatrix:
    """The rows of a sample with the label of the objective."""
    data = matrix(sample.X)
    data.set_label(signed_time(sample))
    return data


def signed_time(sample: Sample) -> Array:
    """The label of the objective: the times of censored rows are negative, and so none may be zero."""
    time = positive(sample.time)
    return np.where(sample.event, time, -time)


def with_baseline(booster: xgb.Booster, data: xgb.DMatrix, sample: Sample) -> BoostedCox:
    """The model with the baseline hazard of its training rows."""
    return BoostedCox(booster, *breslow(margin(booster, data), sample.event, sample.time))


PEERS = (
    Peer("paper", "xgboost", fit_defaults, PACKAGES, "XGBoost", "semi-parametric", "tree"),
    Peer("accuracy", "xgb_cox", fit_small_steps, PACKAGES, encoder=KnownCategories),
    Peer("speed", "xgb_cox", fit_library_defaults, PACKAGES, "XGBoost Cox"),
)
