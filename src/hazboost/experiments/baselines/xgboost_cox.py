"""XGBoost's Cox objective, with Breslow's baseline hazard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import xgboost as xgb

from hazboost.experiments.baselines.base import Baseline
from hazboost.experiments.baselines.curves import breslow, positive, step_values
from hazboost.utils.arrays import Array

if TYPE_CHECKING:
    from hazboost.experiments.protocol import Sample, Split

#: The library's default number of trees.
MAX_ROUNDS = 100
PATIENCE = 10


@dataclass(frozen=True)
class BoostedCox:
    """Trees for the log-risk, and steps of the cumulative baseline hazard."""

    booster: xgb.Booster
    steps: Array
    hazard: Array

    def risk(self, X: Array) -> Array:
        """The log-risk."""
        return margin(self.booster, xgb.DMatrix(X, nthread=1))

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return step_values(self.steps, np.exp(-self.hazard * np.exp(self.risk(X))[:, None]), times)


def fit(split: Split, dataset: str, seed: int) -> BoostedCox:
    """Fit ``survival:cox`` with the library's default trees (depth 6, learning rate 0.3).

    At most its default number of 100 trees; training stops when the partial likelihood of the validation part has not
    improved for 10 rounds, and the best number is kept. ``max_delta_step=1``, the library's own advice for unbounded
    losses, keeps log-risks from running away on SUPPORT2. The paper speaks of default parameters and does not say which
    baseline hazard it uses.
    """
    train = matrix(split.train)
    settings = {
        "objective": "survival:cox",
        "eval_metric": "cox-nloglik",
        "max_delta_step": 1,
        "nthread": 1,
        "seed": seed,
    }
    booster = xgb.train(
        settings,
        train,
        num_boost_round=MAX_ROUNDS,
        evals=[(matrix(split.validation), "validation")],
        early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )
    best = booster[: booster.best_iteration + 1]
    return BoostedCox(best, *breslow(margin(best, train), split.train.event, split.train.time))


def matrix(sample: Sample) -> xgb.DMatrix:
    """The rows of a sample; the times of censored ones are negative, and so none may be zero."""
    time = positive(sample.time)
    return xgb.DMatrix(sample.X, label=np.where(sample.event, time, -time), nthread=1)


def margin(booster: xgb.Booster, data: xgb.DMatrix) -> Array:
    """The sum of the trees' leaves."""
    return np.asarray(booster.predict(data, output_margin=True), dtype=np.float64)


XGBOOST = Baseline(
    name="xgboost",
    title="XGBoost",
    kind="semi-parametric",
    learner="tree",
    fit=fit,
    space={
        "max_depth": (1, 2, 3, 4, 6),
        "learning_rate": (0.02, 0.05, 0.1, 0.3),
        "subsample": (0.5, 0.75, 1.0),
        "colsample_bytree": (0.5, 1.0),
    },
    packages=("xgboost",),
)
