"""The Gompertz hazard: the risk of ageing."""

from __future__ import annotations

import numpy as np

from hazboost.hazards.heads.base import CURVATURE, MAX_EXPONENT, SCALE, Evaluation, Head, Parameter
from hazboost.utils.arrays import Array


class Gompertz(Head):
    r"""Risk that doubles every :math:`\log(2) / k` units of time.

    .. math:: H(t) = \frac{\eta}{k} \left(e^{k t} - 1\right), \qquad h(t) = \eta e^{k t}

    With :math:`x = k t`, the slope of ``H`` in ``log k`` is
    :math:`\frac{\eta}{k} \left(x e^x - e^x + 1\right)`.
    """

    name = "gompertz"
    # A rate per unit of time, which may be small where the follow-up is many units long.
    parameters = (SCALE, Parameter("k", "shape", (-4.0, 5.0)))

    def evaluate(self, log_t: Array, *log_parameters: Array, order: int = CURVATURE) -> Evaluation:
        """Hazard and cumulative hazard at ``exp(log_t)``, with all derivatives, which cost little."""
        log_eta, log_k = log_parameters
        x = np.exp(np.minimum(log_k + log_t, np.log(MAX_EXPONENT)))
        level = np.exp(log_eta - log_k)  # eta / k
        growth = np.expm1(x)
        # x e^x - expm1(x) cancels for small x, where its series x^2/2 + x^3/3 + x^4/8 is accurate to 1e-10
        shape_slope = np.where(x < 1e-3, x * x * (0.5 + x * (1 / 3 + x / 8)), x * (growth + 1.0) - growth)
        return Evaluation(
            log_hazard=log_eta + np.exp(np.minimum(log_k + log_t, 2.0 * MAX_EXPONENT)),
            cumulative=level * growth,
            log_hazard_slopes=(np.ones_like(x), x),
            cumulative_slopes=(level * growth, level * shape_slope),
            cumulative_paths=(level * growth, level * shape_slope),  # both slopes rise with time
        )

    def change_time_unit(self, log_unit: float, *log_parameters: Array) -> tuple[Array, ...]:
        """Both parameters are rates per unit of time."""
        log_eta, log_k = log_parameters
        return log_eta - log_unit, log_k - log_unit

    def log_scale(self, *log_parameters: Array) -> Array:
        r"""The time :math:`\log(1 + k / \eta) / k` at which ``H = 1``, as for the Weibull and exponential families."""
        log_eta, log_k = log_parameters
        ratio = log_k - log_eta
        # log(log(1 + e^x)), which is x itself where e^x is small
        return np.where(ratio < -36.0, ratio, np.log(np.logaddexp(0.0, np.maximum(ratio, -36.0)))) - log_k
