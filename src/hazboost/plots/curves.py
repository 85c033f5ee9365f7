"""Predicted curves of subjects, or mean curves of groups, beside what was observed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import at_risk
from hazboost.data.target import Target
from hazboost.explain.reading import check_cause_of, check_model, check_of
from hazboost.plots.at_risk import write_at_risk
from hazboost.plots.axes import COLOURS, DASHES, MANY, QUIET, curve_style, fill_steps, ink
from hazboost.plots.display import Display, grid_of_times, times_of_training
from hazboost.plots.observed import observed_curve, read_outcome, survival_band
from hazboost.prediction.predictor import Predictor, check_one_outcome_each
from hazboost.utils.arrays import Array, Indices, as_times
from hazboost.utils.devices import to_host
from hazboost.utils.tables import make_table

Of = Literal["survival", "cumulative_hazard", "hazard", "cumulative_incidence"]
KINDS = ("survival", "cumulative_hazard", "hazard", "cumulative_incidence")
#: Those that `Predictor` predicts of one cause.
BY_CAUSE = ("hazard", "cumulative_incidence")
#: More curves than these cannot be told apart: subjects become thin lines of one colour, and groups are refused.
MOST = len(COLOURS) * len(DASHES)
#: Name of all rows together, among the curves that were observed.
ALL = ""


@dataclass
class SurvivalDisplay(Display):
    """Predicted functions of time, of subjects or of groups, and the Kaplan-Meier estimates to compare them with.

    `from_estimator` makes one.

    Attributes
    ----------
    times : array of shape (times,)
        Times.
    predicted : dict of str to array of shape (times,)
        A curve for each subject or group, by its name.
    observed : dict of str to array of shape (times,)
        Kaplan-Meier or Aalen-Johansen estimates of the groups; with the single key ``""`` of all rows together; or
        none. NaN after the end of follow-up.
    bands : dict of str to pair of arrays of shape (times,)
        Lower and upper ends of pointwise 95 % intervals of the Kaplan-Meier estimates, for ``of="survival"``.
    of : {"survival", "cumulative_hazard", "hazard", "cumulative_incidence"}
        What the curves are.
    outcomes : dict of str to Target
        What was observed, of those and by the names of those in ``observed``.
    """

    times: Array
    predicted: dict[str, Array]
    observed: dict[str, Array]
    bands: dict[str, tuple[Array, Array]]
    of: Of
    outcomes: dict[str, Target] = field(default_factory=dict)

    @classmethod
    def from_estimator(
        cls,
        model: Predictor,
        X: Any,
        y: Any = None,
        of: Of = "survival",
        groups: npt.ArrayLike | None = None,
        times: npt.ArrayLike | None = None,
        cause: int | None = None,
        ax: Any = None,
    ) -> Self:
        """Predict and draw.

        Parameters
        ----------
        model : FPBoost
            A fitted model.
        X : array, DataFrame or sparse matrix of shape (n, features)
            Subjects. Curves without ``groups`` are named by the index of a DataFrame; more than 12 are drawn as thin
            lines without names.
        y : structured array, DataFrame, or pair of arrays, optional
            Outcomes to compare with. With ``groups`` those of the rows of ``X``, and each group has an estimate of
            its own; else those of any subjects, who have one estimate together.
        of : {"survival", "cumulative_hazard", "hazard", "cumulative_incidence"}, default="survival"
            What to draw. A hazard cannot be compared with outcomes.
        groups : array-like of shape (n,), optional
            Label of each row. The curve of a group is the mean of those of its rows; a cumulative hazard is minus the
            logarithm of the mean survival, and a hazard the mean of those still expected to be at risk. Groups are
            drawn in the order in which they appear.
        times : array-like, optional
            Times of the curves; by default 201 until 95 % of the observed times.
        cause : int, optional
            With competing risks the cause of a hazard, by default any, or of a cumulative incidence, by default the
            first. Survival and cumulative hazards are those of all causes together.
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        SurvivalDisplay

        Notes
        -----
        With delayed entry, whoever is at a high risk has often had the event before entry. The mean survival from time
        zero of those who did enter is therefore above their Kaplan-Meier estimate also of a correct model, if risks
        differ much within a group. Groups of similar risk can be compared.

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import SurvivalDisplay
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 2))
        >>> y = np.ones(200, dtype=bool), rng.weibull(1.5, size=200) * np.exp(-X[:, 0])
        >>> model = FPBoost(n_estimators=20, random_state=0).fit(X, y)
        >>> display = SurvivalDisplay.from_estimator(model, X, y, groups=np.where(X[:, 0] > 0, "high", "low"))
        >>> sorted(display.predicted)
        ['high', 'low']
        """
        check_model(model)
        check_of(of, KINDS)
        if of == "hazard" and y is not None:
            raise ValueError(
                "y: there is no simple estimate of a hazard to compare with; leave y out with of='hazard'."
            )
        check_cause_of(model, of, cause, BY_CAUSE)
        target = None if y is None else read_outcome(y)
        grid = grid_of_times(times, times_of_training(model) if target is None else target.lower, zero=of != "hazard")
        curves = _predict(model, X, of, grid, cause)
        observed = {} if target is None else {ALL: target}
        if groups is None:
            predicted = dict(zip(_names_of_subjects(X, len(curves)), curves, strict=True))
        else:
            check_alignment({"X": X, "y": y, "groups": groups})
            if target is not None:
                check_one_outcome_each(target, len(curves))
            rows = _rows_of_groups(groups, len(curves))
            alive = model.predict_survival_function(X, times=grid) if of == "hazard" else None
            predicted = {name: _mean_curve(of, curves, alive, mine) for name, mine in rows.items()}
            observed = {} if target is None else {name: target[mine] for name, mine in rows.items()}
        return cls(
            grid,
            predicted,
            {name: observed_curve(one, of, grid, cause or 1) for name, one in observed.items()},
            {name: survival_band(one, grid) for name, one in observed.items()} if of == "survival" else {},
            of,
            observed,
        ).plot(ax)

    def add_at_risk(self, times: npt.ArrayLike | None = None) -> Self:
        """Write the numbers of subjects at risk below the axes, in a row for each of the groups.

        A subject is at risk at a time if it entered before and was observed until then or longer.

        Parameters
        ----------
        times : array-like, optional
            Times; by default those of the ticks, which become fixed.

        Returns
        -------
        self

        Notes
        -----
        The numbers have the place that they need in figures with matplotlib's constrained layout, as in those that this
        class makes.

        Examples
        --------
        >>> import numpy as np
        >>> from hazboost import FPBoost
        >>> from hazboost.plots import SurvivalDisplay
        >>> X, y = np.arange(100.0)[:, None], (np.ones(100, dtype=bool), np.arange(1.0, 101.0))
        >>> model = FPBoost(n_estimators=5, random_state=0).fit(X, y)
        >>> display = SurvivalDisplay.from_estimator(model, X[:2], y).add_at_risk([0.0, 51.0])
        >>> [text.get_text() for text in display.ax_.texts]
        ['at risk', '100', '50']
        """
        if not self.outcomes:
            raise ValueError("y is needed to count subjects at risk; pass it to from_estimator.")
        write_at_risk(self.ax_, self.outcomes, None if times is None else np.unique(as_times(times)))
        return self

    def frame(self) -> Any:
        """The curves, with the columns curve, kind, time, value, low, high and at_risk.

        Returns
        -------
        DataFrame
            ``kind`` is predicted or observed; ``curve`` is the name of the subject or group, empty for the estimate
            of all rows. ``low`` and ``high`` are the ends of the 95 % interval of a Kaplan-Meier estimate, else NaN;
            ``at_risk`` is the number of subjects at risk, NaN for predictions. Without pandas, a structured array with
            the same names.
        """
        unknown = np.full(len(self.times), np.nan)
        # For each curve its name and kind, and then its numbers.
        curves = [(name, "predicted", values, unknown, unknown, unknown) for name, values in self.predicted.items()]
        for name, values in self.observed.items():
            low, high = self.bands.get(name, (unknown, unknown))
            left = at_risk(self.outcomes[name], self.times) if name in self.outcomes else unknown
            curves.append((name, "observed", values, low, high, left))
        names, kinds, *numbers = zip(*curves, strict=True)
        return make_table(
            {
                "curve": np.repeat(np.array(names, dtype=object), len(self.times)),
                "kind": np.repeat(np.array(kinds, dtype=object), len(self.times)),
                "time": np.tile(self.times, len(curves)),
                **dict(zip(("value", "low", "high", "at_risk"), map(np.concatenate, numbers), strict=True)),
            }
        )

    def _draw(self, axes: list[Any]) -> None:
        (ax,) = axes
        few = len(self.predicted) <= MOST
        for number, (name, values) in enumerate(self.predicted.items()):
            style = curve_style(number) if few else MANY
            ax.plot(self.times, values, label=name if few else None, **style)
            if name in self.observed:
                self._draw_observed(ax, name, style["color"])
        if ALL in self.observed:
            self._draw_observed(ax, ALL, QUIET if few else ink())
        if self.observed:
            colour = QUIET if ALL in self.observed and few else ink()
            label = "Aalen-Johansen" if self.of == "cumulative_incidence" else "Kaplan-Meier"
            ax.plot([], [], color=colour, linewidth=1.0, label=f"{label}, 95 % interval" if self.bands else label)
        ax.set(xlabel="time", ylabel=self.of.replace("_", " "), xlim=(0.0, self.times[-1]))
        ax.set_ylim(0.0, 1.02 if self.of == "survival" else None)

    def _draw_observed(self, ax: Any, name: str, colour: str) -> None:
        look = {"drawstyle": "steps-post", "linewidth": 1.0}
        ax.plot(self.times, self.observed[name], color=colour, **look)
        if name in self.bands:
            fill_steps(ax, self.times, *self.bands[name], color=colour, alpha=0.15)


def _names_of_subjects(X: Any, n: int) -> list[str]:
    """A name for each row: its label in a DataFrame, or its number."""
    index = getattr(X, "index", None)
    labels = range(n) if index is None or callable(index) else list(index)
    names = [label if isinstance(label, str) else f"subject {label}" for label in labels]
    return names if len(set(names)) == n else [f"{name} (row {row})" for row, name in enumerate(names)]


def _rows_of_groups(groups: npt.ArrayLike, n: int) -> dict[str, Indices]:
    """Rows of each group, by its label, in order of appearance."""
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups must have one label for each of the {n} rows of X; got {labels.size}.")
    names = np.array([str(label) for label in labels], dtype=object)
    distinct = list(dict.fromkeys(names))
    if len(distinct) > MOST:
        raise ValueError(f"groups must have at most {MOST} different labels, to be told apart; got {len(distinct)}.")
    return {name: np.flatnonzero(names == name) for name in distinct}


def _predict(model: Predictor, X: Any, of: Of, times: Array, cause: int | None) -> Array:
    """Curves of all rows, of shape (n, times)."""
    curves: Array
    if of == "cumulative_incidence":
        curves = model.predict_cumulative_incidence_function(X, times=times, cause=1 if cause is None else cause)
    elif of == "hazard":
        curves = model.predict_hazard_function(X, times=times, cause=cause)
    else:
        curves = getattr(model, f"predict_{of}_function")(X, times=times)
    host: Array = to_host(curves)
    return host


def _mean_curve(of: Of, curves: Array, alive: Array | None, rows: Indices) -> Array:
    """The curve of a group in which every row has its own."""
    if alive is not None:
        weight = np.maximum(to_host(alive)[rows], np.finfo(float).tiny)
        return np.asarray((weight * curves[rows]).sum(axis=0) / weight.sum(axis=0))
    if of == "cumulative_hazard":
        return np.asarray(np.log(len(rows)) - logsumexp(-curves[rows], axis=0))
    return np.asarray(curves[rows].mean(axis=0))
