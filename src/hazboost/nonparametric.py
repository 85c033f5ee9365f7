"""The Kaplan-Meier estimate, which needs no model."""

from __future__ import annotations

import numpy as np

from hazboost.arrays import Array
from hazboost.target import Target


def kaplan_meier(target: Target) -> tuple[Array, Array]:
    r"""Estimate the survival function of the whole group.

    .. math:: S(t) = \prod_{t_i \le t} \left(1 - \frac{d_i}{n_i}\right)

    with :math:`d_i` (weighted) events at :math:`t_i` and :math:`n_i` subjects at risk just before, who have entered
    before :math:`t_i` and not left. Events are those whose time was seen.

    Returns
    -------
    time : array
        Distinct times at which an event was seen, ascending.
    survival : array
        The estimate at and after each of them.
    """
    order = np.argsort(target.lower, kind="stable")
    time, weight = target.lower[order], target.weight[order]
    distinct, first = np.unique(time, return_index=True)
    at_risk = np.cumsum(weight[::-1])[::-1][first] - _not_yet_entered(target, distinct)
    events = np.add.reduceat(weight * target.event[order], first)
    happened = events > 0.0
    staying = np.maximum(1.0 - events[happened] / at_risk[happened], 0.0)
    return distinct[happened], np.asarray(np.cumprod(staying), dtype=np.float64)


def _not_yet_entered(target: Target, times: Array) -> Array:
    """Weight of those who come under observation at a time or later."""
    late = target.entry > 0.0
    order = np.argsort(target.entry[late], kind="stable")
    entry, weight = target.entry[late][order], target.weight[late][order]
    left = np.concatenate([np.cumsum(weight[::-1])[::-1], [0.0]])
    return left[np.searchsorted(entry, times, side="left")]
