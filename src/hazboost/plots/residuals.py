"""Residuals: Cox-Snell residuals against the exponential distribution, others against a feature or the risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.data.target import Target
from hazboost.explain.dependence import feature_position, feature_values, user_values
from hazboost.explain.reading import check_cause, check_model, encode, feature_names
from hazboost.metrics import residuals
from hazboost.metrics.checks import event_of_interest
from hazboost.plots.axes import COLOURS, QUIET, fill_steps, is_category, place_values
from hazboost.plots.display import Display
from hazboost.plots.observed import observed_curve, read_outcome, survival_band
from hazboost.plots.smoothing import smooth
from hazboost.prediction.predictor import Predictor, check_one_outcome_each
from hazboost.utils.arrays import Array, Mask
from hazboost.utils.describe import describe
from hazboost.utils.devices import to_host
from hazboost.utils.tables import make_table

Kind = Literal["cox_snell", "martingale", "deviance"]
KINDS: tuple[str, ...] = get_args(Kind)
#: Width over which points of one category are spread, and the golden ratio, by which they are spread evenly.
WIDTH, GOLDEN = 0.5, 0.6180339887


@dataclass
class ResidualsDisplay(Display):
    """Residuals of subjects, from which it is seen where the model expects too many events or too few.

    `from_estimator` makes one.

    Attributes
    ----------
    residuals : array of shape (n,)
        See `hazboost.metrics.residuals`.
    event : array of bool of shape (n,)
        Who had the event.
    kind : {"cox_snell", "martingale", "deviance"}
        What the residuals are.
    against : array of shape (n,) or None
        Values of the feature, or risks; None for Cox-Snell residuals.
    name : str
        Name of the feature, or "risk".
    """

    residuals: Array
    event: Mask
    kind: Kind
    against: npt.NDArray[Any] | None = None
    name: str = "risk"

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        y: Any,
        kind: Kind = "cox_snell",
        against: str | int | None = None,
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
            Their outcomes, one row for each. With delayed entry, hazards count since entry.
        kind : {"cox_snell", "martingale", "deviance"}, default="cox_snell"
            ``"cox_snell"`` draws the cumulative hazard of the residuals, with a pointwise 95 % interval; of a correct
            model it is the diagonal. The others are drawn subject by subject, with a smooth line; that of martingale
            residuals is near zero where the model is correct, and that of deviance residuals need not be.
        against : str or int, optional
            Feature, by name or position, against which martingale or deviance residuals are drawn; by default the
            risks of `FPBoost.predict`.
        cause : int, optional
            With competing risks, count the events of this cause only; by default those of any cause.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ResidualsDisplay

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import ResidualsDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = ResidualsDisplay.from_estimator(model, X, y, kind="martingale", against="x1")
        >>> display.name, display.residuals.shape
        ('x1', (200,))
        """
        check_model(model)
        if kind not in KINDS:
            known = ", ".join(map(repr, KINDS))
            raise ValueError(f"kind must be one of {known}; got {describe(kind)}.")
        if kind == "cox_snell" and against is not None:
            raise ValueError(
                "against must be left out with kind='cox_snell', whose residuals are compared with a distribution."
            )
        check_alignment({"X": X, "y": y})
        target, chosen = read_outcome(y), check_cause(model, cause)
        distribution = model._distribution(X).on_host()
        check_one_outcome_each(target, len(distribution))
        of_interest = distribution.given_alive_at(target.entry).of_cause(chosen)
        hazard = of_interest.cumulative_hazard(target.lower[:, None])[:, 0]
        values = getattr(residuals(target, hazard, cause=chosen), kind)
        event = event_of_interest(target, chosen)
        if kind == "cox_snell":
            return cls(values, event, kind).plot(ax)
        if against is None:
            return cls(values, event, kind, to_host(model.predict(X, cause=chosen))).plot(ax)
        return cls(values, event, kind, *_read_feature(model, X, against)).plot(ax)

    def frame(self) -> Any:
        """The residuals, with the columns subject, event and residual.

        Returns
        -------
        DataFrame
            One row for each subject, numbered from 0. For Cox-Snell residuals also ``cumulative_hazard``, that of the
            residuals at this one, and the ends of its 95 % interval, ``low`` and ``high``; for others ``against``, the
            value of the feature or the risk. Without pandas, a structured array with the same names.
        """
        own = {"subject": np.arange(len(self.event)), "event": self.event, "residual": self.residuals}
        if self.against is not None:
            return make_table({**own, "against": self.against})
        observed, low, high = self._cumulative_hazard(self.residuals)
        return make_table({**own, "cumulative_hazard": observed, "low": low, "high": high})

    def _cumulative_hazard(self, at: Array) -> tuple[Array, Array, Array]:
        """Minus the logarithm of the Kaplan-Meier estimate of the residuals, and of its interval."""
        target = Target.of(self.residuals, np.where(self.event, self.residuals, np.inf))
        low, high = survival_band(target, at)
        # The interval of S is never 0: it is NaN instead.
        return observed_curve(target, "cumulative_hazard", at, 1), -np.log(high), -np.log(low)

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        if self.against is None:
            self._draw_distribution(ax)
        else:
            self._draw_points(ax, self.against)

    def _draw_distribution(self, ax: Any) -> None:
        at = np.unique(np.concatenate([[0.0], self.residuals]))
        observed, low, high = self._cumulative_hazard(at)
        last = float(at[-1])
        ax.plot([0.0, last], [0.0, last], color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)), label="perfect")
        ax.plot(at, observed, drawstyle="steps-post", color=COLOURS[0], label="model, 95 % interval")
        fill_steps(ax, at, low, high, color=COLOURS[0], alpha=0.2)
        top = 1.1 * float(np.nanmax(np.append(observed, last)))
        ax.set(xlabel="Cox-Snell residual", ylabel="cumulative hazard", xlim=(0.0, last), ylim=(0.0, top))

    def _draw_points(self, ax: Any, against: npt.NDArray[Any]) -> None:
        places: Array = against
        shift: Array = np.zeros(len(against))
        if is_category(against):
            codes = {one: code for code, one in enumerate(sorted({one for one in against if one is not None}, key=str))}
            place_values(ax, np.array(list(codes), dtype=object))
            places = np.array([codes.get(one, np.nan) for one in against])
            shift = WIDTH * (np.arange(float(len(places))) * GOLDEN % 1.0 - 0.5)
        ax.axhline(0.0, color=QUIET, linewidth=1.0, linestyle=(0, (4, 3)))
        for mine, marker, colour, label in (
            (self.event, "o", COLOURS[0], "event"),
            (~self.event, "+", COLOURS[5], "no event"),
        ):
            look = {"marker": marker, "markersize": 3.5, "markeredgewidth": 0.8, "alpha": 0.8, "color": colour}
            ax.plot((places + shift)[mine], self.residuals[mine], linestyle="none", label=label, **look)
        known = ~np.isnan(places) & np.isfinite(self.residuals)
        if known.any():
            line, marker = (_means, "o") if is_category(against) else (smooth, "")
            ax.plot(
                *line(places[known], self.residuals[known]),
                color=COLOURS[1],
                linewidth=2.2,
                marker=marker,
                label="mean" if marker else "smooth mean",
            )
        ax.set(xlabel=self.name, ylabel=f"{self.kind} residual")


def _means(places: Array, values: Array) -> tuple[Array, Array]:
    """Mean of the values at each place."""
    distinct, which = np.unique(places, return_inverse=True)
    return distinct, np.bincount(which, values) / np.bincount(which)


def _read_feature(model: Predictor, X: Any, feature: str | int) -> tuple[npt.NDArray[Any], str]:
    """Values of a feature as the user knows them, and its name."""
    encoded = encode(model, X)
    names = feature_names(model, encoded.shape[1])
    chosen = feature_position(feature, names, "against")
    values = feature_values(encoded, chosen)
    if chosen not in model.model_.schema.categories:
        return values, names[chosen]
    shown = np.full(len(values), None, dtype=object)
    known = ~np.isnan(values)
    shown[known] = user_values(model, chosen, values[known])
    return shown, names[chosen]
