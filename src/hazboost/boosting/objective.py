"""What boosting minimises: the penalised likelihood, evaluated in blocks of rows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from hazboost.boosting.likelihood import RowLoss, row_loss
from hazboost.boosting.penalty import elastic_net
from hazboost.boosting.steps import Largest, Step
from hazboost.data.target import Target
from hazboost.hazards.mixture import Mixture
from hazboost.utils.arrays import Array

#: Rows evaluated at a time: few enough for their numbers to stay in the processor's cache.
BLOCK = 16_384
#: Pseudo-residuals are cut here, far outside any useful step, to stay inside single precision.
MAX_GRADIENT = 1e15


@dataclass(frozen=True)
class Objective:
    """The penalised likelihood and the step that is taken along its gradient. It has no state.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    alpha, l1_ratio : float
        Strength and mixing of the elastic net.
    step : callable
        Turns the loss of the rows into gradient and hessian for the trees; see `hazboost.boosting.steps`.
    caution : float
        Factor by which second-order steps of all scores except the level (without one, except the scales) are
        shorter: a likelihood overfits them first.
    n_threads : int
        Threads that share the blocks. The result does not depend on their number.
    """

    mixture: Mixture
    alpha: float
    l1_ratio: float
    step: Step
    caution: float = 1.0
    n_threads: int = 1

    def evaluate(self, scores: Array, target: Target) -> RowLoss:
        """Penalised loss of each row, with gradient and curvature in the row's scores."""
        if len(scores) <= BLOCK:
            return self._evaluate_block(scores, target)
        blocks = [slice(first, first + BLOCK) for first in range(0, len(scores), BLOCK)]
        # NumPy releases the interpreter lock in its loops, so threads run at the same time.
        with ThreadPoolExecutor(self.n_threads) as pool:
            parts = pool.map(lambda rows: self._evaluate_block(scores[rows], target[rows]), blocks)
            return RowLoss(*map(np.concatenate, zip(*parts, strict=True)))

    def _evaluate_block(self, scores: Array, target: Target) -> RowLoss:
        penalty = elastic_net(scores, self.alpha, self.l1_ratio)
        portion = target.portion  # a subject pays its penalty once, however many rows it has
        parts = penalty.value * portion, penalty.gradient * portion[:, None], penalty.curvature * portion[:, None]
        return RowLoss(*map(np.add, row_loss(self.mixture, scores, target), parts))

    def pseudo_residuals(
        self, loss: RowLoss, target: Target, largest: Largest = lambda value: value
    ) -> tuple[Array, Array]:
        """Weighted gradient and hessian, the negative targets and the weights of the trees.

        ``largest`` turns the largest value of these rows into that of all rows, of which these may be a part.
        """
        caution = np.where(self.mixture.scaling, 1.0, self.caution)
        gradient, hessian = self.step(loss, target.portion, caution, largest)
        weight = target.weight[:, None]  # XGBoost does not apply weights to a custom objective
        return np.clip(gradient, -MAX_GRADIENT, MAX_GRADIENT) * weight, hessian * weight

    def mean_loss(self, scores: Array, target: Target) -> float:
        """Penalised loss, averaged over the subjects."""
        return target.mean(self.evaluate(scores, target).value)
