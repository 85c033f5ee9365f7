"""Step functions, Breslow's baseline hazard, and changes of times that models need."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hazboost.data.nonparametric import aalen_johansen, evaluate_steps
from hazboost.data.reading import as_target
from hazboost.utils.arrays import Array, Mask


def step_values(steps: Array, values: Array, times: Array) -> Array:
    """Survival step functions, given by their values from each step on (last axis), at other times; 1 before all."""
    before = np.ones((*values.shape[:-1], 1))
    extended: Array = np.concatenate([before, values], axis=-1)
    return extended[..., np.searchsorted(steps, times, side="right")]


def nearest_values(steps: Array, values: Array, times: Array) -> Array:
    """The value at the step that is nearest to each time, as in the authors' notebook."""
    nearest: Array = values[..., np.abs(steps[:, None] - times).argmin(axis=0)]
    return nearest


def positive(time: Array) -> Array:
    """Times with zeros moved to half of the smallest positive time, for models that cannot take them."""
    moved: Array = np.maximum(time, 0.5 * time[time > 0.0].min())
    return moved


def round_up(time: Array, most: int) -> Array:
    """Times rounded up to at most this number of quantiles of their distinct values.

    Examples
    --------
    >>> round_up(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 3)
    array([1., 3., 3., 5., 5.])
    """
    distinct = np.unique(time)
    if len(distinct) <= most:
        return time
    levels = np.quantile(distinct, np.linspace(0, 1, most), method="higher")
    rounded: Array = levels[np.searchsorted(levels, time, side="left")]
    return rounded


def observed_incidence(cause: npt.NDArray[np.int_], time: Array, times: Array, of: int) -> Array:
    """Aalen and Johansen's estimate of the cumulative incidence of one cause at some times."""
    return evaluate_steps(aalen_johansen(as_target((cause, time)), of), times, start=0.0)


def at_risk(score: Array, time: Array, steps: Array) -> Array:
    """Sum of ``exp(score)`` over those still at risk at each step."""
    order = np.argsort(time)
    sums: Array = np.cumsum(np.exp(score[order])[::-1])[::-1]
    return sums[np.searchsorted(time[order], steps, side="left")]


def breslow(score: Array, event: Mask, time: Array) -> tuple[Array, Array]:
    r"""Breslow's cumulative baseline hazard of a Cox model with the log-risk ``score``.

    .. math:: H_0(t) = \sum_{t_i \le t} \frac{d_i}{\sum_{j: t_j \ge t_i} e^{s_j}}

    Returns
    -------
    steps, hazard : arrays
        Distinct event times, and the cumulative hazard of :math:`s = 0` from each of them on.
    """
    steps, deaths = np.unique(time[event], return_counts=True)
    return steps, np.cumsum(deaths / at_risk(score, time, steps))
