"""XGBoost's Cox objective, with Breslow's baseline hazard."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
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
from benchmarks.peers.shared.causes import fit_causes
from benchmarks.peers.shared.curves import breslow, positive
from benchmarks.peers.shared.tables import KnownCategories
from hazboost.data.nonparametric import evaluate_steps
from hazboost.utils.arrays import Array

OBJECTIVE = {"objective": "survival:cox", "eval_metric": "cox-nloglik", "nthread": 1}
PATIENCE = 10
#: In the study of learning: the share that is held out, the depths that it chooses from, and the rounds.
HELD_OUT, DEPTHS, MOST_ROUNDS, LONG_PATIENCE = 0.1, (2, 4, 6), 2_000, 100
#: With half of the columns for each tree, errors are larger.
MANY_ROWS = {"eta": 0.1, "subsample": 0.5, "tree_method": "hist", "max_bin": 256}


@dataclass(frozen=True)
class BoostedCox:
    """Trees for the log-risk, and steps of the cumulative baseline hazard."""

    booster: xgb.Booster
    steps: Array
    hazard: Array
    threads: int = 1
    chosen: dict[str, Any] = field(default_factory=dict)

    def risk(self, X: Any) -> Array:
        """The log-risk."""
        return margin(self.booster, matrix(X, self.threads))

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


def fit_held_out(task: Task, **settings: Any) -> BoostedCox:
    """Fit trees of three depths, each stopped early by a tenth of the rows, and keep those that are best for it."""
    held = np.random.default_rng(task.seed).random(len(task.train.time)) < HELD_OUT
    kept, watched = (
        Sample(task.train.X[rows], task.train.event[rows], task.train.time[rows]) for rows in (~held, held)
    )
    settings = MANY_ROWS | OBJECTIVE | {"nthread": task.threads, "seed": task.seed} | settings
    bins = {"max_bin": settings["max_bin"], "nthread": task.threads}
    train = xgb.QuantileDMatrix(kept.X, signed_time(kept), **bins)
    evals = [(xgb.QuantileDMatrix(watched.X, signed_time(watched), ref=train, **bins), "validation")]
    boosters = {
        depth: xgb.train(
            settings | {"max_depth": depth},
            train,
            num_boost_round=MOST_ROUNDS,
            evals=evals,
            early_stopping_rounds=LONG_PATIENCE,
            verbose_eval=False,
        )
        for depth in DEPTHS
    }
    depth, best = min(boosters.items(), key=lambda item: item[1].best_score)
    rounds = best.best_iteration + 1
    model = with_baseline(best[:rounds], train, kept)
    return replace(model, threads=task.threads, chosen={"depth": depth, "rounds": rounds})


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
    *(
        Peer("learning", name, partial(fit_causes, fit=partial(fit_held_out, **settings)), PACKAGES, title)
        for name, settings, title in (
            ("xgb_64", {"max_bin": 64}, "XGBoost Cox, 64 bins"),
            ("xgb_256", {"max_bin": 256}, "XGBoost Cox, 256 bins"),
            ("xgb_gpu", {"max_bin": 256, "device": "cuda"}, "XGBoost Cox, GPU"),
        )
    ),
    Peer("speed", "xgb_cox", fit_library_defaults, PACKAGES, "XGBoost Cox"),
)
