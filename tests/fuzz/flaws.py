"""Inputs that must be refused, each with the argument that the message has to name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from tests.fuzz.outcomes import give
from tests.fuzz.tables import NAMED, contain, row_labels


@dataclass(frozen=True)
class Inputs:
    """Arguments of a fit, and what ``X`` and ``y`` were made of."""

    raw: Any
    columns: dict[str, np.ndarray]
    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None
    eval_set: Any = None
    settings: dict[str, Any] | None = None

    def arguments(self):
        names = ("X", "y", "sample_weight", "groups", "eval_set")
        return {name: getattr(self, name) for name in names}


def in_column(*names, **change):
    """Spoil one number of the first of these columns that the outcome has."""

    def spoil(case, inputs):
        name = next((name for name in names if name in inputs.columns), None)
        if name is None:
            return None
        values = inputs.columns[name].astype(float)
        values[-1] = change["value"]
        columns = {**inputs.columns, name: values}
        return lambda: replace(inputs, y=give(columns, case.outcome.form, "float"))

    return spoil


def with_columns(make):
    """Give another outcome, made of the columns."""

    def spoil(case, inputs):
        columns = make(inputs.columns)
        if columns is None:
            return None
        return lambda: replace(inputs, y=give({**inputs.columns, **columns}, case.outcome.form, "float"))

    return spoil


def with_arguments(**made):
    """Give other arguments, made of the inputs."""

    def spoil(case, inputs):
        return lambda: replace(inputs, **{name: make(inputs) for name, make in made.items()})

    return spoil


def with_settings(**made):
    """Give other parameters, made of the number of features."""

    def spoil(case, inputs):
        width = len(inputs.raw.columns)
        changed = {name: make(width) for name, make in made.items()}
        return lambda: replace(inputs, settings={**inputs.settings, **changed})

    return spoil


def with_value(value):
    """Put a number into the last row of the first numeric column."""

    def spoil(case, inputs):
        numeric = [i for i, kind in enumerate(inputs.raw.kinds) if kind != "category"]
        if not numeric or case.features.container == "pandas sparse":
            return None
        column = inputs.raw.columns[numeric[0]].copy()
        column[-1] = value
        raw = inputs.raw.with_column(numeric[0], column)
        return lambda: replace(inputs, X=contain(raw, case.features.container, case.features.seed))

    return spoil


def in_frame(make):
    """A DataFrame whose first column is not a number."""

    def spoil(case, inputs):
        if case.features.container not in NAMED:
            return None

        def spoiled():
            frame = contain(inputs.raw, "pandas")
            frame[inputs.raw.names[0]] = make(len(frame))
            return replace(inputs, X=frame)

        return spoiled

    return spoil


def in_another_order(case, inputs):
    """Two tables whose rows have the same labels in another order."""
    rows = len(inputs.raw)
    if rows < 2:
        return None

    def spoiled():
        y = pd.DataFrame({"event": [1] * rows, "time": np.arange(rows) + 1.0}, index=row_labels(rows)[::-1])
        return replace(inputs, X=contain(inputs.raw, "pandas indexed"), y=y, sample_weight=None, groups=None)

    return spoiled


def no_events(columns):
    if "event" in columns:
        return {"event": 0 * columns["event"]}
    return {"upper": np.full(len(columns["upper"]), np.inf), "lower": np.nan_to_num(columns["lower"], neginf=0.0)}


def all_at_zero(columns):
    if "time" in columns and "entry" not in columns:
        return {"time": 0.0 * columns["time"]}
    return None


def too_many_causes(columns):
    return {"event": 99 * (columns["event"] > 0)} if "event" in columns else None


def late_entry(columns):
    return {"entry": columns["time"] + 1.0} if "entry" in columns else None


def empty_periods(columns):
    return {"start": columns["stop"]} if "start" in columns else None


def overlapping(columns):
    if "id" not in columns or len(set(columns["id"])) == len(columns["id"]):
        return None
    return {"start": 0.0 * columns["start"]}


def unordered(columns):
    """All subjects without event until after the last examination."""
    if "lower" not in columns:
        return None
    upper = columns["upper"]
    return {"lower": np.full(len(upper), 1.0 + np.max(upper, where=np.isfinite(upper), initial=0.0))}


def weight_with(value):
    def make(inputs):
        weight = np.ones(len(inputs.raw))
        weight[-1] = value
        return weight

    return make


OF_Y = r"\by\b|Surv\."

#: Name -> (the argument that must be named, what spoils the inputs; None where it does not apply).
FLAWS = {
    "negative time": (OF_Y, in_column("time", "stop", "upper", value=-1.0)),
    "missing time": (OF_Y, in_column("time", "stop", "entry", value=np.nan)),
    "infinite time": (OF_Y, in_column("time", "stop", value=np.inf)),
    "fractional event": (OF_Y, in_column("event", value=0.5)),
    "missing event": (OF_Y, in_column("event", value=np.nan)),
    "negative event": (OF_Y, in_column("event", value=-1.0)),
    "no event": (OF_Y, with_columns(no_events)),
    "all times zero": (OF_Y, with_columns(all_at_zero)),
    "too many causes": (OF_Y, with_columns(too_many_causes)),
    "late entry": (OF_Y, with_columns(late_entry)),
    "empty periods": (OF_Y, with_columns(empty_periods)),
    "overlapping periods": (OF_Y, with_columns(overlapping)),
    "lower after upper": (OF_Y, with_columns(unordered)),
    "rows in another order": (r"\bX and y\b", in_another_order),
    "no y": (r"\by\b", with_arguments(y=lambda inputs: None)),
    "y is a vector": (r"\by\b", with_arguments(y=lambda inputs: np.ones(len(inputs.raw)))),
    "y is a matrix": (r"\by\b", with_arguments(y=lambda inputs: np.ones((len(inputs.raw), 2)))),
    "y is text": (r"\by\b", with_arguments(y=lambda inputs: "event")),
    "events are text": (
        r"\by\b",
        with_arguments(y=lambda inputs: (["yes"] * len(inputs.raw), [1.0] * len(inputs.raw))),
    ),
    "times are text": (
        r"\by\b",
        with_arguments(y=lambda inputs: ([True] * len(inputs.raw), ["late"] * len(inputs.raw))),
    ),
    "times are dates": (
        r"\by\b",
        with_arguments(y=lambda inputs: ([1] * len(inputs.raw), pd.date_range("2020-01-01", periods=len(inputs.raw)))),
    ),
    "y of another length": (
        r"\by\b|groups|sample_weight",
        with_arguments(y=lambda inputs: ([1] * (len(inputs.raw) + 1),) * 2),
    ),
    "infinite feature": (r"\bX\b", with_value(np.inf)),
    "feature beyond single precision": (r"\bX\b", with_value(1e300)),
    "text in X": (r"\bX\b", in_frame(lambda n: ["some text"] * n)),
    "dates in X": (r"\bX\b", in_frame(lambda n: pd.date_range("2020-01-01", periods=n))),
    "X is a vector": (r"\bX\b", with_arguments(X=lambda inputs: np.ones(len(inputs.raw)))),
    "X is a cube": (r"\bX\b", with_arguments(X=lambda inputs: np.ones((len(inputs.raw), 1, 1)))),
    "X is text": (r"\bX\b", with_arguments(X=lambda inputs: np.array([["a"]] * len(inputs.raw)))),
    "no X": (r"\bX\b", with_arguments(X=lambda inputs: None)),
    "no rows": (r"\bX\b|\by\b", with_arguments(X=lambda inputs: inputs.raw.matrix()[:0])),
    "no columns": (r"\bX\b", with_arguments(X=lambda inputs: inputs.raw.matrix()[:, :0])),
    "complex X": (r"\bX\b", with_arguments(X=lambda inputs: inputs.raw.matrix() * 1j)),
    "negative weight": ("sample_weight", with_arguments(sample_weight=weight_with(-1.0))),
    "missing weight": ("sample_weight", with_arguments(sample_weight=weight_with(np.nan))),
    "infinite weight": ("sample_weight", with_arguments(sample_weight=weight_with(np.inf))),
    "weights all zero": ("sample_weight", with_arguments(sample_weight=lambda inputs: np.zeros(len(inputs.raw)))),
    "weights of another length": (
        "sample_weight",
        with_arguments(sample_weight=lambda inputs: np.ones(len(inputs.raw) + 1)),
    ),
    "weights are text": ("sample_weight", with_arguments(sample_weight=lambda inputs: ["heavy"] * len(inputs.raw))),
    "one weight": ("sample_weight", with_arguments(sample_weight=lambda inputs: 2.0)),
    "groups of another length": ("groups", with_arguments(groups=lambda inputs: np.ones(len(inputs.raw) + 1))),
    "missing group": ("groups", with_arguments(groups=weight_with(np.nan))),
    "groups of two columns": ("groups", with_arguments(groups=lambda inputs: np.ones((len(inputs.raw), 2)))),
    "eval_set is no pair": ("eval_set", with_arguments(eval_set=lambda inputs: inputs.X)),
    "eval_set without y": ("eval_set", with_arguments(eval_set=lambda inputs: (inputs.X, None))),
    "no rounds": ("n_estimators", with_settings(n_estimators=lambda width: 0)),
    "no depth": ("max_depth", with_settings(max_depth=lambda width: 0)),
    "negative rate": ("learning_rate", with_settings(learning_rate=lambda width: -0.1)),
    "unknown head": ("heads", with_settings(heads=lambda width: {"cauchy": 1})),
    "unknown activation": ("heads_activation", with_settings(heads_activation=lambda width: "swish")),
    "too many directions": (
        "monotone_constraints",
        with_settings(monotone_constraints=lambda width: [1] * (width + 1)),
    ),
    "unknown direction": ("monotone_constraints", with_settings(monotone_constraints=lambda width: [2] * width)),
    "direction of no feature": (
        "monotone_constraints",
        with_settings(monotone_constraints=lambda width: {"no such feature": 1}),
    ),
    "group of no feature": (
        "interaction_constraints",
        with_settings(interaction_constraints=lambda width: [[0, width]]),
    ),
    "flat groups": ("interaction_constraints", with_settings(interaction_constraints=lambda width: [0])),
}
