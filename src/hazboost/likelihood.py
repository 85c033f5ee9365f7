r"""The survival likelihood and its gradient, analytic.

Row by row, with :math:`\delta = 1` where the event was seen,

.. math::

    \ell = H(t) - \delta \log h(t), \qquad
    \frac{\partial \ell}{\partial \log\theta_j}
        = w_j \frac{\partial H_j}{\partial \log\theta_j} - r_j \frac{\partial \log h_j}{\partial \log\theta_j},
    \qquad
    \frac{\partial \ell}{\partial w_j} = H_j - \delta \frac{\partial \log h}{\partial w_j},

where :math:`r_j = \delta \, w_j h_j(t) / h(t)` is the responsibility of head j for the event.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hazboost.arrays import Array
from hazboost.clipping import clip_cumulatives
from hazboost.heads.base import MAX_EXPONENT
from hazboost.mixture import Mixture, Parameters, cumulatives, log_hazards, log_time, sum_hazards
from hazboost.target import Target


class RowLoss(NamedTuple):
    """Negative log-likelihood of each row, unweighted.

    Attributes
    ----------
    value : array of shape (n,)
    gradient : array of shape (n, scores)
        In the row's scores.
    curvature : array of shape (n, scores)
        Positive and diagonal; see `row_loss`.
    """

    value: Array
    gradient: Array
    curvature: Array


def row_loss(mixture: Mixture, scores: Array, target: Target) -> RowLoss:
    r"""Evaluate the loss of each row, its gradient and its curvature.

    The curvature is that of the loss with the log of the sum replaced by its EM bound at the current scores,

    .. math:: -\log h \le -\sum_j r_j \log(w_j h_j) + \text{const},

    which touches it and has the same gradient; it is diagonal over heads, and convex in log-parameters. Between
    the parameters of one head the cross terms are left out. It needs weights that are not negative.

    Parameters
    ----------
    mixture : Mixture
        The heads.
    scores : array of shape (n, scores)
        Raw scores of the rows.
    target : Target
        What was observed, in the mixture's unit of time.
    """
    parameters = mixture.parameters(scores)
    log_t = log_time(target.lower)[:, None]
    evaluations = mixture.evaluate(parameters, log_t)
    if mixture.weight_activation.signed:
        evaluations = clip_cumulatives(mixture, parameters, log_t, evaluations)
    cumulative = np.where(parameters.alive, cumulatives(evaluations), 0.0)
    mass = parameters.weight * cumulative
    log_hazard = log_hazard_and_slopes(parameters, log_hazards(evaluations), mixture.background)
    event = target.event[:, None]
    responsibility = event * log_hazard.responsibility

    gradient, curvature = np.empty_like(scores), np.empty_like(scores)
    for block, activated, at in zip(mixture.blocks, parameters.activated, evaluations, strict=True):
        weight, r = parameters.weight[:, block.heads], responsibility[:, block.heads]
        for p, one in enumerate(activated):
            slope = weight * at.cumulative_slopes[p] - r * at.log_hazard_slopes[p]
            bend = weight * at.cumulative_bends[p] + r * at.log_hazard_bends[p]
            gradient[:, block.scores(p)] = slope * one.slope
            curvature[:, block.scores(p)] = bend * np.square(one.slope)
    weight_slope = cumulative - event * log_hazard.weight_slope
    gradient[:, mixture.first_weight_score :] = parameters.pull_back(weight_slope)
    curvature[:, mixture.first_weight_score :] = parameters.bend_back(mass)

    under_observation = target.lower > 0.0  # who was never watched, H(0) = 0, tells nothing
    gradient *= under_observation[:, None]
    dead = ~parameters.weight.any(axis=-1)
    loss = mass.sum(axis=-1) - np.where(target.event, log_hazard.value, 0.0)
    dead_loss = mixture.background * target.lower - target.event * np.log(mixture.background)
    loss = np.where(under_observation, np.where(dead, dead_loss, loss), 0.0)
    return RowLoss(loss, gradient, curvature * under_observation[:, None])


def loss_and_gradient(mixture: Mixture, scores: Array, target: Target) -> tuple[Array, Array]:
    """Loss of each row, of shape (n,), and its gradient in the row's scores, of shape (n, scores)."""
    loss = row_loss(mixture, scores, target)
    return loss.value, loss.gradient


class LogHazard(NamedTuple):
    """``log h(t)`` of each row, with slopes in its heads.

    Attributes
    ----------
    value : array of shape (n,)
        ``log h(t)``; with negative weights continued below the floor.
    responsibility : array of shape (n, heads)
        ``d log h / d log h_j``; ``w_j h_j / h`` without negative weights.
    weight_slope : array of shape (n, heads)
        ``d log h / d w_j``; ``h_j / h`` without negative weights.
    """

    value: Array
    responsibility: Array
    weight_slope: Array


def log_hazard_and_slopes(parameters: Parameters, log_hazard: Array, floor: float) -> LogHazard:
    r"""Logarithm of the summed hazard, defined for negative weights too.

    .. math:: \lambda(h) = \log h \text{ down to the floor } f, \text{ then its tangent there, } \log f + h / f - 1 .

    Without negative weights nothing is continued, however small the hazard. With them, an event at a time where the
    hazard is clipped to zero costs a finite loss that still points the way out. A row without living head has no slope.
    """
    total = sum_hazards(parameters.weight, log_hazard)
    some = np.isfinite(total.log_total)
    log_total = np.where(some, total.log_total, 0.0)
    positive = total.balance > 0.0
    log_h = np.where(positive, log_total + np.log(np.where(positive, total.balance, 1.0)), -np.inf)
    log_floor = np.where((parameters.weight < 0.0).any(axis=-1), np.log(floor), -np.inf)
    log_divisor = np.where(some, np.maximum(log_h, log_floor), 0.0)  # the slope of lambda is one over this
    short = np.where(some & (log_h < log_floor), total.balance * _bounded_exp(log_total - log_divisor) - 1.0, 0.0)
    responsibility = total.share * _bounded_exp(log_total - log_divisor)[:, None]
    weight_slope = _bounded_exp(log_hazard - log_divisor[:, None])
    live = parameters.alive & some[:, None]
    return LogHazard(log_divisor + short, responsibility, np.where(live, weight_slope, 0.0))


def _bounded_exp(exponent: Array) -> Array:
    return np.exp(np.minimum(exponent, MAX_EXPONENT))


def elastic_net(scores: Array, alpha: float, l1_ratio: float) -> RowLoss:
    r"""Penalty of each row, with gradient and curvature in the row's scores.

    .. math:: \alpha \cdot \operatorname{mean}_{c} \left( \gamma |F_c| + (1 - \gamma) F_c^2 \right)

    Its mean over the rows is the penalty of the authors' code, a mean over all raw scores. (The paper writes the
    norms of :math:`\Theta`, without saying how they scale with the number of subjects and heads.)
    """
    share = alpha / scores.shape[1]
    penalty = alpha * (l1_ratio * np.abs(scores) + (1.0 - l1_ratio) * scores**2).mean(axis=1)
    gradient = share * (l1_ratio * np.sign(scores) + 2.0 * (1.0 - l1_ratio) * scores)
    return RowLoss(penalty, gradient, np.full_like(scores, 2.0 * share * (1.0 - l1_ratio)))
