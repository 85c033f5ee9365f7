r"""What a linear predictor acts on: the hazard, or time.

With proportional hazards a shift :math:`s` multiplies the hazard at all times; with accelerated failure time it makes
time run faster:

.. math:: h(t \mid s) = h_0(t) \, e^s \qquad \text{or} \qquad H(t \mid s) = H_0\bigl(t \, e^{s / \kappa}\bigr).

With :math:`\kappa = h_0(1) / H_0(1)`, the slope of :math:`\log H_0` over log-time at the unit of time, a small shift
changes :math:`\log H(1)` by the same amount in both. For a Weibull hazard they are the same model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads.base import LogLocationScale
from hazboost.hazards.mixture import Mixture
from hazboost.utils.arrays import Array


class Effect(Protocol):
    """How the shift of a cause changes log-parameters and scores of weights, which are called logs here."""

    def loading(self, logs: Array) -> Array:
        """What a shift of one adds to each of the logs of the intercept, of shape (causes, scores)."""

    def slope(self, loading: Array, gradient: Array, shift: Array) -> Array:
        """Derivative of a loss in the logs of the intercept, of shape (scores,), as far as they change the loading.

        Parameters
        ----------
        loading : array of shape (causes, scores)
            The loading at the intercept.
        gradient : array of shape (scores, n)
            Derivatives of the loss in the logs of each row.
        shift : array of shape (n, causes)
            The shifts.
        """


@dataclass(frozen=True)
class Proportional:
    """Proportional hazards: a shift of the level, or of the scales of all heads where weights have none."""

    mixture: Mixture

    def loading(self, logs: Array) -> Array:
        """One for what scales the hazard of the cause."""
        return self.mixture.scales.astype(np.float64)

    def slope(self, loading: Array, gradient: Array, shift: Array) -> Array:
        """None: the loading is always the same."""
        return np.zeros(self.mixture.n_scores)


@dataclass(frozen=True)
class Accelerated:
    r"""Accelerated failure time: with :math:`z = \log\eta + k \log t`, a shift moves :math:`\log\eta` by `k / kappa`.

    Attributes
    ----------
    mixture : Mixture
        The heads, all of whose families are functions of such a ``z``.
    kappa : array of shape (causes,)
        The slope of the log cumulative hazard over log-time, by which shifts of both effects are alike.
    """

    mixture: Mixture
    kappa: Array

    @classmethod
    def at(cls, mixture: Mixture, logs: Array) -> Accelerated:
        """The effect for subjects whose hazard is roughly that of an intercept."""
        hazard = Distribution(mixture.with_log_link, logs[None])
        alone = [hazard.of_cause(cause) for cause in range(1, mixture.n_causes + 1)]
        unit = np.ones(1)
        slope, total = np.array([[one.hazard(unit).item(), one.cumulative_hazard(unit).item()] for one in alone]).T
        # A cause that is still impossible at the unit of time has no slope there; its shifts may have any scale.
        usable = (slope > 0.0) & (total > 0.0)
        return cls(mixture, np.divide(slope, total, out=np.ones_like(slope), where=usable))

    def loading(self, logs: Array) -> Array:
        """The shapes of the cause, in units of `kappa`, for the scales of its heads."""
        loading = np.zeros((self.mixture.n_causes, self.mixture.n_scores))
        for block in self.mixture.blocks:
            cause = block.cause - 1
            loading[cause, block.scores(0)] = np.exp(logs[block.scores(1)]) / self.kappa[cause]
        return loading

    def slope(self, loading: Array, gradient: Array, shift: Array) -> Array:
        """That of the shapes: a loading is proportional to its shape."""
        slope = np.zeros(self.mixture.n_scores)
        for block in self.mixture.blocks:
            cause, scale = block.cause - 1, block.scores(0)
            slope[block.scores(1)] = loading[cause, scale] * (gradient[scale] @ shift[:, cause])
        return slope


def can_accelerate(mixture: Mixture) -> bool:
    """Whether the families of all heads are functions of ``log(eta) + k log(t)``."""
    return all(isinstance(block.head, LogLocationScale) for block in mixture.blocks)
