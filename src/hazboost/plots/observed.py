"""What was observed, to compare predictions with: Kaplan-Meier and Aalen-Johansen estimates."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.data.nonparametric import aalen_johansen, at_risk, evaluate_steps, kaplan_meier
from hazboost.data.reading import as_target
from hazboost.data.target import Target
from hazboost.utils.arrays import Array

#: Quantile of the normal distribution for intervals of 95 %.
NORMAL = 1.959964


def read_outcome(y: Any) -> Target:
    """Check ``y``, and refuse what has no Kaplan-Meier estimate."""
    target = as_target(y)
    if target.interval.any() or target.has_several_rows:
        raise ValueError(
            "y must have one row for each subject, with an exact or right-censored time, to be compared with "
            "predictions; leave intervals and subjects with several rows out."
        )
    return target


def observed_curve(target: Target, of: str, times: Array, cause: int) -> Array:
    """Kaplan-Meier estimate, its logarithm, or Aalen-Johansen estimate; NaN after the end of follow-up."""
    if of == "cumulative_incidence":
        values = evaluate_steps(aalen_johansen(target, cause), times, start=0.0)
    else:
        values = evaluate_steps(kaplan_meier(target), times, start=1.0)
        if of == "cumulative_hazard":
            values = np.where(values > 0.0, -np.log(np.maximum(values, np.finfo(float).tiny)), np.nan)
    return np.where(times <= target.lower.max(), values, np.nan)


def survival_band(target: Target, times: Array) -> tuple[Array, Array]:
    r"""Pointwise 95 % intervals of the Kaplan-Meier estimate, on the scale of :math:`\log(-\log S)`.

    .. math:: S(t)^{\exp(\pm 1.96 \, \sigma(t) / \log S(t))}, \qquad
              \sigma^2(t) = \sum_{t_i \le t} \frac{d_i}{n_i (n_i - d_i)}

    with Greenwood's variance. They stay within [0, 1], and are NaN where S is 1 or 0, or after the end of follow-up.
    """
    moments, survival = kaplan_meier(target)
    events = np.zeros(len(moments))
    np.add.at(events, np.searchsorted(moments, target.lower[target.event]), target.weight[target.event])
    risk_set = at_risk(target, moments)
    staying = risk_set - events
    terms = np.divide(events, risk_set * staying, out=np.full(len(events), np.nan), where=staying > 0.0)
    inside = (survival > 0.0) & (survival < 1.0)
    log_survival = np.log(np.where(inside, survival, 0.5))
    factor = np.exp(NORMAL * np.sqrt(np.cumsum(terms)) / np.abs(log_survival))
    bounds = [np.where(inside, np.exp(log_survival * power), np.nan) for power in (factor, 1.0 / factor)]
    seen = times <= target.lower.max()
    low, high = (np.where(seen, evaluate_steps((moments, one), times, start=np.nan), np.nan) for one in bounds)
    return low, high
