"""Calibration: predicted against observed probabilities, and the distribution of survival at the event times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hazboost.data.alignment import check_alignment
from hazboost.explain.reading import check_model
from hazboost.metrics import CalibrationCurve, DCalibration, calibration_curve, d_calibration
from hazboost.plots.axes import COLOURS, QUIET, short
from hazboost.plots.display import Display
from hazboost.plots.observed import read_outcome
from hazboost.prediction.predictor import Predictor
from hazboost.utils.devices import to_host
from hazboost.utils.tables import make_table


@dataclass
class CalibrationDisplay(Display):
    """Predicted against observed probabilities at one time, in groups of similar prediction.

    `from_estimator` makes one.

    Attributes
    ----------
    curve : CalibrationCurve
        See `hazboost.metrics.calibration_curve`.
    time : float
        Time of the prediction.
    cause : int or None
        Cause whose cumulative incidence is compared; None for survival.
    """

    curve: CalibrationCurve
    time: float
    cause: int | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        y: Any,
        time: float | None = None,
        n_bins: int = 10,
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
        time : float, optional
            Time of the prediction; by default the one up to which `FPBoost.predict` compares risks.
        n_bins : int, default=10
            Number of groups.
        cause : int, optional
            With competing risks, compare the cumulative incidence of this cause instead of survival.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        CalibrationDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import CalibrationDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = CalibrationDisplay.from_estimator(model, X, y, n_bins=4)
        >>> display.curve.size.tolist()
        [50, 50, 50, 50]
        """
        check_model(model)
        check_alignment({"X": X, "y": y})
        moment = model.model_.horizon if time is None else time
        if cause is None:
            predicted = model.predict_survival_function(X, times=moment)
        else:
            predicted = model.predict_cumulative_incidence_function(X, times=moment, cause=cause)
        curve = calibration_curve(y, to_host(predicted), moment, n_bins=n_bins, cause=cause)
        return cls(curve, float(moment), cause).plot(ax)

    def frame(self) -> Any:
        """The groups, with the columns predicted, observed and size.

        Returns
        -------
        DataFrame
            One row for each group, in increasing order of prediction. Without pandas, a structured array with the
            same names.
        """
        return make_table(self.curve._asdict())

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        low, high = (
            edge(np.concatenate([self.curve.predicted, self.curve.observed])) for edge in (np.nanmin, np.nanmax)
        )
        margin = 0.06 * max(high - low, 0.1)
        limits = float(max(low - margin, -0.02)), float(min(high + margin, 1.02))
        ax.plot(limits, limits, color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)), label="perfect")
        ax.plot(
            self.curve.predicted,
            self.curve.observed,
            "o-",
            color=COLOURS[0],
            linewidth=1.2,
            markersize=4,
            label="model",
        )
        what = "survival" if self.cause is None else "incidence"
        ax.set(
            xlabel=f"predicted {what} at time {short(self.time)}", ylabel=f"observed {what}", xlim=limits, ylim=limits
        )


@dataclass
class DCalibrationDisplay(Display):
    """Shares of the subjects by predicted survival at their event; of a calibrated model all bars are alike.

    `from_estimator` makes one.

    Attributes
    ----------
    result : DCalibration
        See `hazboost.metrics.d_calibration`.
    """

    result: DCalibration

    @classmethod
    def from_estimator(cls, model: Predictor, X: Any, y: Any, n_bins: int = 10, ax: Any = None) -> Self:
        """Predict, compare and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (n, features)
            Subjects that the model was not trained with.
        y : structured array, DataFrame, or pair of arrays
            Their outcomes, one row for each.
        n_bins : int, default=10
            Number of bars.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        DCalibrationDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import DCalibrationDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = DCalibrationDisplay.from_estimator(model, X, y, n_bins=5)
        >>> round(float(display.result.counts.sum()))
        200
        """
        check_model(model)
        check_alignment({"X": X, "y": y})
        target = read_outcome(y)
        return cls(d_calibration(y, model._survival_at_own_times(X, target), n_bins=n_bins)).plot(ax)

    def frame(self) -> Any:
        """The bars, with the columns low, high, count and share.

        Returns
        -------
        DataFrame
            ``low`` and ``high`` are the survival probabilities between which the subjects of a bar are, ``count``
            their number. Without pandas, a structured array with the same names.
        """
        counts, edges = self.result.counts, self.result.edges
        return make_table({"low": edges[:-1], "high": edges[1:], "count": counts, "share": counts / counts.sum()})

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        counts, edges = self.result.counts, self.result.edges
        share, n = counts / counts.sum(), len(counts)
        ax.bar(edges[:-1], share, width=0.94 / n, align="edge", color=COLOURS[0], alpha=0.8)
        ax.axhline(1.0 / n, color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)), label="perfect")
        ax.plot([], [], " ", label=f"p = {self.result.p_value:.2g}")
        ax.set(xlabel="predicted survival at the event", ylabel="share of subjects", xlim=(0.0, 1.0))
