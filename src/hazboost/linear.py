"""The linear start: a penalised parametric regression before the first tree.

    log eta_j(x) = b_j + x' beta        for every head j, with one beta for each cause

Features are standardised, missing values put at the mean, categories made indicators. It makes the model at least a
good parametric regression on small or linear data; the trees add what is not linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse
from scipy.optimize import minimize

from hazboost.activations import PARAMETER_ACTIVATIONS
from hazboost.arrays import Array
from hazboost.features import Schema
from hazboost.likelihood import loss_and_gradient
from hazboost.mixture import Mixture
from hazboost.target import Target

#: Standardised features are cut here, so that no outlier carries a prediction away.
FARTHEST = 4.0
#: How a maximum is looked for.
SEARCH = {"maxiter": 100, "ftol": 1e-7}
#: How far a log-parameter may move from its value without features.
INTERCEPT_REACH = 4.0
#: A feature's coefficient times its farthest value stays inside the range of the log-scales.
MAX_SHIFT = 20.0


@dataclass(frozen=True)
class Design:
    """Turns encoded features into standardised columns.

    Attributes
    ----------
    n_categories : dict
        For each categorical column, by position, its number of categories.
    center, scale : array
        Mean and standard deviation of each column after categories became indicators.
    """

    n_categories: dict[int, int]
    center: Array
    scale: Array

    def __call__(self, X: Any) -> Array:
        """Standardised columns, of shape (n, columns)."""
        columns = _expand(X, self.n_categories)
        filled = np.where(np.isnan(columns), self.center, columns)
        return np.clip((filled - self.center) / self.scale, -FARTHEST, FARTHEST)


def learn_design(X: Any, schema: Schema, weight: Array) -> Design:
    """Learn means and standard deviations, with sample weights."""
    n_categories = {column: len(known) for column, known in schema.categories.items()}
    columns = _expand(X, n_categories)
    seen = ~np.isnan(columns)
    mass = np.maximum(weight @ seen, np.finfo(float).tiny)
    filled = np.where(seen, columns, 0.0)
    center = (weight @ filled) / mass
    spread = np.sqrt((weight @ (np.where(seen, columns, center) - center) ** 2) / mass)
    return Design(n_categories, center, np.where(spread > 1e-12 * np.abs(center), spread, np.inf))


def _expand(X: Any, n_categories: dict[int, int]) -> Array:
    """Replace each categorical column by one indicator for each category; NaN where it is missing."""
    dense = X.toarray() if scipy.sparse.issparse(X) else X
    if not n_categories:
        return np.asarray(dense, dtype=np.float64)
    parts = []
    for column in range(dense.shape[1]):
        values = dense[:, column : column + 1]
        if column in n_categories:
            values = np.where(np.isnan(values), np.nan, values == np.arange(n_categories[column]))
        parts.append(values)
    return np.concatenate(parts, axis=1)


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
    coefficient : array of shape (causes * columns,)
        Shift of every log-scale of a cause for one standard deviation of the column.
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
        return self.mixture.scores_of_logs(shifted(self.mixture, self.log_intercept, self.design(X), self.coefficient))


def shifted(mixture: Mixture, log_intercept: Array, columns: Array, coefficient: Array) -> Array:
    """Log-parameters of each row: those at the mean, with the log-scales of each cause shifted."""
    logs = log_intercept
    for scales, beta in zip(mixture.scales_by_cause, np.split(coefficient, mixture.n_causes), strict=True):
        logs = logs + np.outer(np.clip(columns @ beta, -MAX_SHIFT, MAX_SHIFT), scales)
    return logs


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
    total, n_scores = target.mass.sum(), mixture.n_scores
    share = target.weight / total
    reach = np.where(np.arange(n_scores) < mixture.first_weight_score, INTERCEPT_REACH, 0.0)  # weights stay
    bounds = [
        *zip(log_intercept - reach, log_intercept + reach, strict=True),
        *([(-MAX_SHIFT, MAX_SHIFT)] * (mixture.n_causes * columns.shape[1])),
    ]

    def penalised(point: Array, ridge: float) -> tuple[float, Array]:
        b, beta = point[:n_scores], point[n_scores:]
        loss, gradient = loss_and_gradient(logs, shifted(mixture, b, columns, beta), target)
        by_row = share[:, None] * gradient
        by_column = np.concatenate([(by_row @ scales) @ columns for scales in mixture.scales_by_cause])
        slope = np.concatenate([by_row.sum(axis=0), by_column + ridge / total * beta])
        return float(share @ loss + 0.5 * ridge / total * (beta @ beta)), slope

    point, path = np.concatenate([log_intercept, np.zeros(mixture.n_causes * columns.shape[1])]), []
    for ridge in ridges:
        point = minimize(penalised, point, args=(ridge,), jac=True, method="L-BFGS-B", bounds=bounds, options=SEARCH).x
        path.append(LinearStart(mixture, point[:n_scores], design, point[n_scores:]))
    return path
