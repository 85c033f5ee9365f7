"""How the parameters and weights of the heads differ between subjects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hazboost.explain.reading import check_model
from hazboost.plots.axes import curve_style
from hazboost.plots.display import Display
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array
from hazboost.utils.tables import make_table, table_columns

#: Columns of `predict_parameters` that have a panel, where some head has them.
PANELS = {"w": "weight", "scale": "scale", "k": "shape"}
#: Between these quantiles are a thin line and a thick one; the tick is the median.
WIDE, NARROW = (0.05, 0.95), (0.25, 0.75)


@dataclass
class ParametersDisplay(Display):
    """Distributions of the weight, the scale and the shape of each head over subjects.

    A tick is the median, a thick line has half of the subjects, and a thin one 90 %. `from_estimator` makes one.

    Attributes
    ----------
    distributions : dict of str to dict of str to array
        Values of all subjects by parameter (weight, scale, shape) and by head. Subjects for whom a head is switched
        off have no scale, and a head may have no shape; these are left out.
    """

    distributions: dict[str, dict[str, Array]]

    @classmethod
    def from_estimator(cls, model: Predictor, X: Any, ax: Any = None) -> Self:
        """Predict and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (n, features)
            Subjects.
        ax : sequence of Axes, optional
            Where to draw, one for each parameter (two or three); a new figure by default.

        Returns
        -------
        ParametersDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import ParametersDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = ParametersDisplay.from_estimator(model, X)
        >>> list(display.distributions)
        ['weight', 'scale', 'shape']
        """
        check_model(model)
        table = model.predict_parameters(X)
        columns = table_columns(table)
        names = np.array([str(head) for head in table["head"]], dtype=object)
        if "cause" in columns:
            names = np.array(
                [f"cause {c}, {name}" for c, name in zip(table["cause"], names, strict=True)], dtype=object
            )
        values: dict[str, dict[str, Array]] = {}
        for column, title in PANELS.items():
            numbers = np.asarray(table[column], dtype=float) if column in columns else np.full(len(names), np.nan)
            heads = {name: numbers[(names == name) & ~np.isnan(numbers)] for name in dict.fromkeys(names)}
            if any(len(one) for one in heads.values()):
                values[title] = heads
        return cls(values).plot(ax)

    def frame(self) -> Any:
        """The distributions, with the columns parameter, head and one for each of five quantiles.

        Returns
        -------
        DataFrame
            ``q05``, ``q25``, ``median``, ``q75`` and ``q95``; NaN for a parameter that a head does not have. Without
            pandas, a structured array with the same names.
        """
        pairs = [(title, name) for title, heads in self.distributions.items() for name in heads]
        quantiles = np.array([_quantiles(self.distributions[title][name]) for title, name in pairs])
        columns = {
            "parameter": np.array([title for title, _ in pairs], dtype=object),
            "head": np.array([name for _, name in pairs], dtype=object),
        }
        return make_table(columns | dict(zip(("q05", "q25", "median", "q75", "q95"), quantiles.T, strict=True)))

    def _panels(self) -> int:
        return len(self.distributions)

    def _draw(self, axes: list[Any]) -> None:
        for panel, (ax, (title, heads)) in enumerate(zip(axes, self.distributions.items(), strict=True)):
            for row, values in enumerate(heads.values()):
                low, lower, median, upper, high = _quantiles(values)
                colour = curve_style(row)["color"]
                ax.plot([low, high], [row, row], color=colour, linewidth=1.2)
                ax.plot([lower, upper], [row, row], color=colour, linewidth=5.0, solid_capstyle="butt")
                ax.plot([median], [row], color=colour, marker="|", markersize=14, markeredgewidth=2.0)
            ax.set_yticks(range(len(heads)), [name if panel == 0 else "" for name in heads], fontsize="small")
            ax.set_ylim(len(heads) - 0.5, -0.5)
            ax.tick_params(axis="y", length=0)
            ax.tick_params(axis="x", labelsize="small")
            ax.locator_params(axis="x", nbins=2)
            ax.set_xlabel(title)
            ax.margins(x=0.12)


def _quantiles(values: Array) -> Array:
    """Quantiles of 5, 25, 50, 75 and 95 %."""
    levels = [WIDE[0], NARROW[0], 0.5, NARROW[1], WIDE[1]]
    return np.quantile(values, levels) if len(values) else np.full(len(levels), np.nan)
