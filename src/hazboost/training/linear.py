"""Fits of the linear start, `hazboost.prediction.regression`: a parametric regression with a ridge.

It makes the model at least a good parametric regression on small or linear data; the trees add what is not linear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from scipy.optimize import Bounds, minimize

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.condense import events_by_cause
from hazboost.data.design import Design, learn_design
from hazboost.data.design.products import DenseColumns, DesignMatrix
from hazboost.data.features import Schema
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.heads.base import GRADIENT
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.effects import Effect
from hazboost.prediction.regression import LinearStart
from hazboost.training.descent import QuasiNewton, differences
from hazboost.training.marginal import at_bound, before_entry, penalise
from hazboost.training.policy import Policy
from hazboost.utils.arrays import Array, Mask

#: The search for the maximum ends when a step gains less than this of the mean loss, if nothing else is asked for.
TOLERANCE = 1e-11
#: How far the log-share of a head with a bounded cumulative hazard may move from its fit without covariates.
SHARE_REACH = 3.0
#: Columns for each row from which on it is faster to reduce them first.
MANY_COLUMNS = 2
#: With more unknowns than this, a matrix of all their curvatures costs more than it saves.
MANY_UNKNOWNS = 400


def first_start(
    mixture: Mixture, logs: Array, sample: Sample, schema: Schema, policy: Policy, near: LinearStart | None = None
) -> LinearStart:
    """Where a search begins: at a fit ``near`` to other rows, if it has as many columns, or without effects.

    Without effects, all have the log-parameters and scores of weights ``logs``.
    """
    design = learn_design(sample.X, schema, sample.target.mass, policy.skewness, policy.farthest)
    if near is not None and len(near.coefficient) == len(design.features):
        return replace(near, design=design)
    return LinearStart.constant(mixture, logs, design, policy.largest_shift)


def fit_linear_path(
    first: LinearStart,
    X: Any,
    target: Target,
    ridges: Sequence[float | Array],
    policy: Policy,
    directions: Sequence[int] = (),
    tolerance: float = TOLERANCE,
) -> Iterator[LinearStart]:
    r"""Maximise the likelihood with a ridge penalty, for each of several strengths, one after the other.

    .. math:: \min_{b, \beta} \; \operatorname{mean}_i \ell_i(b, \beta) + \frac{1}{2 n} \sum_j \rho_j \beta_j^2
        + \frac{1}{n} (\log k - 2)_+^2

    Parameters
    ----------
    first : LinearStart
        Where to begin, with the kind of the effect.
    X : array or sparse matrix
        Encoded features.
    target : Target
        What was observed, in the mixture's unit of time.
    ridges : sequence of float or of arrays of shape (columns, causes)
        Strengths, of all coefficients or of each; best from strong to weak, as each fit begins where the one before
        ended.
    policy : Policy
        Bounds of the intercept and of the shift.
    directions : sequence of int
        For each feature 1 or -1 where the hazard of every cause may only rise or only fall with it, and 0 elsewhere;
        empty without constraints.
    tolerance : float
        A search ends when a step gains less than this of the mean loss.
    """
    mixture, design = first.mixture, first.design
    n_scores, n_causes = mixture.n_scores, mixture.n_causes
    columns, basis = design.columns(X), None
    if not any(directions) and all(np.ndim(ridge) == 0 for ridge in ridges):
        columns, basis = _in_row_space(columns)
    if basis is None:
        beta_bounds, beta = _coefficient_bounds(design, directions, policy.largest_shift), first.coefficient
    else:
        beta_bounds, beta = np.tile([-np.inf, np.inf], (basis.shape[1], 1)), basis.T @ first.coefficient
    intercept_bounds = _intercept_bounds(mixture, first.log_intercept, policy.intercept_reach)
    bounds = np.concatenate([intercept_bounds, np.repeat(beta_bounds, n_causes, axis=0)])
    observed = Observed.of(target, n_causes)
    loss = _PenalisedLoss(
        mixture.with_log_link,
        first.effect,
        columns,
        observed,
        target.mass,
        policy.largest_shift,
        before_entry(target, mixture),
    )
    few = partial(_with_few_unknowns, rates=events_by_cause(target, n_causes) / loss.subjects)
    minimise = few if len(bounds) <= MANY_UNKNOWNS else _with_many_unknowns
    # From strong to weak, each fit starts at the one before, which is close: the whole path costs little more than one.
    strengths = [np.ravel(ridge) for ridge in ridges]
    for point in minimise(loss, np.concatenate([first.log_intercept, beta.ravel()]), bounds, strengths, tolerance):
        logs, beta = point[:n_scores], point[n_scores:].reshape(-1, n_causes)
        coefficient, reached = beta if basis is None else basis @ beta, at_bound(logs, intercept_bounds)
        yield replace(first, log_intercept=logs, coefficient=coefficient, at_bound=reached)


def _with_few_unknowns(
    loss: _PenalisedLoss, point: Array, bounds: Array, ridges: Sequence[Array], tolerance: float, rates: Array
) -> Iterator[Array]:
    """The fits of a path, by a search that keeps what it has learned of the curvature."""
    search = QuasiNewton(bounds, loss.curvature(point, rates, bounds[:, 0] < bounds[:, 1]), tolerance)
    diagonal, before = np.arange(loss.mixture.n_scores, len(point)), np.zeros(1)
    for ridge in ridges:
        search.hessian[diagonal, diagonal] += (ridge - before) / loss.subjects
        before = ridge
        point = search.minimise(partial(loss, ridge=ridge), point)
        yield point


def _with_many_unknowns(
    loss: _PenalisedLoss, point: Array, bounds: Array, ridges: Sequence[Array], tolerance: float
) -> Iterator[Array]:
    """The fits of a path, without a matrix."""
    search = {"jac": True, "method": "L-BFGS-B", "bounds": Bounds(*bounds.T)}
    for ridge in ridges:
        point = minimize(loss, point, args=(ridge,), **search, options={"maxiter": 100, "ftol": tolerance}).x
        yield point


def _in_row_space(columns: DesignMatrix) -> tuple[DesignMatrix, Array | None]:
    r"""Many more columns than rows: coordinates of the rows in an orthonormal basis, and the basis; None elsewhere.

    Coefficients that are orthogonal to all rows change no prediction, so the ridge makes them zero. The others are
    :math:`\beta = Q \gamma` with :math:`|\beta| = |\gamma|`: the same penalised fit, with as few unknowns as rows. No
    bounds are needed there: among many columns no single coefficient comes near to them.
    """
    n, width = columns.shape
    if not isinstance(columns, DenseColumns) or width <= MANY_COLUMNS * n:
        return columns, None
    basis, coordinates = np.linalg.qr(columns.values.T)
    return DenseColumns(coordinates.T), basis


def _coefficient_bounds(design: Design, directions: Sequence[int], largest: float) -> Array:
    """Bounds of the coefficients of each column, of shape (columns, 2).

    Power transforms, standardisation and clipping are increasing, so the sign of a coefficient is the direction.
    """
    bounds = np.tile([-largest, largest], (len(design.features), 1))
    if any(directions):
        direction = np.asarray(directions)[design.features]
        bounds[direction > 0, 0] = 0.0
        bounds[direction < 0, 1] = 0.0
    return bounds


@dataclass(frozen=True)
class _PenalisedLoss:
    """The penalised loss of intercept and coefficients, laid out one after the other, with its gradient."""

    mixture: Mixture
    effect: Effect
    columns: DesignMatrix
    observed: Observed
    mass: Array
    largest_shift: float
    unseen: Observed | None = None

    @cached_property
    def subjects(self) -> float:
        """Weighted number of subjects."""
        return float(self.mass.sum())

    def __call__(self, point: Array, ridge: float | Array) -> tuple[float, Array]:
        b, beta = np.split(point, [self.mixture.n_scores])
        weight = self.observed.weight
        loading = self.effect.loading(b)
        raw = self.columns @ beta.reshape(-1, self.mixture.n_causes)
        shift = np.clip(raw, -self.largest_shift, self.largest_shift)
        loss = row_loss(self.mixture, b[:, None] + loading.T @ shift.T, self.observed, GRADIENT)
        gradient = loss.gradient if weight is None else loss.gradient * weight
        # Where the shift is cut it no longer moves with the coefficients.
        by_shift = np.where(shift == raw, (loading @ gradient).T, 0.0)
        # The ridge is divided by the number of subjects, as the loss is, so that its strength counts subjects.
        pull = ridge * beta
        beta_slope = self.columns.transposed_product(by_shift).ravel() + pull
        # Of the time before the first entry, for the subject at the mean of the features.
        penalty, b_slope = penalise(self.mixture, b, self.unseen)
        b_slope += gradient.sum(axis=1) + self.effect.slope(loading, gradient, shift)
        slope = np.concatenate([b_slope, beta_slope]) / self.subjects
        return (self.observed.total(loss.value) + penalty + 0.5 * float(pull @ beta)) / self.subjects, slope

    def curvature(self, point: Array, rates: Array, free: Mask) -> Array:
        r"""Second derivatives without ridge, as far as they are cheap.

        Exact for the ``free`` part of the intercept. For the coefficients of a cause they are those of proportional
        hazards whose cumulative hazards have the mean of the events: :math:`r_c Z'Z / n` with ``rates`` :math:`r_c`.
        """
        first, n_causes = self.mixture.n_scores, self.mixture.n_causes
        width = self.columns.shape[1]
        columns = self.columns @ np.eye(width)
        gram = self.columns.transposed_product(self.mass[:, None] * columns) / self.subjects
        hessian = np.zeros((len(point), len(point)))
        for cause, rate in enumerate(rates):
            hessian[first + cause :: n_causes, first + cause :: n_causes] = rate * gram
        moving = np.flatnonzero(free[:first])
        edge = differences(partial(self, ridge=0.0), point, self(point, 0.0)[1], moving)
        hessian[:, moving], hessian[moving] = edge, edge.T
        hessian[np.ix_(moving, moving)] = 0.5 * (edge[moving] + edge[moving].T)
        return hessian


def _intercept_bounds(mixture: Mixture, log_intercept: Array, reach: float) -> Array:
    """Log-parameters may move around their fit without covariates, shapes within their bounds; most weights stay.

    Of shape (scores, 2).
    """
    # Weights keep their marginal values: scales and weights are nearly exchangeable and would drift together. Not so
    # for a head with a bounded cumulative hazard, whose weight alone says how many events it brings.
    reaches = np.where(np.arange(mixture.n_scores) < mixture.first_weight_score, reach, 0.0)
    if mixture.weight_activation.has_level:
        for block in mixture.blocks:
            reaches[mixture.shares(block)] = SHARE_REACH if block.head.cumulative_limit < np.inf else 0.0
    bounds = np.column_stack([log_intercept - reaches, log_intercept + reaches])
    for block in mixture.blocks:
        for p, parameter in enumerate(block.head.parameters):
            if parameter.role == "shape":
                bounds[block.scores(p)] = np.clip(bounds[block.scores(p)], *parameter.log_bounds)
    return bounds
