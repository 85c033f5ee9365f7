"""Outcomes of every kind, in every form that is accepted as ``y``."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl

from hazboost import Surv
from tests.fuzz.tables import row_labels

try:
    import pyarrow as pa
except ImportError:
    pa = None

EVENT_TYPES = {
    "bool": lambda cause: cause > 0 if cause.max(initial=0) <= 1 else cause,
    "int": lambda cause: cause,
    "float": lambda cause: cause.astype(float),
    "object": lambda cause: cause.astype(object),
    "small": lambda cause: cause.astype(np.uint8),
}


# Times and events


TIMES = {
    "spread": lambda spread: spread,
    "integers": lambda spread: np.ceil(10.0 * spread),
    "ties": lambda spread: np.ceil(2.0 * spread).clip(1.0, 3.0),
    "equal": np.ones_like,
    "zeros": lambda spread: np.where(np.arange(len(spread)) % 3 == 1, 0.0, spread),
    "one late": lambda spread: np.where(np.arange(len(spread)) == len(spread) - 1, 1e4, spread),
    "one early": lambda spread: np.where(np.arange(len(spread)) == 0, 1e-6, spread),
}


def draw_times(outcome, rows, rng):
    """Times before they are scaled, most of them below 3."""
    return TIMES[outcome.times](rng.weibull(rng.choice([0.5, 1.0, 3.0]), rows) + 1e-3)


def draw_causes(outcome, rows, rng):
    """The cause of each row's event, 0 for none; at least one event, and no cause left out."""
    share = {"most": 0.7, "few": 0.15, "one": 0.0, "all": 1.0}[outcome.events]
    happened = rng.random(rows) < share
    happened[rng.integers(rows)] = True
    cause = np.zeros(rows, dtype=int)
    cause[happened] = rng.permutation(np.arange(happened.sum()) % outcome.causes) + 1
    return cause


def observe_right(outcome, rows, rng):
    return {"event": draw_causes(outcome, rows, rng), "time": draw_times(outcome, rows, rng)}


def observe_entry(outcome, rows, rng):
    seen = observe_right(outcome, rows, rng)
    early = seen["time"] * rng.uniform(0.0, 0.9, rows)
    return {**seen, "entry": np.where(rng.random(rows) < 0.5, 0.0, early)}


def observe_counting(outcome, rows, rng):
    """Rows of about half as many subjects, one after the other in time, some with gaps, in any order."""
    subject = np.sort(rng.integers(0, max(1, rows // 2), rows))
    length = np.maximum(draw_times(outcome, rows, rng), 1e-3)
    first = np.r_[True, subject[1:] != subject[:-1]]
    gap = np.where(first | (rng.random(rows) < 0.2), 0.1 * length, 0.0) * (rng.random() < 0.5)
    stop = np.empty(rows)
    for row in range(rows):
        stop[row] = (0.0 if first[row] else stop[row - 1]) + gap[row] + length[row]
    start = np.where(first, gap, np.r_[0.0, stop[:-1]] + gap)
    order = rng.permutation(rows)
    cause = draw_causes(outcome, rows, rng)
    return {"event": cause, "start": start[order], "stop": stop[order], "id": subject[order]}


def observe_periods(outcome, rows, rng):
    """Rows without id: each a subject of its own."""
    return {name: values for name, values in observe_counting(outcome, rows, rng).items() if name != "id"}


def observe_interval(outcome, rows, rng):
    """Exact times, and left, right and interval censoring; at least one event."""
    time = draw_times(outcome, rows, rng)
    how = rng.choice(["exact", "left", "right", "between"], rows, p=[0.3, 0.2, 0.3, 0.2])
    how[rng.integers(rows)] = rng.choice(["exact", "left", "between"])
    lower = np.select([how == "left", how == "between"], [rng.choice([0.0, np.nan, -np.inf]), 0.5 * time], time)
    upper = np.select([how == "right", how == "between"], [rng.choice([np.inf, np.nan]), 1.5 * time], time)
    return {"lower": lower, "upper": upper}


def observe_rounded(outcome, rows, rng):
    """Whole numbers of periods, as the intervals that they stand for."""
    event, time = draw_causes(outcome, rows, rng) > 0, np.ceil(3.0 * draw_times(outcome, rows, rng)).clip(1.0)
    y = Surv.rounded(event, time, rng.choice(["visit", "up", "down", "nearest"]), unit=1.0)
    return {name: y[name] for name in y.dtype.names}


KINDS = {
    "right": observe_right,
    "entry": observe_entry,
    "counting": observe_counting,
    "periods": observe_periods,
    "interval": observe_interval,
    "rounded": observe_rounded,
}
TIME_COLUMNS = ("time", "entry", "start", "stop", "lower", "upper")


def observe(outcome, rows):
    """Columns of the outcome, by name, in the user's unit of time."""
    columns = KINDS[outcome.kind](outcome, rows, np.random.default_rng(outcome.seed))
    return in_unit(columns, 10.0**outcome.exponent)


def in_unit(columns, factor):
    """The same outcome with all times multiplied."""
    return {name: factor * values if name in TIME_COLUMNS else values for name, values in columns.items()}


# Forms


def as_structured(columns, names=None):
    names = list(columns) if names is None else names
    y = np.empty(len(columns[next(iter(columns))]), [(name, columns[name].dtype) for name in names])
    for name in names:
        y[name] = columns[name]
    return y


def with_surv(columns):
    if "lower" in columns:
        return Surv.interval(**columns)
    return Surv.counting(**columns) if "start" in columns else Surv.right(**columns)


def with_formula(columns):
    frame = pd.DataFrame(columns)
    if "lower" in columns:
        return Surv.formula('Surv(lower, upper, type="interval2")', frame)
    if "start" in columns:
        return Surv.formula("Surv(start, stop, event)", frame, id="id" if "id" in columns else None)
    return Surv.formula("Surv(time, event)", frame)


def renamed(columns):
    return as_structured({"status": columns["event"], "days": columns["time"]})


def reversed_columns(columns):
    return {name: columns[name] for name in reversed(columns)}


def with_labels(columns):
    frame = pd.DataFrame(columns)
    return frame.set_axis(row_labels(len(frame)))


#: Forms of every kind, and those of two columns only.
FORMS = {
    "surv": with_surv,
    "structured": as_structured,
    "structured, reversed": lambda columns: as_structured(reversed_columns(columns)),
    "pandas": pd.DataFrame,
    "pandas, reversed": lambda columns: pd.DataFrame(reversed_columns(columns)),
    "pandas, with features": lambda columns: pd.DataFrame({"x0": 0.0, **columns}),
    "pandas, indexed": with_labels,
    "polars": lambda columns: pl.DataFrame({name: pl.Series(list(values)) for name, values in columns.items()}),
}
PAIRS = {
    "pair": lambda columns: (columns["event"], columns["time"]),
    "lists": lambda columns: [list(columns["event"]), list(columns["time"])],
    "renamed": renamed,
}
if pa is not None:
    FORMS["arrow"] = lambda columns: pa.table({name: pa.array(list(values)) for name, values in columns.items()})


def forms_of(columns):
    """Names of the forms that these columns can have."""
    formula = [] if "entry" in columns else ["formula"]
    return [*FORMS, *formula, *(PAIRS if set(columns) == {"event", "time"} else [])]


def give(columns, form, event_type="bool"):
    """The outcome as ``y``."""
    if "event" in columns:
        columns = {**columns, "event": EVENT_TYPES[event_type](columns["event"])}
    return {**FORMS, **PAIRS, "formula": with_formula}[form](columns)
