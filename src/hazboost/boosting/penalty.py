"""The elastic net on the raw scores."""

from __future__ import annotations

import numpy as np

from hazboost.boosting.likelihood import RowLoss
from hazboost.utils.arrays import Array


def elastic_net(scores: Array, alpha: float, l1_ratio: float) -> RowLoss:
    r"""Penalty of each row, with gradient and curvature in the row's scores, which are of shape (scores, n).

    .. math:: \alpha \cdot \operatorname{mean}_{c} \left( \gamma |F_c| + (1 - \gamma) F_c^2 \right)

    Its mean over the rows is the penalty of the authors' code, a mean over all raw scores. (The paper writes the
    norms of :math:`\Theta`, without saying how they scale with the number of subjects and heads.)

    The second derivative is :math:`2 (1 - \gamma)`, and zero for :math:`\gamma = 1`. The curvature is at least the size
    of the gradient, as that of the likelihood is, so that second-order steps stay bounded.
    """
    share = alpha / len(scores)
    penalty = share * (l1_ratio * np.abs(scores) + (1.0 - l1_ratio) * scores**2).sum(axis=0)
    gradient = share * (l1_ratio * np.sign(scores) + 2.0 * (1.0 - l1_ratio) * scores)
    return RowLoss(penalty, gradient, np.maximum(2.0 * share * (1.0 - l1_ratio), np.abs(gradient)))
