"""The figures that ``hazboost plot`` draws: what each of them needs, and which options it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hazboost.cli.options import count, names, one_time, times
from hazboost.plots import (
    AccumulatedEffectsDisplay,
    CalibrationDisplay,
    ContributionsDisplay,
    DCalibrationDisplay,
    DependenceDisplay,
    HeadsDisplay,
    HistoryDisplay,
    ImportanceDisplay,
    ParametersDisplay,
    ResidualsDisplay,
    RocDisplay,
    ScoresDisplay,
    SurvivalDisplay,
    contributions,
    curves,
    dependence,
    importance,
    plot_selection,
    residuals,
    selection,
)

#: Settings of the options that several figures share, by the name of the option.
OPTIONS: dict[str, dict[str, Any]] = {
    "against": {"metavar": "FEATURE", "help": "feature to draw residuals against; by default the risk"},
    "at": {"type": one_time, "metavar": "TIME", "help": "time of the prediction; by default the one of the risk"},
    "bins": {"type": count, "metavar": "N", "help": "number of groups; by default 10"},
    "cause": {"type": int, "help": "cause, of several"},
    "feature": {"required": True, "help": "the feature"},
    "features": {"type": names, "metavar": "A[,B]", "required": True, "help": "one or two features"},
    "most": {"type": count, "metavar": "N", "help": "number of features to show"},
    "order": {"type": names, "metavar": "A,B,C", "help": "categories of the feature, in an order that makes sense"},
    "residual": {"choices": residuals.KINDS, "help": "kind of residuals; by default cox_snell"},
    "times": {"type": times, "metavar": "1,2,5", "help": "times; by default most of the follow-up"},
}


@dataclass(frozen=True)
class Figure:
    """A kind of figure.

    Attributes
    ----------
    about : str
        What it shows.
    draw : callable
        Takes a model, features and outcomes if it needs them, and the options; returns what it has drawn.
    rows : {"none", "one", "some", "all"}
        Whether it needs a table, and which of its rows.
    outcome : {"none", "optional", "needed"}
        Whether it compares with outcomes.
    options : mapping of str to str
        Options by the name of the argument of ``draw`` that they are.
    of : tuple of str
        What it can be of, the usual one first; none if there is no choice.
    training : bool
        Whether it may also use the outcomes of the training data.
    frame : callable, optional
        Makes the table of numbers from the model, where what is drawn is no display, which has one.
    """

    about: str
    draw: Callable[..., Any]
    rows: Literal["none", "one", "some", "all"] = "all"
    outcome: Literal["none", "optional", "needed"] = "none"
    options: Mapping[str, str] = field(default_factory=dict)
    of: tuple[str, ...] = ()
    training: bool = False
    frame: Callable[..., Any] | None = None


FIGURES = {
    "survival": Figure(
        "predicted curves of subjects or groups, beside Kaplan-Meier estimates",
        SurvivalDisplay.from_estimator,
        rows="some",
        outcome="optional",
        options={"times": "times", "cause": "cause"},
        of=curves.KINDS,
    ),
    "heads": Figure(
        "the hazard of one subject, stacked by head",
        HeadsDisplay.from_estimator,
        rows="one",
        options={"times": "times", "cause": "cause"},
    ),
    "calibration": Figure(
        "predicted against observed probabilities at one time",
        CalibrationDisplay.from_estimator,
        outcome="needed",
        options={"time": "at", "n_bins": "bins", "cause": "cause"},
    ),
    "d-calibration": Figure(
        "predicted survival at the observed times",
        DCalibrationDisplay.from_estimator,
        outcome="needed",
        options={"n_bins": "bins"},
    ),
    "scores": Figure(
        "Brier score and AUC over time",
        ScoresDisplay.from_estimator,
        outcome="needed",
        options={"times": "times", "cause": "cause"},
        training=True,
    ),
    "roc": Figure(
        "sensitivity against one minus specificity at one time, the ROC curve",
        RocDisplay.from_estimator,
        outcome="needed",
        options={"time": "at", "cause": "cause"},
        training=True,
    ),
    "residuals": Figure(
        "where more events happened than were expected, or fewer",
        ResidualsDisplay.from_estimator,
        outcome="needed",
        options={"kind": "residual", "against": "against", "cause": "cause"},
    ),
    "history": Figure("the loss of each boosting round", HistoryDisplay.from_estimator, rows="none"),
    "selection": Figure(
        "the cross-validation that chose ridge and rounds", plot_selection, rows="none", frame=selection.selection_frame
    ),
    "importance": Figure(
        "how much each feature matters",
        ImportanceDisplay.from_estimator,
        options={"most": "most"},
        of=tuple(importance.LABELS),
    ),
    "dependence": Figure(
        "how predictions change with one or two features",
        DependenceDisplay.from_estimator,
        options={"features": "features", "time": "at", "cause": "cause"},
        of=dependence.KINDS,
    ),
    "accumulated": Figure(
        "how predictions change with one feature, where features go together",
        AccumulatedEffectsDisplay.from_estimator,
        options={"feature": "feature", "time": "at", "cause": "cause", "grid": "order"},
        of=dependence.KINDS,
    ),
    "contributions": Figure(
        "what each feature adds to the prediction for one subject, over time",
        ContributionsDisplay.from_estimator,
        rows="one",
        options={"times": "times", "cause": "cause", "most": "most"},
        of=contributions.KINDS,
    ),
    "parameters": Figure("weights, scales and shapes of the heads over subjects", ParametersDisplay.from_estimator),
}
