"""The hazard of a subject as the sum of its heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hazboost.explain.reading import check_model
from hazboost.plots.axes import COLOURS, ink, short
from hazboost.plots.display import Display, check_one_subject, grid_of_times, times_of_training
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.devices import to_host
from hazboost.utils.tables import make_table, table_columns

#: Heads that never reach this part of the largest hazard would not be seen; the legend counts them.
VISIBLE = 0.01
#: Families as they are written.
TITLES = {
    "weibull": "Weibull",
    "loglogistic": "log-logistic",
    "lognormal": "log-normal",
    "gompertz": "Gompertz",
    "exponentiated_weibull": "exponentiated Weibull",
}


@dataclass
class HeadsDisplay(Display):
    """What each head adds to the hazard of one subject, stacked.

    `from_estimator` makes one.

    Attributes
    ----------
    times : array of shape (times,)
        Times.
    parts : dict of str to array of shape (times,)
        What each head adds, by the name of the head; with several causes, also of the cause.
    descriptions : dict of str to str
        Family, weight, shape and scale of each head, for the legend.
    """

    times: Array
    parts: dict[str, Array]
    descriptions: dict[str, str]

    @property
    def hazard(self) -> Array:
        """The sum of the heads, of shape (times,)."""
        return np.asarray(np.sum(list(self.parts.values()), axis=0))

    @classmethod
    def from_estimator(
        cls, model: Predictor, X: Any, times: npt.ArrayLike | None = None, cause: int | None = None, ax: Any = None
    ) -> Self:
        """Predict and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (1, features)
            One subject.
        times : array-like, optional
            Positive times, because a hazard may be infinite at 0; by default 200 until 95 % of the times observed in
            training.
        cause : int, optional
            With competing risks, draw the hazard of this cause only; by default that of any event.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        HeadsDisplay

        Notes
        -----
        Where negative weights make the hazard negative, it is clipped at 0, and so are all its parts.

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import HeadsDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = HeadsDisplay.from_estimator(model, X[:1])
        >>> bool(np.allclose(display.hazard, model.predict_hazard_function(X[:1], times=display.times)[0]))
        True
        """
        check_model(model)
        grid = grid_of_times(times, times_of_training(model), zero=False)
        parameters = model.predict_parameters(X)
        check_one_subject(len(np.unique(parameters["subject"])))
        heads = np.array([str(head) for head in parameters["head"]], dtype=object)
        several = len(model.causes_) > 1
        causes = np.asarray(parameters["cause"]) if several else np.ones(len(heads), dtype=int)
        chosen = model.causes_.tolist() if cause is None else [model._check_cause(cause)]
        parts, descriptions = {}, {}
        for one in chosen:
            mine = np.flatnonzero(causes == one)
            prefix = f"cause {one}, " if len(chosen) > 1 else ""
            values = _parts(model, X, grid, int(one), mine)
            for j, part in zip(mine.tolist(), values, strict=True):
                name = f"{prefix}{heads[j]}"
                parts[name], descriptions[name] = part, prefix + _describe(parameters, j)
        return cls(grid, parts, descriptions).plot(ax)

    def frame(self) -> Any:
        """The heads, with the columns head, time and value.

        Returns
        -------
        DataFrame
            The values of all heads at a time add up to the hazard. Without pandas, a structured array with the same
            names.
        """
        return make_table(
            {
                "head": np.repeat(np.array(list(self.parts), dtype=object), len(self.times)),
                "time": np.tile(self.times, len(self.parts)),
                "value": np.concatenate(list(self.parts.values())),
            }
        )

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        hazard = self.hazard
        largest = {name: float(np.abs(part).max()) for name, part in self.parts.items()}
        seen = [
            name for name in sorted(largest, key=lambda one: -largest[one]) if largest[name] > VISIBLE * hazard.max()
        ]
        hidden = len(self.parts) - len(seen)
        label = "hazard, the sum of the heads" + (f" ({hidden} too small to see)" if hidden else "")
        ax.plot(self.times, hazard, color=ink(), label=label)
        # Parts with negative weights are stacked downwards.
        above, below = np.zeros_like(hazard), np.zeros_like(hazard)
        for number, name in enumerate(seen):
            part = self.parts[name]
            base = below if part.sum() < 0.0 else above
            look = {"color": COLOURS[number % len(COLOURS)], "alpha": 0.8, "linewidth": 0.0}
            ax.fill_between(self.times, base, base + part, label=self.descriptions[name], **look)
            base += part
        ax.set(xlabel="time", ylabel="hazard", xlim=(0.0, self.times[-1]))
        ax.set_ylim(min(0.0, 1.08 * float(below.min())), 1.08 * float(max(hazard.max(), above.max())) or None)


def _parts(model: Predictor, X: Any, times: Array, cause: int, heads: Indices) -> Array:
    """What the heads of a cause add to its hazard, of shape (heads, times)."""
    hazard = to_host(model.predict_hazard_function(X, times=times, cause=cause))[0]
    shares = np.asarray(model.head_contributions(X, times)["share"]).reshape(len(times), -1)[:, heads]
    # Shares are of the hazard of all causes.
    total = shares.sum(axis=1)
    scale = np.divide(hazard, total, out=np.zeros_like(hazard), where=total > 0.0)
    parts: Array = (shares * scale[:, None]).T
    return parts


def _describe(parameters: Any, row: int) -> str:
    """Family, weight, shape and scale of a head."""
    weight, scale = (float(np.asarray(parameters[name])[row]) for name in ("w", "scale"))
    family = str(np.asarray(parameters["head"])[row]).rsplit("_", 1)[0]
    shape = float(np.asarray(parameters["k"])[row]) if "k" in table_columns(parameters) else np.nan
    text = f"{TITLES.get(family, family)}: weight {short(weight, 2)}"
    text += "" if np.isnan(shape) else f", shape {short(shape, 2)}"
    return text + ("" if np.isnan(scale) else f", scale {short(scale)}")
