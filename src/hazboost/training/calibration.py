r"""Calibration by held-out subjects.

Averaged and shrunken trees change the size of a hazard, its course over time, and how far subjects are apart. The
training data, which trees have seen, cannot tell by how much; the subjects that a fold has held out can. To scores
:math:`F`, of which shrunken trees have added :math:`T`, with a mean :math:`\bar T` over the held-out subjects, is added

.. math:: a \, 1_\text{level} + b \, 1_\text{shapes} + c \, (T - \bar T)_\text{level} + d \, (T - \bar T)_\text{others},

so that the hazard is multiplied by :math:`e^a` and the shapes of all heads by :math:`e^b`; trees count :math:`1 + c`
times as much in the level, and :math:`1 + d` times in all other scores. The four numbers of each cause have the
smallest penalised loss,

.. math:: \sum_i \ell_i + \frac{\lambda}{2} (a^2 + b^2 + c^2 + d^2), \qquad |a|, |b| \le 5, \quad |c|, |d| \le 1 .

Parameters that are not exponentials of their scores stay as they are, and so does everything where weights have no
level. Subjects of one group count one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.target import join_targets
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import GRADIENT
from hazboost.hazards.mixture import Mixture, columns
from hazboost.training.blending import Blend
from hazboost.training.descent import QuasiNewton, differences
from hazboost.training.expected import until_hazard
from hazboost.training.policy import Policy
from hazboost.training.predicted import Predicted
from hazboost.training.starts import absent_causes
from hazboost.utils.arrays import Array, Mask

#: How far the logarithms of a hazard and of its shapes may move.
REACH = 5.0
#: The search ends when a step gains less than this of the log-likelihood.
TOLERANCE = 1e-6


class Calibration(NamedTuple):
    """What held-out subjects ask for.

    Attributes
    ----------
    shift, factor : arrays of shape (scores,)
        What is added to each score, and by what the contribution of trees to it is multiplied.
    hazard, shapes : arrays of shape (causes,)
        By what the hazard of each cause and the shapes of its heads are multiplied.
    """

    shift: Array
    factor: Array
    hazard: Array
    shapes: Array

    def scores(self, part: Predicted, blend: Blend) -> Array:
        """Calibrated scores of held-out subjects, of shape (n, scores)."""
        added = part.added(blend.weights, blend.trust)
        return part.blended(blend.weights, blend.trust) + (self.factor - 1.0) * added + self.shift


def calibrate(mixture: Mixture, blend: Blend, policy: Policy) -> Calibration:
    """What held-out subjects ask for, with the constants of a policy; nothing where weights have no level."""
    if not mixture.weight_activation.has_level:
        as_before = np.ones(mixture.n_causes)
        return Calibration(np.zeros(mixture.n_scores), np.ones(mixture.n_scores), as_before, as_before)
    loss = CalibrationLoss.of(mixture, blend, policy)
    numbers = loss.minimise()
    shift, factor = loss.changes(numbers)
    hazard, shapes, _, _ = np.split(numbers, 4)
    return Calibration(shift - factor * loss.mean, 1.0 + factor, np.exp(hazard), np.exp(shapes))


@dataclass(frozen=True)
class CalibrationLoss:
    """The penalised loss of held-out subjects as a function of the numbers a, b, c and d, each of all causes.

    Attributes
    ----------
    mixture : Mixture
        The heads.
    observed : Observed
        What was observed of the subjects, each until the limit of its cumulative hazard.
    scores, added : arrays of shape (scores, n)
        Their scores, and by how much what trees have added to them differs from its mean.
    mean : array of shape (scores,)
        That mean.
    shifted, scaled : arrays of bool of shape (2 * causes, scores)
        The scores that a and b, and those that c and d belong to.
    strength, most_enlarged : float
        Of the penalty, and the largest c and d.
    """

    mixture: Mixture
    observed: Observed
    scores: Array
    added: Array
    mean: Array
    shifted: Mask
    scaled: Mask
    strength: float
    most_enlarged: float

    @classmethod
    def of(cls, mixture: Mixture, blend: Blend, policy: Policy) -> CalibrationLoss:
        """The loss of the held-out subjects of a blend."""
        parts, trust, weights, _ = blend
        target = join_targets([part.held.target for part in parts])
        scores = np.concatenate([part.blended(weights, trust) for part in parts])
        added = np.concatenate([part.added(weights, trust) for part in parts])
        mean = np.average(added, axis=0, weights=target.weight)
        of_cause = np.zeros((mixture.n_causes, mixture.n_scores), dtype=bool)
        for row, positions in zip(of_cause, mixture.scores_of_causes, strict=True):
            row[positions] = True
        of_cause[absent_causes(mixture, target)] = False  # of which nothing can be learned
        if not mixture.has_log_scores:  # a start is shifted in log-parameters, which scores are not
            of_cause[:, : mixture.first_weight_score] = False
        level, shapes = mixture.scales & of_cause, mixture.of_role("shape") & of_cause
        target = until_hazard(Distribution(mixture, scores), target, policy.largest_difference)
        return cls(
            mixture,
            Observed.of(target, mixture.n_causes),
            columns(scores),
            columns(added - mean),
            mean,
            np.concatenate([level, shapes]),
            np.concatenate([level, of_cause & ~level]),
            policy.calibration_strength,
            policy.most_enlarged,
        )

    @property
    def n_numbers(self) -> int:
        """Four for each cause."""
        return len(self.shifted) + len(self.scaled)

    def changes(self, numbers: Array) -> tuple[Array, Array]:
        """What is added to each score, and how much more trees count in it, both of shape (scores,)."""
        shifts, factors = np.split(numbers, 2)
        return shifts @ self.shifted, factors @ self.scaled

    def __call__(self, numbers: Array) -> tuple[float, Array]:
        """The penalised loss and its gradient."""
        shift, factor = self.changes(numbers)
        scores = self.scores + shift[:, None] + factor[:, None] * self.added
        loss = row_loss(self.mixture, scores, self.observed, GRADIENT)
        weight = 1.0 if self.observed.weight is None else self.observed.weight
        slope = loss.gradient * weight
        slopes = [self.shifted @ slope.sum(axis=1), self.scaled @ (slope * self.added).sum(axis=1)]
        penalty = 0.5 * self.strength * float(numbers @ numbers)
        return self.observed.total(loss.value) + penalty, np.concatenate(slopes) + self.strength * numbers

    def minimise(self) -> Array:
        """The numbers with the smallest loss."""
        none, half = np.zeros(self.n_numbers), len(self.shifted)
        bounds = np.array([(-REACH, REACH)] * half + [(-1.0, self.most_enlarged)] * half)
        hessian = differences(self, none, self(none)[1], np.arange(len(none)))
        return QuasiNewton(bounds, 0.5 * (hessian + hessian.T), TOLERANCE).minimise(self, none)
