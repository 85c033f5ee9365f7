"""What boosting minimises: the penalised likelihood, evaluated in blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from hazboost.boosting.kernel import kernel_for
from hazboost.boosting.likelihood import RowLoss, row_loss
from hazboost.boosting.observed import Observations, Observed
from hazboost.boosting.penalty import elastic_net
from hazboost.boosting.steps import Step
from hazboost.data.target import Target
from hazboost.hazards.heads.base import USUAL_LOG_SHAPE, VALUE
from hazboost.hazards.mixture import Mixture, columns
from hazboost.utils.arrays import Array
from hazboost.utils.devices import is_on_device, match_device
from hazboost.utils.threads import map_threads

T = TypeVar("T")

#: Rows times heads evaluated at a time, at least: few enough for their numbers to stay in the processor's cache.
BLOCK = 2**15
#: Where there are many rows, blocks grow until there are so few, as far as `LARGEST_BLOCK`. Threads meet at the
#: interpreter lock between the functions of NumPy, the less often the larger their blocks.
FEW_BLOCKS, LARGEST_BLOCK = 16, 2**17
#: Rows evaluated at a time on a GPU, which wants many.
BLOCK_ON_DEVICE = 2**24
#: Pseudo-residuals and their hessians are cut here, far outside any useful step, to stay inside single precision.
MAX_GRADIENT = 1e15


class Residuals(NamedTuple):
    """What the trees of a round are fitted to: room that is filled again in every round.

    Attributes
    ----------
    gradient, hessian : arrays of shape (n, scores)
        Weighted; their quotient is minus the target of the trees, and the hessian its weight.
    """

    gradient: npt.NDArray[Any]
    hessian: npt.NDArray[Any]


class Sums(NamedTuple):
    """Numbers over all rows: the weighted loss, the weighted number of subjects, and the largest gradient of a row."""

    loss: float
    mass: float
    largest: float


@dataclass(frozen=True)
class Objective:
    """The penalised likelihood and the step that is taken along its gradient. It has no state.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    alpha, l1_ratio : float
        Strength and mixing of the elastic net.
    step : Step
        How the loss of the rows becomes gradient and hessian for the trees; see `hazboost.boosting.steps`.
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

    def observe(self, target: Target) -> Observations:
        """Prepare a target for many evaluations."""
        heads = self.mixture.heads_per_cause
        # Not by the number of threads, on which no result may depend.
        block = max(BLOCK, min(len(target) * heads // FEW_BLOCKS, LARGEST_BLOCK))
        size = BLOCK_ON_DEVICE if is_on_device(target.lower) else max(1, block // heads)
        return Observations.of(target, self.mixture.n_causes, size)

    def losses(self, scores: Array, observations: Observations) -> Array:
        """Penalised loss of each row, of shape (n,), for scores of shape (n, scores)."""
        return np.concatenate(self._for_each_block(lambda _, loss: loss, scores, observations))

    def mean_loss(self, scores: Array, observations: Observations) -> float:
        """Penalised loss, averaged over the subjects."""
        totals = self._for_each_block(lambda observed, loss: observed.total(loss), scores, observations)
        return sum(totals) / observations.mass

    def _for_each_block(
        self, use: Callable[[Observed, Array], T], scores: Array, observations: Observations
    ) -> list[T]:
        """What is made of the penalised losses of the rows of each block."""
        kernel = kernel_for(self, VALUE, scores)

        def evaluate(block: tuple[slice, Observed]) -> T:
            rows, observed = block
            loss = None if kernel is None else kernel(scores[rows], observed)
            return use(observed, self.row_loss(columns(scores[rows]), observed, VALUE).value if loss is None else loss)

        return map_threads(evaluate, observations.blocks, self.n_threads)

    def allocate_residuals(self, scores: Array) -> Residuals:
        """Room for the pseudo-residuals of rows with such scores.

        Trees use single precision. Only gradients that are still to be divided by the largest of them need more.
        """
        kind = np.float64 if self.step.by_largest else np.float32
        return Residuals(np.empty_like(scores, dtype=kind), np.empty_like(scores, dtype=np.float32))

    def pseudo_residuals(self, scores: Array, observations: Observations, room: Residuals) -> Sums:
        """Fill in weighted gradient and hessian, the negative targets and the weights of the trees."""
        kernel = kernel_for(self, self.step.order, scores)

        def evaluate(block: tuple[slice, Observed]) -> tuple[float, float]:
            rows, observed = block
            if kernel is not None:
                value = kernel(scores[rows], observed, room.gradient[rows], room.hessian[rows])
                if value is not None:
                    return observed.total(value), 0.0
            value, gradient, hessian = self.steps(columns(scores[rows]), observed)
            largest = float(np.abs(gradient).max()) if self.step.by_largest else 0.0
            if observed.weight is not None:  # XGBoost does not apply weights to a custom objective
                gradient, hessian = gradient * observed.weight, hessian * observed.weight
            room.gradient[rows], room.hessian[rows] = gradient.T, hessian.T
            return observed.total(value), largest

        n_threads = 1 if is_on_device(scores) else self.n_threads
        losses, largest = zip(*map_threads(evaluate, observations.blocks, n_threads), strict=True)
        return Sums(sum(losses), observations.mass, max(largest))

    def steps(self, scores: Array, observed: Observed) -> RowLoss:
        """Penalised loss of each row, with gradient and hessian for the trees, for scores of shape (scores, n).

        The hessian may have one row for all scores. Neither is weighted yet.
        """
        value, gradient, curvature = self.row_loss(scores, observed, self.step.order)
        if self.step.second_order:
            gradient *= match_device(self.gradient_factor, scores)
            self.shorten_steep_steps(gradient, scores)
            np.minimum(curvature, MAX_GRADIENT, out=curvature)
        if not self.step.by_largest:
            np.clip(gradient, -MAX_GRADIENT, MAX_GRADIENT, out=gradient)
        return RowLoss(value, gradient, curvature if self.step.second_order else observed.portion[None])

    @property
    def gradient_factor(self) -> Array:
        """What the gradient of each score is multiplied by, of shape (scores, 1): 1, or one over the caution.

        The caution divides the gradient instead of multiplying the hessian: ``reg_lambda`` and ``min_child_weight``
        are compared with the hessian, and mean the same for every score.
        """
        return np.where(self.mixture.scaling, 1.0, 1.0 / self.caution)[:, None]

    def shorten_steep_steps(self, gradient: Array, scores: Array) -> None:
        """Divide the gradient of shapes ``k`` above ``e**2`` by ``k / e**2``, in place.

        A step in ``log k`` moves ``k log t``: of a steep head, one that suits the rows of a leaf that were sampled can
        multiply the cumulative hazard of a later row by thousands.
        """
        if not self.mixture.has_log_scores:
            return
        for score in np.flatnonzero(self.mixture.of_role("shape")):
            excess = np.maximum(scores[score] - USUAL_LOG_SHAPE, 0.0)
            if excess.any():
                gradient[score] *= np.exp(-excess)

    def row_loss(self, scores: Array, observed: Observed, order: int) -> RowLoss:
        """Penalised loss of each row, for scores of shape (scores, n)."""
        loss = row_loss(self.mixture, scores, observed, order)
        if self.alpha == 0.0:
            return loss
        penalty = elastic_net(scores, self.alpha, self.l1_ratio)
        # A subject pays its penalty once, however many rows it has.
        wanted = slice(1 + order)
        pairs = zip(loss[wanted], penalty[wanted], strict=True)
        return RowLoss(*(part + extra * observed.portion for part, extra in pairs))
