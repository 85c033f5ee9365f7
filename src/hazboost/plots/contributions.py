"""What each feature adds to the prediction for a subject, over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hazboost.explain import Explanation, contributions
from hazboost.explain.dividing import FUNCTIONALS
from hazboost.explain.reading import check_model, check_of
from hazboost.plots.axes import QUIET, curve_style
from hazboost.plots.display import COVERED, Display, check_most, check_one_subject, grid_of_times, times_of_training
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array

KINDS = tuple(FUNCTIONALS)
#: Number of times at which contributions are computed by default, which takes longer than a prediction.
POINTS = 50


@dataclass
class ContributionsDisplay(Display):
    """What the features add to the prediction for one subject, over time.

    `from_estimator` makes one.

    Attributes
    ----------
    explanation : Explanation
        Of one subject; see `hazboost.explain.contributions`.
    of : str
        What is explained.
    most : int
        Number of features that have a curve of their own; the others are added up.
    """

    explanation: Explanation
    of: str = "survival"
    most: int = 5

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        of: Any = "survival",
        times: npt.ArrayLike | None = None,
        cause: int | None = None,
        most: int = 5,
        ax: Any = None,
    ) -> Self:
        """Explain and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (1, features)
            One subject.
        of : {"survival", "cumulative_hazard", "log_hazard", "cumulative_incidence", "rmst"}, default="survival"
            What to explain.
        times : array-like, optional
            Positive times, for ``"rmst"`` those to which means are restricted; by default 50 until 95 % of the times
            observed in training.
        cause : int, optional
            With competing risks, as in `hazboost.explain.contributions`.
        most : int, default=5
            Number of features with a curve of their own, those whose curves are farthest from zero; the others are
            added up.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ContributionsDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import ContributionsDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = ContributionsDisplay.from_estimator(model, X[:1], times=[0.5, 1.0])
        >>> display.curves().keys() == {"x0", "x1"}
        True
        """
        check_model(model)
        check_of(of, KINDS)
        check_most(most)
        last = float(np.quantile(times_of_training(model), COVERED))
        grid = grid_of_times(np.linspace(0.0, last, POINTS + 1)[1:] if times is None else times, np.array([last]))
        explained = contributions(model, X, of, grid, cause)
        check_one_subject(len(explained.prediction))
        return cls(explained, of, int(most)).plot(ax)

    def frame(self) -> Any:
        """The contributions of all features, with the columns subject, time, feature and value.

        Returns
        -------
        DataFrame
            ``subject`` is 0. Without pandas, a structured array with the same names.
        """
        return self.explanation.frame()

    def curves(self) -> dict[str, Array]:
        """The curves that are drawn, by name: the features that matter most, and the sum of the others."""
        values, names = self.explanation.values[0], self.explanation.features
        order = np.argsort(-np.abs(values).max(axis=0), kind="stable")
        shown = {names[feature]: values[:, feature] for feature in order[: self.most].tolist()}
        rest = order[self.most :]
        others = {f"{len(rest)} other{'s' * (len(rest) > 1)}": values[:, rest].sum(axis=1)} if len(rest) else {}
        return {**shown, **others}

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        times = self.explanation.times
        ax.axhline(0.0, color=QUIET, linewidth=0.8)
        for number, (name, values) in enumerate(self.curves().items()):
            other = number >= self.most
            style = {"color": QUIET, "linestyle": (0, (4, 1.5))} if other else curve_style(number)
            ax.plot(times, values, label=name, **style)
        what = {"rmst": "mean survival time"}.get(self.of, self.of.replace("_", " "))
        ax.set(xlabel="time", ylabel=f"change of the\n{what}", xlim=(0.0, times[-1]))
