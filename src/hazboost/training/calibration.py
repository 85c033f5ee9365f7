r"""Calibration by held-out subjects, and how much the trees count.

The trees of a fold say how subjects differ, with an error that the subjects of the fold cannot tell. Those that were
held out can. To the scores :math:`R` of the start and :math:`T`, the sum of the trees, they choose a shift and a
shrinkage for each score,

.. math:: F = R + a + s \odot T,

which have the smallest penalised loss

.. math:: \sum_i \ell_i(F_i) + \frac{\lambda}{2} \sum_j \left(a_j + (s_j - u) \bar T_j\right)^2
          + \frac{\mu}{2} \sum_j \left(\frac{s_j}{u} - 1\right)^2,
          \qquad 0 \le s_j \le 2u .

Without anything to learn from, nothing is shifted and trees have the usual shrinkage :math:`u = E / (E + h)`. The mean
:math:`\bar T` over the held-out subjects makes shift and shrinkage nearly independent of one another.

Each fold predicts with the number of rounds that is best for the others, as the best of many always looks like a gain
to those who chose it. Where trees gain less than :math:`\log(E / E_0)` over none at all, there are none on top of a
regression. Scores of parameters that are not their exponentials are not shifted, and none where weights have no level;
for these :math:`\bar T_j = 0`. Subjects of one group count one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.target import Target, join_targets
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import GRADIENT
from hazboost.hazards.mixture import Mixture, columns
from hazboost.training.descent import QuasiNewton, differences
from hazboost.training.ensemble import Predicted
from hazboost.training.expected import censor_at_hazard
from hazboost.training.growing import Growing
from hazboost.training.policy import Policy
from hazboost.training.starts import absent_causes
from hazboost.training.state import Calibration, State
from hazboost.utils.arrays import Array, Mask

#: How far a score may be shifted, and how much more trees may count.
REACH, MOST_ENLARGED = 5.0, 1.0
#: The search ends when a step gains less than this of the log-likelihood.
TOLERANCE = 1e-6


def calibrate(state: State) -> State:
    """Choose a shift and the shrinkage of the trees for each score."""
    if state.trees is None:
        return state
    parts = Growing.of(state).predict_unseen(state.trees)
    least = -np.inf if state.regression is None else np.log(state.events.sum() / state.policy.events_without_doubt)
    found = fit_calibration(state, parts, float(least) if state.trees.rounds > 0 else np.inf)
    return state.add({"shift": found.shift.tolist(), "shrinkage": found.shrinkage.tolist()}, calibration=found)


def fit_calibration(state: State, parts: Sequence[Predicted], least: float) -> Calibration:
    """The shifts and shrinkage of the smallest penalised loss; without trees where these gain less than ``least``."""
    loss = CalibrationLoss.of(state, parts)
    best, without = loss.minimise(), loss.minimise(trees=False)
    # What the penalty takes for leaving trees out is a matter of the scale of the shrinkage, not of the data.
    keeps = loss.of_data(without) - loss.of_data(best) >= least
    moved, enlarged = np.split(best if keeps else without, 2)
    shrinkage = (1.0 + enlarged) * state.usual_shrinkage if keeps else np.zeros_like(enlarged)
    return Calibration(moved - enlarged * loss.mean, shrinkage, tuple(parts))


@dataclass(frozen=True)
class CalibrationLoss:
    """The penalised loss of held-out subjects as a function of two numbers for each score.

    The first says by how much its mean is moved, the second how many times more trees count, 0 for the usual shrinkage.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    observed : Observed
        What was observed of the subjects, each until the limit of its cumulative hazard.
    scores, added : arrays of shape (scores, n)
        Their scores, and by how much what trees have added to them differs from its mean.
    mean : array of shape (scores,)
        That mean; zero for scores that are not shifted.
    free : array of bool of shape (2 * scores,)
        The numbers that may differ from zero.
    strength : array of shape (2 * scores,)
        Of the penalty of each number.
    """

    mixture: Mixture
    observed: Observed
    scores: Array
    added: Array
    mean: Array
    free: Mask
    strength: Array

    @classmethod
    def of(cls, state: State, parts: Sequence[Predicted]) -> CalibrationLoss:
        """The loss of held-out subjects."""
        mixture, policy, usual = state.plan.objective.mixture, state.policy, state.usual_shrinkage
        target = join_targets([part.held.target for part in parts])
        added = np.concatenate([usual * (part.grown - part.start) for part in parts])
        scores = np.concatenate([part.start for part in parts]) + added
        learnable = np.ones(mixture.n_scores, dtype=bool)
        for cause in np.flatnonzero(absent_causes(mixture, target)):
            learnable[mixture.scores_of_causes[cause]] = False
        shifted = learnable & mixture.weight_activation.has_level
        if not mixture.has_log_scores:  # a start is shifted in log-parameters, which scores are not
            shifted[: mixture.first_weight_score] = False
        # A shrinkage that leaves the mean of what trees add as it is needs a shift.
        mean = np.where(shifted, np.average(added, axis=0, weights=target.mass), 0.0)
        return cls(
            mixture,
            _observe(Distribution(mixture, scores), target, mixture, policy),
            columns(scores),
            columns(added - mean),
            mean,
            np.concatenate([shifted, learnable]),
            np.repeat([policy.shift_strength, policy.shrinkage_strength], mixture.n_scores),
        )

    def __call__(self, numbers: Array) -> tuple[float, Array]:
        """The penalised loss and its gradient."""
        moved, enlarged = np.split(numbers, 2)
        scores = self.scores + moved[:, None] + enlarged[:, None] * self.added
        loss = row_loss(self.mixture, scores, self.observed, GRADIENT)
        slope = loss.gradient if self.observed.weight is None else loss.gradient * self.observed.weight
        slopes = np.concatenate([slope.sum(axis=1), (slope * self.added).sum(axis=1)])
        pull = self.strength * numbers
        return self.observed.total(loss.value) + 0.5 * float(numbers @ pull), slopes + pull

    def of_data(self, numbers: Array) -> float:
        """The loss, with the penalty of the shifts alone."""
        half = len(numbers) // 2
        return self(numbers)[0] - 0.5 * float(self.strength[half:] @ np.square(numbers[half:]))

    def minimise(self, *, trees: bool = True) -> Array:
        """The numbers with the smallest loss; if asked for, without any trees."""
        half = len(self.strength) // 2
        least, most = np.repeat([-REACH, -1.0], half), np.repeat([REACH, MOST_ENLARGED if trees else -1.0], half)
        bounds = np.column_stack([np.where(self.free, least, 0.0), np.where(self.free, most, 0.0)])
        first = np.clip(0.0, *bounds.T)
        hessian = differences(self, first, self(first)[1], np.arange(len(first)))
        return QuasiNewton(bounds, 0.5 * (hessian + hessian.T), TOLERANCE).minimise(self, first)


def _observe(distribution: Distribution, target: Target, mixture: Mixture, policy: Policy) -> Observed:
    """What was observed of subjects, each until a limit of its cumulative hazard."""
    return Observed.of(censor_at_hazard(distribution, target, policy.largest_difference), mixture.n_causes)
