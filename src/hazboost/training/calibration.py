"""Calibration by held-out subjects: how much of what trees add is kept, and how many events are expected.

Averaged and shrunken trees change the mean of a hazard. The training data, which trees have seen, cannot tell by how
much; the subjects that a fold has held out can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hazboost.boosting.objective import Objective
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import MAX_EXPONENT
from hazboost.hazards.mixture import Mixture, shrink
from hazboost.training.cross_validation import is_clear
from hazboost.training.policy import Policy
from hazboost.utils.arrays import Array

#: The smallest hazard of an interval.
TINY = np.finfo(np.float64).tiny


class Predicted(NamedTuple):
    """Held-out subjects with their scores before the first tree, and with all trees, none of which has seen them."""

    held: Sample
    start: Array
    grown: Array

    def change(self, objective: Objective, trust: Array, limit: float) -> Array:
        """By how much trees, shrunk by ``trust``, change the loss of each subject, or group of them; limited."""
        rows, target = objective.observe(self.held.target), self.held.target
        at_start, at_end = (objective.losses(one, rows) for one in (self.start, self.shrunk(trust)))
        return self.held.by_group(target.limited_change(at_end, at_start, limit))

    def shrunk(self, trust: Array) -> Array:
        """Scores with the trees' contribution multiplied by ``trust``."""
        return shrink(self.start, self.grown, trust)


def masses(parts: Sequence[Predicted]) -> Array:
    """The weight of each held-out subject, or group of them."""
    return np.concatenate([part.held.by_group(part.held.target.subject_mass) for part in parts])


def changes(objective: Objective, parts: Sequence[Predicted], trust: Array, limit: float) -> Array:
    """By how much trees, shrunk by ``trust``, change the loss of each held-out subject, or group of them; limited."""
    return np.concatenate([part.change(objective, trust, limit) for part in parts])


def trust_by_evidence(objective: Objective, parts: Sequence[Predicted], trust: Array, policy: Policy) -> Array:
    """Shrinkage of the trees: that of their number of events, unless held-out subjects are clearly better without."""
    full = np.where(trust > 0.0, 1.0, 0.0)
    shrunk, whole = (changes(objective, parts, share, policy.largest_difference) for share in (trust, full))
    return full if is_clear(shrunk - whole, masses(parts), policy.clear_gain) else trust


def level_shift(mixture: Mixture, parts: Sequence[Predicted], trust: Array, limit: float) -> Array:
    r"""What to add to the level of each cause, :math:`\log(O / E)`, so that observed and expected events agree.

    Zero for a cause that has none, and where weights have no level. A subject counts until its cumulative hazard has
    reached ``limit``: one who outlives a confident prediction by far must not decide for all.
    """
    if not mixture.weight_activation.has_level:
        return np.zeros(mixture.n_scores)
    causes, counts = range(1, mixture.n_causes + 1), np.zeros((mixture.n_causes, 2))
    for part in parts:
        distribution = Distribution(mixture, part.shrunk(trust))
        counts += [count_events(distribution, part.held.target, cause, limit) for cause in causes]
    observed, expected = counts.T
    ratio = np.divide(observed, expected, out=np.ones(mixture.n_causes), where=(observed > 0.0) & (expected > 0.0))
    shift: Array = np.log(ratio) @ mixture.scales
    return shift


def count_events(
    distribution: Distribution, target: Target, cause: int | None = None, limit: float = np.inf
) -> tuple[float, float]:
    """Observed and expected events of one cause, or of all, weighted.

    An event in an interval counts as the model expects it there. Each subject counts until its cumulative hazard has
    reached ``limit``: what is expected until then equals what is observed for a model that is right.
    """
    interval = target.interval
    times = np.column_stack([target.entry, target.lower, np.where(interval, target.upper, target.lower)])
    alone = distribution if cause is None else distribution.of_cause(cause)
    passed, inside = np.diff(alone.cumulative_hazard(times)).T
    observed = target.event if cause is None else target.cause == cause
    if interval.any():
        total = inside if cause is None else np.diff(distribution.cumulative_hazard(times[:, 1:]))[:, 0]
        # D / (exp(D) - 1) is 1 for very small D and 0 for very large ones, where the exponential would overflow.
        expected = np.maximum(inside, TINY) / np.expm1(np.clip(total, TINY, MAX_EXPONENT))
        observed = np.where(interval, expected, observed)
    before = hazard_before(target, passed)
    expected = np.minimum(before + passed, limit) - np.minimum(before, limit)
    return float(target.weight @ (observed * (before + passed <= limit))), float(target.weight @ expected)


def hazard_before(target: Target, passed: Array) -> Array:
    """The cumulative hazard of the earlier rows of each row's subject, of shape (n,)."""
    if not target.has_several_rows:
        return np.zeros_like(passed)
    order = np.lexsort((target.entry, target.subject))
    total = np.concatenate([[0.0], np.cumsum(passed[order])[:-1]])
    first = np.concatenate([[True], np.diff(target.subject[order]) != 0])
    before = np.empty_like(passed)
    before[order] = total - total[first][np.cumsum(first) - 1]
    return before
