"""The linear start: a penalised parametric regression before the first tree.

    log hazard of cause c = b_c(t) + x' beta_c

It makes the model at least a good parametric regression on small or linear data; the trees add what is not linear. With
weights that have no level, the linear predictor shifts the log-scales of all heads of the cause instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize

from hazboost.boosting.likelihood import loss_and_gradient
from hazboost.data.design import Design, learn_design
from hazboost.data.features import Schema
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS
from hazboost.hazards.mixture import Mixture
from hazboost.training.starts import LOG_SHAPES
from hazboost.utils.arrays import Array

#: How a maximum is looked for.
SEARCH = {"maxiter": 100, "ftol": 1e-7}
#: How far a log-parameter may move from its value without features.
INTERCEPT_REACH = 4.0
#: A feature's coefficient times its farthest value stays inside the range of the log-scales.
MAX_SHIFT = 20.0


@dataclass(frozen=True)
class LinearStart:
    """Scores that depend linearly on the features.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    log_intercept : array of shape (scores,)
        Log-parameters and scores of weights at the mean of the features.
    design : Design
        How features become columns.
    coefficient : array of shape (columns, causes)
        Shift of the log-hazard of each cause for one standard deviation of the column.
    """

    mixture: Mixture
    log_intercept: Array
    design: Design
    coefficient: Array

    @property
    def intercept(self) -> Array:
        """Raw scores at the mean of the features."""
        return self.mixture.scores_of_logs(self.log_intercept)

    def margin(self, X: Any) -> Array:
        """Raw scores of each row, of shape (n, scores)."""
        shift = _shift(self.design(X), self.coefficient) @ self.mixture.scales
        return self.mixture.scores_of_logs(self.log_intercept + shift)

    def without_features(self) -> LinearStart:
        """The same for everybody: the subject at the mean of the features."""
        return replace(self, coefficient=np.zeros_like(self.coefficient))


def _shift(columns: Array, coefficient: Array) -> Array:
    """Shift of the log-hazard of each row and cause."""
    return np.clip(columns @ coefficient, -MAX_SHIFT, MAX_SHIFT)


def _intercept_bounds(mixture: Mixture, log_intercept: Array) -> list[tuple[float, float]]:
    """Log-parameters may move around their values without features, shapes inside their range; weights stay."""
    reach = np.where(np.arange(mixture.n_scores) < mixture.first_weight_score, INTERCEPT_REACH, 0.0)
    bounds = np.column_stack([log_intercept - reach, log_intercept + reach])
    for block in mixture.blocks:
        if "k" in block.head.parameters:
            shapes = block.scores(block.head.parameters.index("k"))
            bounds[shapes] = np.clip(bounds[shapes], *LOG_SHAPES)
    return [(low, high) for low, high in bounds]


def fit_linear_path(
    mixture: Mixture, schema: Schema, X: Any, target: Target, log_intercept: Array, ridges: Sequence[float]
) -> list[LinearStart]:
    r"""Maximise the likelihood with a ridge penalty, for each of several strengths.

    .. math:: \min_{b, \beta} \; \operatorname{mean}_i \ell_i(b, \beta) + \frac{\rho}{2 n} |\beta|^2

    Parameters
    ----------
    mixture : Mixture
        The heads.
    schema : Schema
        Which features are categories.
    X : array or sparse matrix
        Encoded features.
    target : Target
        What was observed, in the mixture's unit of time.
    log_intercept : array of shape (scores,)
        Where to begin: the fit without features, as log-parameters.
    ridges : sequence of float
        Strengths; best from strong to weak, as each fit begins where the one before ended.
    """
    design = learn_design(X, schema, target.mass)
    columns = design(X)
    logs = replace(mixture, parameter_activation=PARAMETER_ACTIVATIONS["exp"])
    total, scales, n_scores = target.mass.sum(), mixture.scales.astype(np.float64), mixture.n_scores
    share = target.weight / total
    shape = (columns.shape[1], mixture.n_causes)
    bounds = [*_intercept_bounds(mixture, log_intercept), *([(-MAX_SHIFT, MAX_SHIFT)] * (shape[0] * shape[1]))]

    def penalised(point: Array, ridge: float) -> tuple[float, Array]:
        b, beta = point[:n_scores], point[n_scores:]
        loss, gradient = loss_and_gradient(logs, b + _shift(columns, beta.reshape(shape)) @ scales, target)
        by_row = share[:, None] * gradient
        beta_slope = (columns.T @ (by_row @ scales.T)).ravel() + ridge / total * beta
        slope = np.concatenate([by_row.sum(axis=0), beta_slope])
        return float(share @ loss + 0.5 * ridge / total * (beta @ beta)), slope

    point, path = np.concatenate([log_intercept, np.zeros(shape[0] * shape[1])]), []
    for ridge in ridges:
        point = minimize(penalised, point, args=(ridge,), jac=True, method="L-BFGS-B", bounds=bounds, options=SEARCH).x
        path.append(LinearStart(mixture, point[:n_scores], design, point[n_scores:].reshape(shape)))
    return path
