"""Cox's proportional hazards without a penalty, by Newton's method, for millions of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.causes import fit_causes
from benchmarks.peers.shared.curves import breslow
from hazboost.data.nonparametric import evaluate_steps
from hazboost.utils.arrays import Array, Mask

MOST_STEPS = 30
#: Newton's method ends when it expects to gain less than this in log-likelihood.
TOLERANCE = 1e-6
#: No log-risk changes by more than about this in one step: far from the solution, Newton's are too long.
LONGEST = 2.0


@dataclass(frozen=True)
class NewtonCox:
    """Coefficients, and steps of the cumulative baseline hazard."""

    coefficients: Array
    steps: Array
    hazard: Array

    def risk(self, X: Array) -> Array:
        """The log-risk."""
        return np.asarray(X @ self.coefficients)

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        hazard = evaluate_steps((self.steps, self.hazard), times, start=0.0)
        return np.asarray(np.exp(-hazard * np.exp(self.risk(X))[:, None]))


def fit(task: Task) -> NewtonCox:
    """Maximise the partial likelihood, with Breslow's handling of ties."""
    train = task.train
    coefficients = maximise(train.X, train.event, train.time)
    return NewtonCox(coefficients, *breslow(train.X @ coefficients, train.event, train.time))


def maximise(X: Array, event: Mask, time: Array) -> Array:
    """Coefficients with the largest partial likelihood."""
    order = np.argsort(-time)
    X, event, time = X[order] - X.mean(axis=0), event[order], time[order]
    # Rows run from the last time to the first, so that those at risk at a time are all rows up to the last with it.
    last = np.searchsorted(-time, -time[event], side="right") - 1
    coefficients = np.zeros(X.shape[1])
    for _ in range(MOST_STEPS):
        gradient, information = derivatives(X, event, last, X @ coefficients)
        step = np.linalg.solve(information, gradient)
        length = math.sqrt(step @ (X.T @ (X @ step)) / len(X))
        coefficients = coefficients + step / max(1.0, length / LONGEST)
        if gradient @ step < TOLERANCE:
            return coefficients
    raise RuntimeError(f"no convergence in {MOST_STEPS} steps")


def derivatives(X: Array, event: Mask, last: Any, score: Array) -> tuple[Array, Array]:
    r"""Gradient of the log partial likelihood, and minus its second derivative, without a matrix for each row.

    With :math:`w_j = e^{s_j}`, the sums :math:`S_0, S_1` of :math:`w_j` and of :math:`w_j x_j` over those at risk, and
    Breslow's :math:`\Lambda_j = \sum_{i: t_i \le t_j} \delta_i / S_0(t_i)`,

    .. math:: g = \sum_i \delta_i \left(x_i - \frac{S_1(t_i)}{S_0(t_i)}\right), \qquad
              I = \sum_j w_j \Lambda_j x_j x_j' - \sum_i \delta_i \frac{S_1(t_i) S_1(t_i)'}{S_0(t_i)^2} .
    """
    weight = np.exp(score - score.max())
    total = np.cumsum(weight)[last]
    mean = np.cumsum(weight[:, None] * X, axis=0)[last] / total[:, None]
    hazard = np.cumsum(np.bincount(last, 1.0 / total, len(score))[::-1])[::-1]
    return (X[event] - mean).sum(axis=0), X.T @ ((weight * hazard)[:, None] * X) - mean.T @ mean


PEERS = (Peer("learning", "cox", partial(fit_causes, fit=fit), ("numpy",), "Cox"),)
