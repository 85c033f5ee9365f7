"""Algorithm 1 of the paper: gradient boosting of the parameters of a mixture of hazards.

The loop over rounds and the growing of trees are XGBoost's; what makes it FPBoost is the `Objective`. With unit
hessians and no penalty on the leaves, a leaf of XGBoost holds the mean of the pseudo-residuals in it: the regression
tree of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import xgboost as xgb

from hazboost.boosting.likelihood import RowLoss, elastic_net, row_loss
from hazboost.data.target import Target
from hazboost.engines.local import (
    MIN_OUTPUTS,
    grow_trees,
    predict_scores,
    with_idle_outputs,
    without_idle_outputs,
)
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import Mixture
from hazboost.metrics.concordance import harrell
from hazboost.utils.arrays import Array

#: Rows evaluated at a time: few enough for their numbers to stay in the processor's cache.
BLOCK = 16_384
#: Pseudo-residuals are cut here, far outside any useful step, to stay inside single precision.
MAX_GRADIENT = 1e15


#: From the heads, the loss of the rows and their portions of their subjects to gradient and hessian.
Step = Callable[[Mixture, RowLoss, Array], tuple[Array, Array]]
#: From scores of the validation data to their mean loss.
ValidationLoss = Callable[[Array], float]


def subject_step(mixture: Mixture, loss: RowLoss, portion: Array) -> tuple[Array, Array]:
    """First order: the gradient of each subject's own loss.

    It is the paper's text, with the learning rate multiplied by the number of subjects. The hessian counts subjects,
    however many rows each of them has.
    """
    return loss.gradient, np.repeat(portion[:, None], loss.gradient.shape[1], axis=1)


def scaled_step(mixture: Mixture, loss: RowLoss, portion: Array) -> tuple[Array, Array]:
    """First order: all gradients divided by the largest, as the authors' code does.

    The largest is that of a row: cutting a subject in several rows may make it smaller, and the step longer.
    """
    largest = np.abs(loss.gradient).max()
    gradient, hessian = subject_step(mixture, loss, portion)
    return gradient / (largest if largest > 0.0 else 1.0), hessian


def newton_step(mixture: Mixture, loss: RowLoss, portion: Array) -> tuple[Array, Array]:
    """Second order: the gradient, and a curvature that is nowhere smaller.

    A leaf, ``-sum(gradient) / (sum(hessian) + reg_lambda)``, then lies in [-1, 1] whatever the data. All scores but
    those that scale the hazard are given more curvature, and so move less: they are what a likelihood overfits first.
    """
    caution = np.where(mixture.scales.any(axis=0), 1.0, CAUTION)
    return loss.gradient, loss.curvature * caution


#: How much slower second-order boosting moves shapes and shares than what scales the hazard.
CAUTION = 16.0

STEPS: dict[str, Step] = {"subject": subject_step, "max": scaled_step, "newton": newton_step}


@dataclass
class Objective:
    """One round of Algorithm 1, up to the growing of the trees.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    alpha, l1_ratio : float
        Strength and mixing of the elastic net.
    step : callable
        Turns the loss of the rows into gradient and hessian for the trees; see `STEPS`.
    n_threads : int
        Threads that share the rows.
    losses : list of float
        Mean loss before each round.
    """

    mixture: Mixture
    alpha: float
    l1_ratio: float
    step: Step
    n_threads: int = 1
    losses: list[float] = field(default_factory=list)

    def __call__(self, scores: npt.NDArray[Any], matrix: xgb.DMatrix) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """From the scores of this round to what its trees are fitted to."""
        target = read_target(matrix)
        loss = self.evaluate(without_idle_outputs(scores, self.mixture.n_scores), target)  # lines 3 to 13
        self.losses.append(target.mean(loss.value))
        gradient, hessian = self.step(self.mixture, loss, target.portion)
        weight = target.weight[:, None]
        gradient = np.clip(gradient, -MAX_GRADIENT, MAX_GRADIENT)
        return with_idle_outputs(gradient * weight), with_idle_outputs(hessian * weight)  # lines 14 and 15: XGBoost

    def mean_loss(self, scores: Array, target: Target) -> float:
        """Penalised loss, averaged over the subjects."""
        return target.mean(self.evaluate(scores, target).value)

    def limited_loss(self, start: Array, target: Target, limit: float) -> ValidationLoss:
        """The same for other scores of these rows, no subject further than ``limit`` from its loss at the start."""
        at_start = self.evaluate(start, target).value
        return lambda scores: target.limited_mean(self.evaluate(scores, target).value, at_start, limit)

    def evaluate(self, scores: Array, target: Target) -> RowLoss:
        """Penalised loss of each row, with gradient and curvature in the row's scores, block by block."""

        def evaluate_block(rows: slice) -> RowLoss:
            penalty = elastic_net(scores[rows], self.alpha, self.l1_ratio)
            portion = target.portion[rows]  # a subject pays its penalty once
            parts = penalty.value * portion, penalty.gradient * portion[:, None], penalty.curvature * portion[:, None]
            return RowLoss(*map(np.add, row_loss(self.mixture, scores[rows], target[rows]), parts))

        if len(scores) <= BLOCK:
            return evaluate_block(slice(None))
        blocks = [slice(first, first + BLOCK) for first in range(0, len(scores), BLOCK)]
        with ThreadPoolExecutor(self.n_threads) as pool:
            parts = pool.map(evaluate_block, blocks)
            return RowLoss(*map(np.concatenate, zip(*parts, strict=True)))


