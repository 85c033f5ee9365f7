"""Predicted functions of time, as returned by ``predict_survival_function`` and similar methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hazboost.hazards.distribution import Distribution
from hazboost.utils.arrays import Array, as_times

Kind = Literal["survival", "cumulative_hazard", "hazard", "cumulative_incidence"]


@dataclass(frozen=True)
class Path:
    """Survival of one subject with time-varying covariates; each row holds from ``start`` to ``stop``.

    The last row is continued beyond its stop.
    """

    distribution: Distribution
    start: Array
    stop: Array

    def survival(self, times: Array) -> Array:
        """``S(t)``, of shape (1, times); 1 until the first start."""
        # Each row contributes the cumulative hazard of the part of its period that lies before t.
        last = np.append(self.stop[:-1], np.inf)
        until = np.clip(times, self.start[:, None], last[:, None])
        hazard = self.distribution.cumulative_hazard(until) - self.distribution.cumulative_hazard(self.start[:, None])
        # Rounding errors of the differences must not make survival rise.
        survival: Array = np.exp(-np.maximum(hazard, 0.0).sum(axis=0, keepdims=True))
        return survival


class Curve:
    """A predicted function of time for one subject.

    It has the interface of scikit-survival's ``StepFunction`` but is continuous: it is evaluated at the times it is
    called with, within and beyond the follow-up of the training data, and not interpolated.

    Parameters
    ----------
    kind : {"survival", "cumulative_hazard", "hazard", "cumulative_incidence"}
        Name of the function.
    distribution : Distribution or Path
        Distribution of a single subject.
    x : array
        Times of the attribute ``y``.
    *arguments
        Further arguments of the function after the time: the cause, for a hazard or a cumulative incidence.
    """

    def __init__(self, kind: Kind, distribution: Distribution | Path, x: Array, *arguments: int | None) -> None:
        self.kind = kind
        # `x`, `y` and `domain` are the names in scikit-survival's StepFunction.
        self.x = x
        self._distribution = distribution
        self._arguments = arguments

    @property
    def y(self) -> Array:
        """Values at ``x``."""
        return self._values(self.x)

    @property
    def domain(self) -> tuple[float, float]:
        """Times at which the function is defined."""
        return 0.0, float("inf")

    def __call__(self, x: Any) -> Any:
        """Value at a time, or values at an array of times."""
        times = as_times(x)
        values = self._values(times.ravel()).reshape(times.shape)
        return values if times.ndim else float(values)

    def __repr__(self) -> str:
        return f"Curve({self.kind!r}, domain={self.domain}, x=array of {len(self.x)} times)"

    def _values(self, times: Array) -> Array:
        values: Array = getattr(self._distribution, self.kind)(times, *self._arguments)[0]
        return values


def make_curves(kind: Kind, distribution: Distribution, x: Array, *arguments: int | None) -> Any:
    """One curve per subject, in an object array as in scikit-survival."""
    curves = np.empty(len(distribution), dtype=object)
    for row in range(len(distribution)):
        curves[row] = Curve(kind, distribution[row : row + 1], x, *arguments)
    return curves
