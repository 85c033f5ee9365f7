"""How coarse the recorded times of events are."""

from __future__ import annotations

import numpy as np

from hazboost.data.nonparametric import kaplan_meier
from hazboost.data.rounding import merge_close
from hazboost.data.target import Target


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
