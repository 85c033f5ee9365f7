"""The result of an explanation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hazboost.utils.arrays import Array
from hazboost.utils.tables import make_table


@dataclass(frozen=True)
class Explanation:
    """Predictions divided among the features: ``prediction = base + values.sum(axis=-1)``.

    Attributes
    ----------
    values : array of shape (n, points, features)
        What each feature adds, for each subject and point.
    base : array of shape (points,)
        What is predicted before any feature is known, the same for all subjects.
    prediction : array of shape (n, points)
        What is predicted.
    features : tuple of str
        Names of the features; x0, x1, ... where they have none.
    axis : {"time", "score"}
        What the points are.
    points : array of shape (points,)
        Times, in the user's unit, or names of scores.
    """

    values: Array
    base: Array
    prediction: Array
    features: tuple[str, ...]
    axis: Literal["time", "score"]
    points: npt.NDArray[Any]

    @property
    def times(self) -> Array:
        """The times, where the points are times."""
        if self.axis != "time":
            raise AttributeError("the points of this explanation are scores; use points instead of times.")
        return self.points

    def frame(self) -> Any:
        """A tidy table with the columns subject, time (or score), feature and value.

        Returns
        -------
        DataFrame
            One row for each subject (numbered from 0), point and feature. Without pandas, a structured array with the
            same names.
        """
        n, n_points, n_features = self.values.shape
        return make_table(
            {
                "subject": np.repeat(np.arange(n), n_points * n_features),
                self.axis: np.tile(np.repeat(self.points, n_features), n),
                "feature": np.tile(np.array(self.features, dtype=object), n * n_points),
                "value": self.values.ravel(),
            }
        )
