"""The partial likelihood, by which Cox models choose their penalty."""

from __future__ import annotations

import numpy as np

from hazboost.experiments.baselines.curves import at_risk
from hazboost.utils.arrays import Array, Mask


def partial_log_likelihood(score: Array, event: Mask, time: Array) -> float:
    """Partial log-likelihood of a Cox model with Breslow's handling of ties."""
    score = score - score.max()
    return float(np.sum(score[event]) - np.sum(np.log(at_risk(score, time, time[event]))))
