"""How predictions change with one or two features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hazboost.explain import partial_dependence
from hazboost.explain.dependence import CURVES
from hazboost.explain.reading import check_grid, check_model, check_of
from hazboost.metrics.checks import check_single
from hazboost.plots.axes import COLOURS, MANY, curve_style, is_category, place_values, short
from hazboost.plots.display import Display
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array
from hazboost.utils.tables import make_table, table_columns

KINDS = (*CURVES, "median")
#: Subjects whose own curves are drawn; more would be a single patch of colour.
INDIVIDUALS = 50


@dataclass
class DependenceDisplay(Display):
    """Mean prediction if a feature had other values, with the curves of single subjects; or if two features had.

    `from_estimator` makes one.

    Attributes
    ----------
    features : list of str
        Names of the features, one or two.
    values : list of arrays
        Values of each feature.
    mean : array of shape (values of the first feature, values of the second if there are two)
        Mean predictions.
    individual : array of shape (subjects, values) or None
        Predictions for single subjects, with one feature.
    of : str
        What is predicted.
    time : float or None
        At which time; None for a median.
    """

    features: list[str]
    values: list[npt.NDArray[Any]]
    mean: Array
    individual: Array | None
    of: str
    time: float | None

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        features: Any,
        of: str = "survival",
        time: float | None = None,
        cause: int | None = None,
        grid: Any = 20,
        ax: Any = None,
    ) -> Self:
        """Explain and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (n, features)
            Subjects over whom the mean is taken; of one feature, the curves of at most 50 of them are drawn.
        features : str, int, or list of one or two of them
            Features by name, or by position.
        of : {"survival", "cumulative_hazard", "hazard", "cumulative_incidence", "rmst", "median"}, default="survival"
            What is predicted.
        time : float, optional
            At which time, by default the one up to which `FPBoost.predict` compares risks.
        cause : int, optional
            With competing risks, as in `hazboost.explain.partial_dependence`.
        grid : int or list, default=20
            Number of values of a numeric feature, or the values themselves, for a single feature.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        DependenceDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import DependenceDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = DependenceDisplay.from_estimator(model, X, "x0", grid=[-1.0, 0.0, 1.0])
        >>> bool((np.diff(display.mean) < 0.0).all())  # survival falls with the first feature
        True
        """
        check_model(model)
        check_of(of, KINDS)
        moment = check_moment(model, of, time)
        single = not isinstance(features, list | tuple | np.ndarray) or len(features) == 1
        table = partial_dependence(model, X, features, of, moment, cause, grid, single)
        names = [name for name in table_columns(table) if name not in {"subject", "time", "value"}]
        values = [_distinct(np.asarray(table[name])) for name in names]
        predicted = np.asarray(table["value"], dtype=float).reshape(*map(len, values), -1)
        individual = predicted.T if single else None
        return cls(names, values, predicted.mean(axis=-1), individual, of, moment).plot(ax)

    def frame(self) -> Any:
        """The mean predictions, with a column for each feature, and value.

        Returns
        -------
        DataFrame
            Without pandas, a structured array with the same names. Predictions for single subjects are the attribute
            ``individual``.
        """
        crossed = np.meshgrid(*(np.arange(len(values)) for values in self.values), indexing="ij")
        columns = {
            name: values[position.ravel()]
            for name, values, position in zip(self.features, self.values, crossed, strict=True)
        }
        return make_table({**columns, "value": self.mean.ravel()})

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        if len(self.features) == 1:
            self._draw_one(ax)
        else:
            self._draw_two(ax)
        ax.set(xlabel=self.features[0], ylabel=name_prediction(self.of, self.time))

    def _draw_one(self, ax: Any) -> None:
        places = place_values(ax, self.values[0])
        marker = "o" if is_category(self.values[0]) else None
        if self.individual is not None:
            chosen = np.unique(np.linspace(0, len(self.individual) - 1, INDIVIDUALS).astype(int))
            ax.plot(places, self.individual[chosen].T, **MANY)
            ax.plot([], [], label="subjects", **MANY)
        ax.plot(places, self.mean, color=COLOURS[1], marker=marker, linewidth=2.2, label="mean")

    def _draw_two(self, ax: Any) -> None:
        """A curve for each of some values of the second feature, which is easier to read than a map of colours."""
        places, second = place_values(ax, self.values[0]), self.values[1]
        marker = "o" if is_category(self.values[0]) else None
        some = np.unique(np.linspace(0, len(second) - 1, min(len(second), 4)).astype(int))
        shown = np.arange(len(second)) if is_category(second) and len(second) <= len(COLOURS) else some
        for number, position in enumerate(shown.tolist()):
            value = second[position]
            label = f"{self.features[1]} = {value if is_category(second) else short(float(value))}"
            ax.plot(places, self.mean[:, position], marker=marker, label=label, **curve_style(number))


def check_moment(model: Predictor, of: str, time: float | None) -> float | None:
    """The single time of a prediction; none of a median."""
    if of == "median":
        return None
    points = check_grid(model, of, time)
    check_single(points)
    return float(points[0])


def name_prediction(of: str, time: float | None) -> str:
    """What is predicted, and when, as text for an axis."""
    what = {"rmst": "mean survival time", "median": "median time"}.get(of, of.replace("_", " "))
    return what if time is None else f"{what} {'until' if of == 'rmst' else 'at'} time {short(time)}"


def _distinct(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Distinct values in order of appearance."""
    return np.array(list(dict.fromkeys(column.tolist())), dtype=column.dtype)
