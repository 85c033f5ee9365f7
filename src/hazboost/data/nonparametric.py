"""Estimates that need no model: Kaplan-Meier, Aalen-Johansen, and the distribution of censoring.

All of them know delayed entry: a subject is at risk at ``t`` if ``entry < t <= time``. Who entered at zero was there
from the beginning, also at time zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hazboost.data.target import Target
from hazboost.utils.arrays import Array, Indices, Mask


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
    exits = _exits(target)
    events = exits.total(target.event)
    happened = events > 0.0
    return exits.time[happened], _product(events[happened], exits.at_risk[happened])


def censoring_distribution(target: Target) -> tuple[Array, Array]:
    r"""Estimate the probability of not being censored, the Kaplan-Meier curve of the censoring.

    .. math:: G(t) = \prod_{t_i \le t} \left(1 - \frac{c_i}{n_i - d_i}\right)

    with :math:`c_i` subjects censored at :math:`t_i`. At one time events, of any cause, come before censoring.

    Returns
    -------
    time : array
        Distinct times at which a subject was censored, ascending.
    probability : array
        The estimate at and after each of them.
    """
    exits = _exits(target)
    censored = exits.total(~target.event)
    happened = censored > 0.0
    staying = exits.at_risk - exits.total(target.event)
    return exits.time[happened], _product(censored[happened], staying[happened])


def aalen_johansen(target: Target, cause: int) -> tuple[Array, Array]:
    r"""Estimate the cumulative incidence of one cause among competing ones.

    .. math:: F_c(t) = \sum_{t_i \le t} S(t_i-) \frac{d_{ci}}{n_i}

    with :math:`d_{ci}` events of the cause at :math:`t_i` and Kaplan and Meier's :math:`S` of all causes.

    Returns
    -------
    time : array
        Distinct times at which an event of the cause was seen, ascending.
    incidence : array
        The estimate at and after each of them.
    """
    exits = _exits(target)
    events, of_cause = exits.total(target.event), exits.total(target.cause == cause)
    before = np.concatenate([[1.0], _product(events, exits.at_risk)[:-1]])
    happened = of_cause > 0.0
    steps = before[happened] * of_cause[happened] / exits.at_risk[happened]
    return exits.time[happened], np.asarray(np.cumsum(steps), dtype=np.float64)


def at_risk(target: Target, times: Array) -> Array:
    """Weight of the subjects who are under observation just before each time, and have entered before it."""
    return _weight_from(target.lower, target.weight, times) - _weight_from(start_of_risk(target), target.weight, times)


def start_of_risk(target: Target) -> Array:
    """The time after which each subject is at risk; minus infinity for those who were there from time zero."""
    return np.where(target.entry > 0.0, target.entry, -np.inf)


def evaluate_steps(steps: tuple[Array, Array], times: Array, *, start: float, before: bool = False) -> Array:
    """The value of a step function at any times, or just before them; ``start`` ahead of the first step."""
    position = np.searchsorted(steps[0], times, side="left" if before else "right")
    values: Array = np.concatenate([[start], steps[1]])[position]
    return values


@dataclass(frozen=True)
class _Exits:
    """The distinct times at which subjects leave, who leaves there, and how many are at risk."""

    time: Array
    at_risk: Array
    weight: Array
    order: Indices
    first: Indices

    def total(self, rows: Mask) -> Array:
        """Weight of some rows, at each time."""
        sums: Array = np.add.reduceat(self.weight * rows[self.order], self.first)
        return sums


def _exits(target: Target) -> _Exits:
    order = np.argsort(target.lower, kind="stable")
    weight = target.weight[order]
    distinct, first = np.unique(target.lower[order], return_index=True)
    # A difference of sums may lose its last digits, but whoever leaves was at risk.
    risk_set = np.maximum(at_risk(target, distinct), np.add.reduceat(weight, first))
    return _Exits(distinct, risk_set, weight, order, first)


def _product(leaving: Array, risk_set: Array) -> Array:
    """The product-limit estimate; where nobody is at risk it stays as it is."""
    share = np.divide(leaving, risk_set, out=np.zeros_like(leaving), where=risk_set > 0.0)
    return np.asarray(np.cumprod(np.maximum(1.0 - share, 0.0)), dtype=np.float64)


def _weight_from(values: Array, weight: Array, limits: Array) -> Array:
    """Weight of the rows whose value is at least each of the limits."""
    order = np.argsort(values, kind="stable")
    tail = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])
    sums: Array = tail[np.searchsorted(values[order], limits, side="left")]
    return sums
