"""Three ways from the gradient of the loss to what trees are fitted to.

A tree has leaves ``-sum(gradient) / (sum(hessian) + reg_lambda)``, so the hessian decides how long a step is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hazboost.boosting.likelihood import RowLoss
from hazboost.utils.arrays import Array

#: From the largest value of some rows to that of all rows.
Largest = Callable[[float], float]
#: From the loss of the rows, of shape (n,), their portions of their subjects, and the factor by which steps of each
#: score are to be shorter, of shape (scores,), to gradient and hessian. The rows may be a part of all.
Step = Callable[[RowLoss, Array, Array, Largest], tuple[Array, Array]]


def subject_step(loss: RowLoss, portion: Array, caution: Array, largest: Largest) -> tuple[Array, Array]:
    """First order: the gradient of each subject's own loss.

    This is the paper's text with the learning rate multiplied by the number of subjects, so that a learning rate means
    the same for any sample size. The hessian counts subjects, however many rows each of them has.
    """
    return loss.gradient, np.repeat(portion[:, None], loss.gradient.shape[1], axis=1)


def scaled_step(loss: RowLoss, portion: Array, caution: Array, largest: Largest) -> tuple[Array, Array]:
    """First order: all gradients divided by the largest, as the authors' code does.

    The largest is that of a *row*: splitting a subject into several rows may make it smaller, and the step longer.
    """
    divisor = largest(float(np.abs(loss.gradient).max()))
    gradient, hessian = subject_step(loss, portion, caution, largest)
    return gradient / (divisor if divisor > 0.0 else 1.0), hessian


def newton_step(loss: RowLoss, portion: Array, caution: Array, largest: Largest) -> tuple[Array, Array]:
    """Second order: the gradient, and a curvature that is nowhere smaller.

    A leaf then lies in [-1, 1] whatever the data. The factor of caution divides the gradient instead of multiplying the
    hessian: ``reg_lambda`` and ``min_child_weight`` are compared with the hessian, and mean the same for every score.
    """
    return loss.gradient / caution, loss.curvature


STEPS: dict[str, Step] = {"subject": subject_step, "max": scaled_step, "newton": newton_step}
