"""Step functions, baseline hazards and times, shared by the adapters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def step_values(steps: Array, values: Array, times: Array) -> Array:
    """Survival step functions, given by their values from each step on (last axis), at other times; 1 before all."""
    before = np.ones((*values.shape[:-1], 1))
    return np.concatenate([before, values], axis=-1)[..., np.searchsorted(steps, times, side="right")]


def positive(time: Array) -> Array:
    """Times with zeros moved to half of the smallest positive time, for models of the logarithm of time."""
    return np.maximum(time, 0.5 * time[time > 0].min())


def _at_risk(score: Array, time: Array, steps: Array) -> Array:
    """Sum of ``exp(score)`` over those still at risk at each step."""
    order = np.argsort(time)
    sums = np.concatenate([np.cumsum(np.exp(score[order])[::-1])[::-1], [0.0]])
    return sums[np.searchsorted(time[order], steps, side="left")]


def breslow(score: Array, event: Mask, time: Array) -> tuple[Array, Array]:
    """Breslow's cumulative baseline hazard of a Cox model with the log-risk `score`.

    Returns
    -------
    steps, hazard : arrays
        Distinct event times, and the cumulative hazard of ``exp(score) = 1`` from each on.
    """
    steps, deaths = np.unique(time[event], return_counts=True)
    return steps, np.cumsum(deaths / _at_risk(score, time, steps))


def partial_log_likelihood(score: Array, event: Mask, time: Array) -> float:
    """Partial log-likelihood of a Cox model with Breslow's handling of ties."""
    score = score - score.max()
    return float(np.sum(score[event]) - np.sum(np.log(_at_risk(score, time, time[event]))))
