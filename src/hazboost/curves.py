"""What ``predict_survival_function`` and its siblings return."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from hazboost.arrays import Array, as_times
from hazboost.distribution import Distribution

Kind = Literal["survival", "cumulative_hazard", "hazard"]


class Curve:
    """A function of time for one subject, exact at every time.

    Shaped like scikit-survival's ``StepFunction``, but not a step function: it is evaluated in closed form at
    whatever time it is called with, inside and beyond the training range.

    Parameters
    ----------
    kind : {"survival", "cumulative_hazard", "hazard"}
        Which function.
    distribution : Distribution
        Distribution of a single subject.
    x : array
        Times at which ``y`` gives the values.
    """

    def __init__(self, kind: Kind, distribution: Distribution, x: Array) -> None:
        self.kind = kind
        self.x = x
        self._distribution = distribution

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
        values: Array = getattr(self._distribution, self.kind)(times)[0]
        return values


def make_curves(kind: Kind, distribution: Distribution, x: Array) -> Any:
    """One curve for each subject, in an array of objects as scikit-survival returns it."""
    curves = np.empty(len(distribution), dtype=object)
    for row in range(len(distribution)):
        curves[row] = Curve(kind, distribution[row : row + 1], x)
    return curves
