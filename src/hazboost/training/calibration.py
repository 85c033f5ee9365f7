"""Calibration by held-out subjects: about as many events are expected of them as were observed.

Averaged and shrunken trees change the mean of a hazard. The training data, which trees have seen, cannot tell by how
much; the subjects that a fold has held out can.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hazboost.data.target import Target
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import MAX_EXPONENT
from hazboost.hazards.mixture import Mixture
from hazboost.utils.arrays import Array

#: The smallest hazard of an interval.
TINY = np.finfo(np.float64).tiny


def level_shift(mixture: Mixture, parts: Sequence[tuple[Target, Array]], limit: float, half: float) -> Array:
    r"""What to add to the level of each cause, so that observed and expected events agree.

    .. math:: \frac{O}{O + h} \log \frac{O}{E}

    It is zero for a cause that has no events, and where weights have no level.

    Parameters
    ----------
    mixture : Mixture
        The heads.
    parts : sequence of pairs
        What was observed of some subjects, and their scores.
    limit : float
        A subject counts until its cumulative hazard has reached this, for each event where events recur: one who
        outlives a confident prediction by far must not decide for all.
    half : float
        Number of events whose ratio is believed by half: that of few is uncertain, by :math:`1 / \sqrt{O}`.
    """
    if not mixture.weight_activation.has_level:
        return np.zeros(mixture.n_scores)
    causes, counts = range(1, mixture.n_causes + 1), np.zeros((mixture.n_causes, 2))
    for target, scores in parts:
        distribution = Distribution(mixture, scores)
        counts += [count_events(distribution, target, cause, limit * target.recurrence) for cause in causes]
    observed, expected = counts.T
    ratio = np.divide(observed, expected, out=np.ones(mixture.n_causes), where=(observed > 0.0) & (expected > 0.0))
    believed = np.divide(observed, observed + half, out=np.zeros(mixture.n_causes), where=observed > 0.0)
    shift: Array = (believed * np.log(ratio)) @ mixture.scales
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
    passed, inside = np.diff(distribution.of_cause(cause).cumulative_hazard(times)).T
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
