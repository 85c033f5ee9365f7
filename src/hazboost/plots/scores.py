"""Brier score and AUC over time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.data.target import Target
from hazboost.explain.reading import check_model
from hazboost.metrics import brier_score, cumulative_dynamic_auc
from hazboost.plots.axes import COLOURS, QUIET
from hazboost.plots.display import Display, grid_of_times
from hazboost.plots.observed import observed_curve, read_outcome
from hazboost.prediction.predictor import Predictor
from hazboost.utils.arrays import Array
from hazboost.utils.devices import to_host
from hazboost.utils.tables import make_table

#: Quantiles of the observed times between which scores are computed: earlier there are few events, later the censoring
#: weights are unstable. And the number of times.
RANGE, POINTS = (0.1, 0.9), 60


@dataclass
class ScoresDisplay(Display):
    """Brier score, with that of the Kaplan-Meier estimate for reference, and AUC over time.

    `from_estimator` makes one.

    Attributes
    ----------
    times : array of shape (times,)
        Times.
    brier : array of shape (times,)
        Brier score; lower is better.
    reference : array of shape (times,)
        Brier score of predicting the Kaplan-Meier (with a cause, Aalen-Johansen) estimate for everybody.
    auc : array of shape (times,)
        Cumulative dynamic AUC; 0.5 is chance, and 1 is perfect.
    cause : int or None
        Cause whose cumulative incidence is scored; None for survival.
    """

    times: Array
    brier: Array
    reference: Array
    auc: Array
    cause: int | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        y: Any,
        y_train: Any = None,
        times: npt.ArrayLike | None = None,
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
            Their outcomes, one row for each; without delayed entry.
        y_train : structured array, DataFrame, or pair of arrays, optional
            Outcomes in training, from which the Kaplan-Meier estimate and the censoring weights are computed; by
            default ``y``.
        times : array-like, optional
            Times; by default 60 between the quantiles of 10 % and 90 % of the times in ``y``.
        cause : int, optional
            With competing risks, score the cumulative incidence of this cause instead of survival.
        ax : sequence of two Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ScoresDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import ScoresDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = ScoresDisplay.from_estimator(model, X, y, times=[0.5, 1.0])
        >>> bool((display.brier < display.reference).all())  # better than the same curve for everybody
        True
        """
        check_model(model)
        check_alignment({"X": X, "y": y})
        test = read_outcome(y)
        train = test if y_train is None else read_outcome(y_train)
        if (test.entry > 0.0).any():
            raise ValueError(
                "y must be without delayed entry; pass predictions given entry to hazboost.metrics instead."
            )
        first, last = np.quantile(test.lower, RANGE)
        even = np.linspace(first, last, POINTS)
        grid = grid_of_times(even if times is None else times, test.lower)
        if cause is None:
            estimate = to_host(model.predict_survival_function(X, times=grid))
            risk, same = 1.0 - estimate, observed_curve(train, "survival", grid, 1)
        else:
            estimate = to_host(model.predict_cumulative_incidence_function(X, times=grid, cause=cause))
            risk, same = estimate, observed_curve(train, "cumulative_incidence", grid, cause)
        return cls(
            grid,
            brier_score(train, test, estimate, grid, cause=cause),
            _reference(train, test, same, grid, cause),
            cumulative_dynamic_auc(train, test, risk, grid, cause=cause)[0],
            cause,
        ).plot(ax)

    def frame(self) -> Any:
        """The scores, with the columns score, time and value.

        Returns
        -------
        DataFrame
            ``score`` is brier, reference (the Brier score of the same estimate for everybody) or auc. Without pandas, a
            structured array with the same names.
        """
        scores = {"brier": self.brier, "reference": self.reference, "auc": self.auc}
        return make_table(
            {
                "score": np.repeat(np.array(list(scores), dtype=object), len(self.times)),
                "time": np.tile(self.times, len(scores)),
                "value": np.concatenate(list(scores.values())),
            }
        )

    def _panels(self) -> int:
        return 2

    def _draw(self, axes: list[Any]) -> None:
        brier, auc = axes
        same = "Kaplan-Meier" if self.cause is None else "Aalen-Johansen"
        brier.plot(self.times, self.brier, color=COLOURS[0], label="model")
        brier.plot(self.times, self.reference, color=QUIET, linestyle=(0, (4, 1.5)), label=f"{same}, or chance")
        brier.set(xlabel="time", ylabel="Brier score")
        brier.set_ylim(bottom=0.0)
        auc.plot(self.times, self.auc, color=COLOURS[0])
        auc.axhline(0.5, color=QUIET, linestyle=(0, (4, 1.5)))
        auc.set(xlabel="time", ylabel="AUC")


def _reference(train: Target, test: Target, same: Array, grid: Array, cause: int | None) -> Array:
    """Brier score of the same curve for everybody; NaN after the follow-up of the training data."""
    known = ~np.isnan(same)
    values = np.full(len(grid), np.nan)
    if known.any():
        everybody = np.broadcast_to(same[known], (len(test), int(known.sum())))
        values[known] = brier_score(train, test, everybody, grid[known], cause=cause)
    return values
