"""How much each feature matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hazboost.explain import importance
from hazboost.explain.reading import ROLES, check_of
from hazboost.plots.axes import COLOURS
from hazboost.plots.display import Display, check_most
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array
from hazboost.utils.tables import make_table

#: What the bars are, by what they are of.
LABELS = {
    "overall": "mean change of the survival time",
    **{role: f"mean change of the {role} scores" for role in ROLES},
}


@dataclass
class ImportanceDisplay(Display):
    """Mean sizes of the contributions of the features, as bars in decreasing order.

    `from_estimator` makes one.

    Attributes
    ----------
    features : tuple of str
        Names of the features, the most important one first.
    values : array of shape (features,)
        Their importances.
    of : {"overall", "level", "scale", "shape", "share"}
        What the features contribute to.
    most : int
        Number of features that are drawn.
    """

    features: tuple[str, ...]
    values: Array
    of: str = "overall"
    most: int = 15

    @classmethod
    def from_estimator(cls, model: Predictor, X: Any, of: str = "overall", most: int = 15, ax: Any = None) -> Self:
        """Explain and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (n, features)
            Subjects over whom the mean is taken.
        of : {"overall", "level", "scale", "shape", "share"}, default="overall"
            A column of `hazboost.explain.importance`: the restricted mean survival time, in the user's unit of time,
            or the raw scores of a role.
        most : int, default=15
            Number of features to draw, the most important ones.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ImportanceDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import ImportanceDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> ImportanceDisplay.from_estimator(model, X).features
        ('x0', 'x1')
        """
        check_of(of, LABELS)
        check_most(most)
        table = importance(model, X)
        values = np.asarray(table[of], dtype=float)
        if np.isnan(values).any():
            raise ValueError(f"of: the model has no {of} scores; choose another of {', '.join(map(repr, LABELS))}.")
        order = np.argsort(-values, kind="stable")
        return cls(tuple(np.asarray(table["feature"])[order].tolist()), values[order], of, int(most)).plot(ax)

    def frame(self) -> Any:
        """All features, with the columns feature and importance, the most important one first.

        Returns
        -------
        DataFrame
            Without pandas, a structured array with the same names.
        """
        return make_table({"feature": np.array(self.features, dtype=object), "importance": self.values})

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        names, values = self.features[: self.most], self.values[: self.most]
        ax.barh(range(len(names)), values, color=COLOURS[0], alpha=0.85, height=0.7)
        size = "small" if len(names) > 8 else None
        ax.set_yticks(range(len(names)), names, fontsize=size)
        ax.invert_yaxis()
        ax.tick_params(axis="y", length=0)
        ax.set(xlabel=LABELS[self.of])
