"""Algorithm 1 of the paper: gradient boosting of the parameters of a mixture of hazards.

The loop over rounds and the growing of trees are XGBoost's; what makes it FPBoost is the `Objective`. With unit
hessians and no penalty on the leaves, a leaf of XGBoost holds the mean of the pseudo-residuals in it: the regression
tree of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import xgboost as xgb

from hazboost.arrays import Array
from hazboost.distribution import Distribution
from hazboost.engines.local import grow_trees, predict_scores
from hazboost.likelihood import RowLoss, elastic_net, row_loss
from hazboost.metrics import concordance_index
from hazboost.mixture import Mixture
from hazboost.target import Target

#: Rows evaluated at a time: few enough for their numbers to stay in the processor's cache.
BLOCK = 16_384
#: Pseudo-residuals are cut here, far outside any useful step, to stay inside single precision.
MAX_GRADIENT = 1e15


Step = Callable[[Mixture, RowLoss], tuple[Array, Array]]


def subject_step(mixture: Mixture, loss: RowLoss) -> tuple[Array, Array]:
    """First order: the gradient of each subject's own loss.

    It is the paper's text, with the learning rate multiplied by the number of subjects.
    """
    return loss.gradient, np.ones_like(loss.gradient)


def scaled_step(mixture: Mixture, loss: RowLoss) -> tuple[Array, Array]:
    """First order: all gradients divided by the largest, as the authors' code does."""
    largest = np.abs(loss.gradient).max()
    return loss.gradient / (largest if largest > 0.0 else 1.0), np.ones_like(loss.gradient)


def newton_step(mixture: Mixture, loss: RowLoss) -> tuple[Array, Array]:
    """Second order: the gradient, and a curvature that is nowhere smaller.

    A leaf, ``-sum(gradient) / (sum(hessian) + reg_lambda)``, then lies in [-1, 1] whatever the data. Shapes and weights
    are given more curvature than scales, and so move less: they are what a likelihood overfits first.
    """
    caution = np.where(mixture.scale_scores > 0.0, 1.0, CAUTION)
    return loss.gradient, np.maximum(loss.curvature, np.abs(loss.gradient)) * caution


#: How much slower second-order boosting moves shapes and weights than scales.
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
        loss = self.evaluate(scores.astype(np.float64), target)  # lines 3 to 13
        self.losses.append(float(np.average(loss.value, weights=target.weight)))
        gradient, hessian = self.step(self.mixture, loss)
        weight = target.weight[:, None]
        return np.clip(gradient, -MAX_GRADIENT, MAX_GRADIENT) * weight, hessian * weight  # lines 14 and 15: XGBoost

    def mean_loss(self, scores: Array, target: Target) -> float:
        """Penalised loss, averaged over the rows."""
        return float(np.average(self.evaluate(scores, target).value, weights=target.weight))

    def evaluate(self, scores: Array, target: Target) -> RowLoss:
        """Penalised loss of each row, with gradient and curvature in the row's scores, block by block."""

        def evaluate_block(rows: slice) -> RowLoss:
            penalty = elastic_net(scores[rows], self.alpha, self.l1_ratio)
            return RowLoss(*map(np.add, row_loss(self.mixture, scores[rows], target[rows]), penalty))

        if len(scores) <= BLOCK:
            return evaluate_block(slice(None))
        blocks = [slice(first, first + BLOCK) for first in range(0, len(scores), BLOCK)]
        with ThreadPoolExecutor(self.n_threads) as pool:
            parts = pool.map(evaluate_block, blocks)
            return RowLoss(*map(np.concatenate, zip(*parts, strict=True)))


@dataclass(frozen=True)
class ValidationMetric:
    """Mean loss, and the concordance where asked for, on data that the trees have not seen."""

    objective: Objective
    with_concordance: bool

    def __call__(self, scores: npt.NDArray[Any], matrix: xgb.DMatrix) -> list[tuple[str, float]]:
        """Evaluate raw scores."""
        scores, target = scores.astype(np.float64), read_target(matrix)
        values = [("loss", self.objective.mean_loss(scores, target))]
        if self.with_concordance:
            risk = -Distribution(self.objective.mixture, scores).restricted_mean(1.0)
            values.append(("concordance", concordance_index(target.event, target.lower, risk)))
        return values


def boost(
    objective: Objective,
    start: Array,
    train: xgb.DMatrix,
    rounds: int,
    settings: Mapping[str, Any],
    *,
    validation: xgb.DMatrix | None = None,
    stopping_metric: str = "loss",
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
    stopping_metric : {"loss", "concordance"}
        What is watched on the validation data.
    patience : int, optional
        Rounds without improvement after which to stop; the best round is then kept.
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
    metric = ValidationMetric(objective, with_concordance=maximize)
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
    last_loss = objective.mean_loss(predict_scores(booster, train), read_target(train))
    history = {"train_loss": [*objective.losses, last_loss]}
    if validation is not None:
        margin = validation.get_base_margin()
        at_start = margin.reshape(-1, len(start)) if margin.size else np.tile(start, (validation.num_row(), 1))
        for name, value in metric(at_start, validation):
            history[f"validation_{name}"] = [value, *record[name]]
    return (booster if patience is None else booster[: booster.best_iteration + 1]), history


def target_fields(target: Target) -> dict[str, Array]:
    """The target as fields of XGBoost's data, so that an objective needs nothing else wherever it runs."""
    fields = {"label_lower_bound": target.lower, "label_upper_bound": target.upper}
    return fields if (target.weight == 1.0).all() else {**fields, "weight": target.weight}


def read_target(matrix: xgb.DMatrix) -> Target:
    """The inverse of `target_fields`, up to single precision."""
    lower, upper = (matrix.get_float_info(f"label_{side}_bound").astype(np.float64) for side in ("lower", "upper"))
    weight = matrix.get_weight().astype(np.float64)
    return Target(lower, upper, weight if len(weight) else np.ones(len(lower)))
