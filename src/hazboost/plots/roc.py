"""ROC curve at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from hazboost.data.alignment import check_alignment
from hazboost.explain.reading import check_model
from hazboost.metrics import RocCurve, cumulative_dynamic_roc
from hazboost.plots.axes import COLOURS, QUIET, short
from hazboost.plots.display import Display
from hazboost.prediction.predictor import Predictor
from hazboost.utils.devices import to_host
from hazboost.utils.tables import make_table


@dataclass
class RocDisplay(Display):
    """How well predictions tell subjects with the event by a time from those without: the ROC curve.

    `from_estimator` makes one.

    Attributes
    ----------
    curve : RocCurve
        See `hazboost.metrics.cumulative_dynamic_roc`.
    time : float
        The time.
    cause : int or None
        Cause of the event; None for any.
    """

    curve: RocCurve
    time: float
    cause: int | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        y: Any,
        y_train: Any = None,
        time: float | None = None,
        cause: int | None = None,
        ax: Any = None,
    ) -> Self:
        """Predict, compare and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (n, features)
            Subjects that the model was not trained with.
        y : structured array, DataFrame, or pair of arrays
            Their outcomes, one row for each.
        y_train : structured array, DataFrame, or pair of arrays, optional
            Outcomes in training, from which the censoring weights are computed; by default ``y``.
        time : float, optional
            The time; by default the one up to which `FPBoost.predict` compares risks.
        cause : int, optional
            With competing risks, the risk is the cumulative incidence of this cause instead of one minus survival.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        RocDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import RocDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = RocDisplay.from_estimator(model, X, y)
        >>> bool(display.curve.auc > 0.7)
        True
        """
        check_model(model)
        check_alignment({"X": X, "y": y})
        moment = model.model_.horizon if time is None else time
        if cause is None:
            risk = 1.0 - to_host(model.predict_survival_function(X, times=moment))
        else:
            risk = to_host(model.predict_cumulative_incidence_function(X, times=moment, cause=cause))
        curve = cumulative_dynamic_roc(y if y_train is None else y_train, y, risk, moment, cause=cause)
        return cls(curve, float(moment), cause).plot(ax)

    def frame(self) -> Any:
        """The points of the curve, with the columns threshold, false_positive and true_positive.

        Returns
        -------
        DataFrame
            One row for each threshold, a predicted probability of the event, from the highest to the lowest. Without
            pandas, a structured array with the same names.
        """
        names = ("threshold", "false_positive", "true_positive")
        return make_table({name: getattr(self.curve, name) for name in names})

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        label = f"time {short(self.time)}: AUC {self.curve.auc:.2f}"
        ax.plot([0.0, 1.0], [0.0, 1.0], color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)), label="chance")
        ax.plot(self.curve.false_positive, self.curve.true_positive, color=COLOURS[0], label=label)
        ax.set(xlabel="1 - specificity", ylabel="sensitivity", xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
