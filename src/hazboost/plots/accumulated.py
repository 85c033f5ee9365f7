"""How predictions change with one feature among subjects who are like that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hazboost.explain import accumulated_effects
from hazboost.explain.reading import check_model, check_of
from hazboost.plots.axes import COLOURS, QUIET, place_values
from hazboost.plots.dependence import KINDS, check_moment, name_prediction
from hazboost.plots.display import Display
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array
from hazboost.utils.tables import make_table, table_columns


@dataclass
class AccumulatedEffectsDisplay(Display):
    """Accumulated local effects of a feature: what `DependenceDisplay` shows, where features go together.

    `from_estimator` makes one.

    Attributes
    ----------
    feature : str
        Name of the feature.
    values : array of shape (values,)
        Its values.
    effects : array of shape (values,)
        Differences to the mean prediction; see `hazboost.explain.accumulated_effects`.
    of : str
        What is predicted.
    time : float or None
        At which time; None for a median.
    """

    feature: str
    values: npt.NDArray[Any]
    effects: Array
    of: str
    time: float | None

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        feature: str | int,
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
            Subjects whose predictions are compared.
        feature : str or int
            A feature by name, or by position.
        of : {"survival", "cumulative_hazard", "hazard", "cumulative_incidence", "rmst", "median"}, default="survival"
            What is predicted.
        time : float, optional
            At which time, by default the one up to which `FPBoost.predict` compares risks.
        cause : int, optional
            With competing risks, as in `hazboost.explain.accumulated_effects`.
        grid : int or list, default=20
            Number of values of a numeric feature, or the values themselves; of a categorical feature the categories,
            in the order in which effects are added up.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        AccumulatedEffectsDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import AccumulatedEffectsDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = AccumulatedEffectsDisplay.from_estimator(model, X, "x0", grid=[-1.0, 0.0, 1.0])
        >>> bool((np.diff(display.effects) < 0.0).all())  # survival falls with the first feature
        True
        """
        check_model(model)
        check_of(of, KINDS)
        moment = check_moment(model, of, time)
        table = accumulated_effects(model, X, feature, of, moment, cause, grid)
        name = table_columns(table)[0]
        return cls(name, np.asarray(table[name]), np.asarray(table["value"], dtype=float), of, moment).plot(ax)

    def frame(self) -> Any:
        """The effects, with a column for the feature, and value.

        Returns
        -------
        DataFrame
            Without pandas, a structured array with the same names.
        """
        return make_table({self.feature: self.values, "value": self.effects})

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        ax.axhline(0.0, color=QUIET, linewidth=0.8)
        places = place_values(ax, self.values)
        ax.plot(places, self.effects, color=COLOURS[1], linewidth=2.2, marker="o", markersize=3.5)
        ax.set(xlabel=self.feature, ylabel=f"change of the\n{name_prediction(self.of, self.time)}")
