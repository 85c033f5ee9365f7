"""What all displays share: numbers that can be drawn, in the style of scikit-learn's displays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hazboost.plots.axes import add_legend, make_axes, tidy
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array, as_times
from hazboost.utils.describe import describe
from hazboost.utils.whole_numbers import is_whole_number

#: Number of times at which curves are evaluated, and the share of the observed times that they cover: later, few
#: subjects are left.
POINTS, COVERED = 200, 0.95


class Display(ABC):
    """Numbers and how to draw them.

    Attributes
    ----------
    ax_ : Axes, or list of Axes where there are several panels
        Where it was drawn last.
    figure_ : Figure
        The figure of the axes.
    """

    ax_: Any
    figure_: Any

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, or sequence of Axes with one for each panel, optional
            Where to draw; a new figure of matplotlib's default size by default, with the legend below the axes.

        Returns
        -------
        self
            With the attributes ``ax_`` and ``figure_``.
        """
        axes = make_axes(self._panels(), ax, None)
        self._draw(axes)
        for one in axes:
            tidy(one)
            add_legend(one, own=ax is None)
        self.ax_, self.figure_ = axes if len(axes) > 1 else axes[0], axes[0].figure
        return self

    @abstractmethod
    def frame(self) -> Any:
        """The numbers as a tidy DataFrame; without pandas, as a structured array with the same names."""

    @abstractmethod
    def _draw(self, axes: list[Any]) -> None:
        """Draw on axes, one for each panel; the legend is added later."""

    def _panels(self) -> int:
        return 1


def check_most(most: Any) -> None:
    """Refuse what is not a number of things to draw."""
    if not is_whole_number(most, 1):
        raise ValueError(f"most must be a whole number from 1 on; got {describe(most)}.")


def check_one_subject(subjects: int) -> None:
    """Refuse several rows of ``X``, or none, where one subject is drawn."""
    if subjects != 1:
        raise ValueError(
            f"X must have one row, that of the subject to draw; got {subjects}. Pass X[:1], or X.iloc[[0]] of a "
            "DataFrame."
        )


def grid_of_times(times: npt.ArrayLike | None, observed: Array, *, zero: bool = True) -> Array:
    """Times of curves: those asked for, or evenly spaced ones in the time in which there are observations."""
    if times is not None:
        return np.unique(as_times(times))
    grid = np.linspace(0.0, float(np.quantile(observed, COVERED)), POINTS + 1)
    return grid if zero else grid[1:]


def times_of_training(model: Predictor) -> Array:
    """Times observed in training, by which the range of figures is chosen if there is no outcome."""
    return model.unique_times_
