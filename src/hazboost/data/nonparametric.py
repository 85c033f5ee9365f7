"""Nonparametric estimates: Kaplan-Meier, Aalen-Johansen, and the censoring distribution.

All of them account for delayed entry: a subject is at risk at ``t`` if ``entry < t <= time``. A subject with entry 0 is
also at risk at time 0, because events at time 0 occur in real data.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10

import numpy as np

from hazboost.data.target import Target
from hazboost.utils.arrays import Array, Indices, Mask

#: Digits of the longest time to which times since entry are rounded, and the most decimals that can be asked for.
DIGITS, MOST_DECIMALS = 12, 300
#: A step function: times in increasing order, and its value at each of them and until the next.
Steps = tuple[Array, Array]


def kaplan_meier(target: Target) -> Steps:
    r"""Estimate the survival function of the whole group (Kaplan and Meier, 1958).

    .. math:: S(t) = \prod_{t_i \le t} \left(1 - \frac{d_i}{n_i}\right)

    with :math:`d_i` the weighted number of events at :math:`t_i` and :math:`n_i` that of the subjects at risk, who have
    entered before :math:`t_i` and not left. Only exactly observed events count; interval-censored rows count as
    censored at their lower bound.

    Returns
    -------
    time : array
        Distinct event times in increasing order.
    survival : array
        Estimate at each time and until the next.
    """
    exits = _exits(target)
    events = exits.total(target.event)
    happened = events > 0.0
    return exits.time[happened], _product(events[happened], exits.at_risk[happened])


def censoring_distribution(target: Target) -> Steps:
    r"""Estimate the probability of not being censored, the Kaplan-Meier estimate of the censoring time.

    .. math:: G(t) = \prod_{t_i \le t} \left(1 - \frac{c_i}{n_i - d_i}\right)

    with :math:`c_i` subjects censored at :math:`t_i`. Of events (of any cause) and censorings at the same time, events
    come first, so subjects with an event are not at risk of being censored then.

    Returns
    -------
    time : array
        Distinct censoring times in increasing order.
    probability : array
        Estimate at each time and until the next.
    """
    exits = _exits(target)
    censored = exits.total(~target.event)
    happened = censored > 0.0
    staying = exits.at_risk - exits.total(target.event)
    return exits.time[happened], _product(censored[happened], staying[happened])


def follow_up_distribution(target: Target) -> Steps:
    """Estimate the share of subjects still under observation so long after their entry, if there were no events.

    The reverse Kaplan-Meier estimate of Schemper and Smith (1996), "A note on quantifying follow-up in studies of
    failure time".

    Returns
    -------
    time : array
        Distinct times from entry to censoring in increasing order.
    share : array
        Estimate at each time and until the next.
    """
    since = since_entry(target.lower, target.entry, float(target.lower.max()))
    return censoring_distribution(Target.of(since, np.where(target.event, since, np.inf), target.weight))


def since_entry(times: Array, entry: Array, longest: float) -> Array:
    """Time from entry until each time.

    Differences of decimal numbers have rounding errors: 65.3 - 60.1 is not 5.2. They would part equal lengths, and it
    matters whether somebody was censored at exactly the length that is asked for. So times since a late entry are
    rounded, to 12 digits of the longest time.

    Examples
    --------
    >>> since_entry(np.array([65.3, 65.3]), np.array([0.0, 60.1]), 80.0).tolist()
    [65.3, 5.2]
    """
    decimals = min(DIGITS - ceil(log10(max(longest, np.finfo(float).tiny))), MOST_DECIMALS)
    return np.where(entry > 0.0, np.round(times - entry, decimals), times)


def median_follow_up(target: Target) -> float:
    """Time since entry by which half of the subjects would have been censored without events; NaN if never."""
    time, followed = follow_up_distribution(target)
    reached = np.flatnonzero(followed <= 0.5)
    return float(time[reached[0]]) if len(reached) else np.nan


def aalen_johansen(target: Target, cause: int) -> Steps:
    r"""Estimate the cumulative incidence of one cause with competing risks (Aalen and Johansen, 1978).

    .. math:: F_c(t) = \sum_{t_i \le t} S(t_i-) \frac{d_{ci}}{n_i}

    with :math:`d_{ci}` events of the cause at :math:`t_i` and :math:`S` the Kaplan-Meier estimate for events of any
    cause.

    Returns
    -------
    time : array
        Distinct times of events of the cause in increasing order.
    incidence : array
        Estimate at each time and until the next.
    """
    exits = _exits(target)
    events, of_cause = exits.total(target.event), exits.total(target.cause == cause)
    # S just before each time: the estimate at the previous one.
    before = np.concatenate([[1.0], _product(events, exits.at_risk)[:-1]])
    happened = of_cause > 0.0
    steps = before[happened] * of_cause[happened] / exits.at_risk[happened]
    return exits.time[happened], np.asarray(np.cumsum(steps), dtype=np.float64)


def at_risk(target: Target, times: Array) -> Array:
    """Total weight of the subjects at risk at each time: ``entry < t <= time``."""
    # Everybody who enters at or after t also leaves at or after t, so the difference counts those who have entered.
    return _weight_from(target.lower, target.weight, times) - _weight_from(start_of_risk(target), target.weight, times)


def start_of_risk(target: Target) -> Array:
    """Time after which each subject is at risk; minus infinity without delayed entry, so that time 0 is included."""
    return np.where(target.entry > 0.0, target.entry, -np.inf)


def evaluate_steps(steps: Steps, times: Array, *, start: float, before: bool = False) -> Array:
    """Value of a right-continuous step function at any times, or just before them; ``start`` before the first step."""
    position = np.searchsorted(steps[0], times, side="left" if before else "right")
    values: Array = np.concatenate([[start], steps[1]])[position]
    return values


def probabilities_since_entry(survival: Steps, incidence: Steps | None, times: Array, entry: Array) -> Array:
    r"""What estimates for everybody say of subjects who were without event when they entered, of shape (n, times).

    .. math:: S(t) / S(a) \quad \text{or, of a cause,} \quad (F_c(t) - F_c(a)) / S(a)

    for times after their entry :math:`a`; before it, one and zero.

    Parameters
    ----------
    survival, incidence : pairs of arrays
        Times and values of a `kaplan_meier` and of an `aalen_johansen` estimate; without the latter, the result is
        survival.
    times : array of shape (times,)
        When.
    entry : array of shape (n,)
        Entry of each subject.
    """
    at_entry = np.maximum(evaluate_steps(survival, entry, start=1.0), np.finfo(float).tiny)[:, None]
    after = times > entry[:, None]
    if incidence is None:
        return np.where(after, np.minimum(evaluate_steps(survival, times, start=1.0) / at_entry, 1.0), 1.0)
    gained = evaluate_steps(incidence, times, start=0.0) - evaluate_steps(incidence, entry, start=0.0)[:, None]
    return np.where(after, np.clip(gained / at_entry, 0.0, 1.0), 0.0)


@dataclass(frozen=True)
class _Exits:
    """Distinct times at which subjects leave the risk set, with the rows that leave and the weight at risk."""

    time: Array
    at_risk: Array
    weight: Array
    order: Indices
    first: Indices

    def total(self, rows: Mask) -> Array:
        """Total weight, at each time, of the selected rows that leave then."""
        sums: Array = np.add.reduceat(self.weight * rows[self.order], self.first)
        return sums


def _exits(target: Target) -> _Exits:
    order = np.argsort(target.lower, kind="stable")
    weight = target.weight[order]
    distinct, first = np.unique(target.lower[order], return_index=True)
    # The weight at risk is a difference of sums with rounding errors. It cannot be less than the weight that leaves,
    # and a smaller value would make the estimates negative.
    risk_set = np.maximum(at_risk(target, distinct), np.add.reduceat(weight, first))
    return _Exits(distinct, risk_set, weight, order, first)


def _product(leaving: Array, risk_set: Array) -> Array:
    """Product-limit estimate; it does not change at times without subjects at risk."""
    # The maximum removes rounding errors when the last subjects at risk leave.
    share = np.divide(leaving, risk_set, out=np.zeros_like(leaving), where=risk_set > 0.0)
    return np.asarray(np.cumprod(np.maximum(1.0 - share, 0.0)), dtype=np.float64)


def _weight_from(values: Array, weight: Array, limits: Array) -> Array:
    """Total weight of the rows whose value is at least each limit, by sorting once instead of one pass per limit."""
    order = np.argsort(values, kind="stable")
    tail = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])
    sums: Array = tail[np.searchsorted(values[order], limits, side="left")]
    return sums
