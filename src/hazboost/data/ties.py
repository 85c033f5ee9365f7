"""How coarse the recorded times of events are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hazboost.data.nonparametric import kaplan_meier
from hazboost.data.rounding import merge_close
from hazboost.data.target import Target
from hazboost.utils.arrays import Mask

#: Among fewer events ties say nothing.
ENOUGH_EVENTS = 20
#: Jumps of Kaplan-Meier at tied times, in the median over its fall, from which on times are coarse.
COARSE = 0.018


def typical_jump(target: Target) -> float:
    r"""By how much the Kaplan-Meier curve falls at once where events share their times.

    .. math:: \operatorname{median}_i \; \Delta_i \left(1 - \frac{1}{d_i}\right)
              \quad \text{with weights } \Delta_i = S(t_i-) - S(t_i)

    with :math:`d_i` events at :math:`t_i`. Events that share a recorded time have happened over a period, during which
    survival falls by :math:`\Delta_i` and not at its end; so this is about the error of a curve that takes the recorded
    times for exact ones. With D times that are equally common and without censoring it is 1 / D. It is zero if no two
    events share a time. As a median, it does not see a few times that are common for another reason, such as a death on
    the first day.

    Examples
    --------
    >>> typical_jump(Target.of(np.repeat([1.0, 2.0, 3.0, 4.0], 25), np.repeat([1.0, 2.0, 3.0, 4.0], 25)))
    0.24
    """
    target = target[target.weight > 0.0]
    time, seen = merge_close(target.lower), target.event
    merged = Target.of(time, np.where(seen, time, np.inf), target.weight, entry=target.entry)
    fall = -np.diff(kaplan_meier(merged)[1], prepend=1.0)
    tied = np.unique(time[seen], return_counts=True)[1]
    jump = fall * (1.0 - 1.0 / tied)
    order = np.argsort(jump)
    reached = np.cumsum(fall[order])
    return float(jump[order][np.searchsorted(reached, 0.5 * reached[-1])])


def are_coarse(target: Target) -> bool:
    """Whether many events share few recorded times, which a likelihood would take for exact ones.

    Examples
    --------
    >>> years = np.ceil(np.random.default_rng(0).exponential(4.0, 200))
    >>> are_coarse(Target.of(years, years))
    True
    """
    if target.interval.any():  # whoever gives intervals knows of them
        return False
    events, times = int(target.event.sum()), count_times(target)
    if events < ENOUGH_EVENTS or 2 * times > events:  # a few ties say nothing of how times were recorded
        return False
    return typical_jump(target) >= COARSE


def count_times(target: Target) -> int:
    """Number of distinct times of events."""
    return len(np.unique(merge_close(target.lower[target.event])))


def spread_ties(target: Target) -> Target:
    """The same with events at one time spread evenly between the middles to the neighbouring times.

    Rounding makes many events share a time. A density that is high there and low elsewhere describes the rounding.
    Which of the events are early is drawn at random, as the order of the rows may depend on the features. An event
    after which the subject is still followed stays where it is, as the next row begins there.
    """
    spread = target.event & is_last_row(target)
    times, place, count = np.unique(merge_close(target.lower[spread]), return_inverse=True, return_counts=True)
    if len(times) < 2 or count.max() == 1:
        return target
    middles = 0.5 * (times[1:] + times[:-1])
    low = np.concatenate([[max(2.0 * times[0] - middles[0], 0.0)], middles])
    high = np.concatenate([middles, [2.0 * times[-1] - middles[-1]]])
    order = np.lexsort((np.random.default_rng(0).permutation(len(place)), place))
    rank = np.empty(len(place))
    rank[order] = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    share = (rank + 0.5) / count[place]
    moved = np.where(count > 1, low, times)[place] + share * np.where(count > 1, high - low, 0.0)[place]
    lower, upper = target.lower.copy(), target.upper.copy()
    lower[spread] = upper[spread] = np.maximum(moved, target.entry[spread])
    return replace(target, lower=lower, upper=upper)


def is_last_row(target: Target) -> Mask:
    """Whether a row is the last of its subject, of shape (n,)."""
    order = np.lexsort((target.entry, target.subject))
    last = np.empty(len(target), dtype=bool)
    last[order] = np.append(np.diff(target.subject[order]) != 0, True)
    return last
