"""The exponential hazard: a constant risk."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import CURVATURE, MAX_EXPONENT, SCALE, Evaluation, Head
from hazboost.utils.arrays import Array


class Exponential(Head):
    r"""Constant risk, the only family without memory.

    .. math:: H(t) = \eta t, \qquad h(t) = \eta
    """

    name = "exponential"
    parameters = (SCALE,)

    def evaluate(self, log_t: Array, *log_parameters: Array, order: int = CURVATURE) -> Evaluation:
        """Hazard and cumulative hazard at ``exp(log_t)``, with all derivatives, which cost little."""
        (log_eta,) = log_parameters
        cumulative = np.exp(np.minimum(log_eta + log_t, MAX_EXPONENT))
        return Evaluation(
            log_hazard=log_eta + np.zeros_like(log_t),
            cumulative=cumulative,
            log_hazard_slopes=(np.ones_like(cumulative),),
            cumulative_slopes=(cumulative,),
            cumulative_paths=(cumulative,),
        )

    def change_time_unit(self, log_unit: float, *log_parameters: Array) -> tuple[Array, ...]:
        """A rate per unit of time."""
        (log_eta,) = log_parameters
        return (log_eta - log_unit,)

    def log_scale(self, *log_parameters: Array) -> Array:
        r"""The mean :math:`1 / \eta`, which is also the time at which ``H = 1``."""
        (log_eta,) = log_parameters
        return -log_eta
