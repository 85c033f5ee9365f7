"""The likelihood with rows on the first axis, in which tests are written."""

from __future__ import annotations

import numpy as np

from hazboost.boosting.likelihood import RowLoss, row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.target import Target
from hazboost.hazards.heads.base import CURVATURE
from hazboost.hazards.mixture import Mixture, columns


def loss_of_rows(mixture: Mixture, scores: np.ndarray, target: Target, order: int = CURVATURE) -> RowLoss:
    """`row_loss` for scores of shape (n, scores), with a gradient and a curvature of the same shape."""
    loss = row_loss(mixture, columns(scores), Observed.of(target, mixture.n_causes), order)
    return RowLoss(loss.value, loss.gradient.T, loss.curvature.T)