@dataclass(frozen=True)
class ValidationMetric:
    """Mean loss, and where asked for the concordance of risks until ``horizon``, on data new to the trees."""

    objective: Objective
    loss: ValidationLoss
    with_concordance: bool
    horizon: float

    def __call__(self, scores: npt.NDArray[Any], matrix: xgb.DMatrix) -> list[tuple[str, float]]:
        """Evaluate raw scores."""
        scores = without_idle_outputs(scores, self.objective.mixture.n_scores)
        values = [("loss", self.loss(scores))]
        if self.with_concordance:
            risk = -Distribution(self.objective.mixture, scores).restricted_mean(self.horizon)
            values.append(("concordance", harrell(read_target(matrix), risk)))
        return values


def boost(
    objective: Objective,
    start: Array,
    train: xgb.DMatrix,
    rounds: int,
    settings: Mapping[str, Any],
    *,
    validation: xgb.DMatrix | None = None,
    validation_loss: ValidationLoss | None = None,
    stopping_metric: str = "loss",
    horizon: float = 1.0,
    patience: int | None = None,
    progress: xgb.callback.TrainingCallback | None = None,
) -> tuple[xgb.Booster, dict[str, list[float]]]:
    """Run Algorithm 1.

    Parameters
    ----------
    objective : Objective
        Turns scores into pseudo-residuals, lines 3 to 14.
    start : array of shape (scores,)
        Where the scores start, line 1. Where it depends on the features, the data carry it as their base margin.
    train, validation : DMatrix
        Data with the fields of `target_fields`.
    rounds : int
        Number of rounds.
    settings : mapping
        XGBoost's tree parameters.
    validation_loss : callable, optional
        From scores of the validation data to their loss; that of the objective if not given.
    stopping_metric : {"loss", "concordance"}
        What is watched on the validation data.
    horizon : float
        Time until which the concordance compares risks, in units of the longest follow-up.
    patience : int, optional
        Rounds without improvement after which to stop; the booster then knows its ``best_iteration``.
    progress : TrainingCallback, optional
        Draws a progress bar.

    Returns
    -------
    booster : xgboost.Booster
        One tree for each score and round.
    history : dict
        Training loss, and metrics on the validation data; the first entry of each is the start.
    """
    maximize = stopping_metric == "concordance"
    start = with_idle_outputs(start)
    metric = None
    if validation is not None:
        loss = validation_loss or partial(objective.mean_loss, target=read_target(validation))
        metric = ValidationMetric(objective, loss, maximize, horizon)
    callbacks = [] if progress is None else [progress]
    if patience is not None:
        callbacks.append(
            xgb.callback.EarlyStopping(
                rounds=patience, metric_name=stopping_metric, data_name="validation", maximize=maximize
            )
        )
    booster, record = grow_trees(
        {**settings, "num_target": len(start), "base_score": start.tolist(), "disable_default_eval_metric": 1},
        train,
        rounds,
        objective,
        validation=validation,
        metric=metric,
        callbacks=callbacks,
    )
    last_scores = without_idle_outputs(predict_scores(booster, train), objective.mixture.n_scores)
    last_loss = objective.mean_loss(last_scores, read_target(train))
    history = {"train_loss": [*objective.losses, last_loss]}
    if validation is not None and metric is not None:
        margin = validation.get_base_margin()
        at_start = margin.reshape(-1, len(start)) if margin.size else np.tile(start, (validation.num_row(), 1))
        for name, value in metric(at_start, validation):
            history[f"validation_{name}"] = [value, *record.get(name, [])]  # without a round there is no record
    return booster, history


def target_fields(target: Target, n_scores: int = MIN_OUTPUTS, margin: Array | None = None) -> dict[str, Array]:
    """The target as fields of XGBoost's data, so that an objective needs nothing else wherever it runs.

    XGBoost has two bounds, a weight and a label for each row. The upper bound of an event is known to be the lower one,
    and says its cause instead, as a negative number. The weight, with which XGBoost also counts rows when it bins
    features, is that of the row as a part of its subject. Entry and portion, where any differ from 0 and 1, are the
    first columns of a label, which must have one column for each output. Everything is in single precision, in which
    an interval must not become a point.

    Parameters
    ----------
    target : Target
        What was observed.
    n_scores : int
        Number of scores.
    margin : array of shape (n, scores), optional
        Where the scores of each row start.
    """
    lower = target.lower.astype(np.float32)
    upper = np.where(target.interval, np.maximum(target.upper, np.nextafter(lower, np.float32(np.inf))), target.upper)
    fields = {"label_lower_bound": target.lower, "label_upper_bound": np.where(target.event, -target.cause, upper)}
    if not (target.mass == 1.0).all():
        fields["weight"] = target.mass
    if target.entry.any() or not (target.portion == 1.0).all():
        label = np.column_stack([target.entry, target.portion])
        fields["label"] = np.pad(label, ((0, 0), (0, max(n_scores - MIN_OUTPUTS, 0))))
    return fields if margin is None else {**fields, "base_margin": with_idle_outputs(margin)}


def read_target(matrix: xgb.DMatrix) -> Target:
    """The inverse of `target_fields`, up to single precision; but every row is a subject of its own."""
    lower, upper = (matrix.get_float_info(f"label_{side}_bound").astype(np.float64) for side in ("lower", "upper"))
    n, label = len(lower), matrix.get_label().astype(np.float64)
    # XGBoost 3.1 returns a label of several columns as one long one.
    entry, portion = label.reshape(n, -1)[:, :2].T if label.size else (np.zeros(n), np.ones(n))
    mass = matrix.get_weight().astype(np.float64)
    event = upper < 0.0
    return Target(
        lower,
        np.where(event, lower, upper),
        (mass if len(mass) else np.ones(n)) / portion,
        entry,
        np.where(event, -upper, 0.0).astype(np.intp),
        np.arange(n),
        portion,
    )
