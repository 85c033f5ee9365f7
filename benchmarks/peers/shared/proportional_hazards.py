"""Survival functions of the linear Cox models of scikit-survival."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Sample
from benchmarks.peers.shared.curves import breslow
from benchmarks.peers.shared.scikit_survival import ScikitSurvival
from hazboost.data.nonparametric import evaluate_steps
from hazboost.utils.arrays import Array

#: exp of more would overflow in its own exponent.
LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class Cox(ScikitSurvival):
    r"""A fitted linear Cox model, with survival functions from Breslow's baseline hazard, in logarithms.

    .. math:: S(t \mid x) = \exp(-e^{\log H_0(t) + x'\beta})

    They are those of the library, which are not finite for some patients of Breast Cancer, whose log-risks exceed 100.
    The library computes them at every training time, which is too much memory where there are 100,000.
    """

    steps: Array
    log_hazard: Array

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        log_hazard = evaluate_steps((self.steps, self.log_hazard), times, start=-np.inf)
        exponent = np.minimum(log_hazard + self.risk(X)[:, None], LARGEST_EXPONENT)
        return np.asarray(np.exp(-np.exp(exponent)))


def with_baseline(model: Any, sample: Sample) -> Cox:
    """A fitted model of scikit-survival with the baseline hazard of its training rows."""
    score = np.asarray(model.predict(sample.X))
    largest = score.max()
    steps, hazard = breslow(score - largest, sample.event, sample.time)
    return Cox(model, steps, np.log(hazard) - largest)
