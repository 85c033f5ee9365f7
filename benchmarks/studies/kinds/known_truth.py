"""Every kind of survival data against a known truth.

Subjects have a Weibull hazard ``h(t) = 1.5 t^0.5 / s^1.5`` whose scale is ``s = 2 exp(-0.6 x - 0.4 z)``. The features
are x, a switch z and pure noise. Each kind is a way of observing such subjects. The error is the mean absolute
difference of the predicted and the true survival (of the one cause that has this hazard), over new subjects and times.
It is compared with the error of a fit that ignores the kind and takes the data for right-censored and complete.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple, TextIO

import numpy as np

from benchmarks.harness.cells import timed
from benchmarks.harness.observation import entered, inspected
from benchmarks.harness.tables.markdown import grid
from hazboost import FPBoost, Surv
from hazboost.utils.arrays import Array

SIZES = (500, 5_000, 50_000)
SHAPE = 1.5
TIMES = np.linspace(0.2, 4.0, 20)


class Sample(NamedTuple):
    """Features and target of the rows; and those of a fit that ignores the kind."""

    X: Array
    y: Any
    ignorant_features: Array
    ignorant_y: Any


def scale(X: Array) -> Array:
    """Scale of the subjects' event times."""
    return np.asarray(2.0 * np.exp(-0.6 * X[:, 0] - 0.4 * X[:, 1]))


def draw(n: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Features, times of events and times of censoring."""
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 2, n), rng.normal(size=n)])
    return X, scale(X) * rng.weibull(SHAPE, n), rng.uniform(0.5, 6.0, n)


def right(n: int, rng: np.random.Generator) -> Sample:
    """Right censoring; ignored, every time is an event."""
    X, event_time, censoring = draw(n, rng)
    end = np.minimum(event_time, censoring)
    return Sample(X, Surv.right(event_time <= censoring, end), X, Surv.right(np.ones(n), end))


def delayed(n: int, rng: np.random.Generator) -> Sample:
    """Subjects with an event before entry are not in the data; ignored, entry is at zero."""
    X, event_time, censoring = draw(3 * n, rng)
    end, entry = np.minimum(event_time, censoring), rng.uniform(0.0, 3.0, 3 * n)
    rows = entered(end, entry, n)
    event, end = (event_time <= censoring)[rows], end[rows]
    return Sample(X[rows], Surv.right(event, end, entry=entry[rows]), X[rows], Surv.right(event, end))


def interval(n: int, rng: np.random.Generator) -> Sample:
    """Inspections from time to time; ignored, the event is at the inspection that found it."""
    X, event_time, _ = draw(n, rng)
    lower, upper = inspected(event_time, np.cumsum(rng.uniform(0.3, 1.5, (n, 5)), axis=1))
    found = np.isfinite(upper)
    return Sample(X, Surv.interval(lower, upper), X, Surv.right(found, np.where(found, upper, lower)))


def competing(n: int, rng: np.random.Generator) -> Sample:
    """A second cause with a constant hazard; ignored, all events are of one cause."""
    X, event_time, censoring = draw(n, rng)
    other = rng.exponential(2.0, n) * np.exp(0.5 * X[:, 0])
    end = np.min([event_time, other, censoring], axis=0)
    cause = np.where(end == censoring, 0, np.where(end == event_time, 1, 2))
    return Sample(X, Surv.right(cause, end), X, Surv.right(cause > 0, end))


def changing(n: int, rng: np.random.Generator) -> Sample:
    """The switch is turned on at a random time; ignored, its last value holds from the beginning."""
    X, _, censoring = draw(n, rng)
    switch, level = rng.uniform(0.0, 3.0, n), rng.exponential(size=n)
    off, on = X.copy(), X.copy()
    off[:, 1], on[:, 1] = 0.0, 1.0
    before = (switch / scale(off)) ** SHAPE
    late = (np.maximum(level - before, 0.0) + (switch / scale(on)) ** SHAPE) ** (1.0 / SHAPE) * scale(on)
    event_time = np.where(level < before, level ** (1.0 / SHAPE) * scale(off), late)
    end, event = np.minimum(event_time, censoring), event_time <= censoring
    turned = end > switch
    features = np.concatenate([off, on[turned]])
    y = Surv.counting(
        np.r_[np.zeros(n), switch[turned]],
        np.r_[np.minimum(end, switch), end[turned]],
        np.r_[event & ~turned, event[turned]],
        id=np.r_[np.arange(n), np.flatnonzero(turned)],
    )
    last = np.where(turned[:, None], on, off)
    return Sample(features, y, last, Surv.right(event, end))


def recurrent(n: int, rng: np.random.Generator) -> Sample:
    """Events come again with the same hazard; ignored, the gaps between them are the times of new subjects."""
    X, _, censoring = draw(n, rng)
    levels = np.cumsum(rng.exponential(size=(n, 60)), axis=1)
    times = np.minimum(levels ** (1.0 / SHAPE) * scale(X)[:, None], censoring[:, None])
    start = np.column_stack([np.zeros(n), times[:, :-1]])
    subject, number = np.nonzero(start < times)
    begin, end = start[subject, number], times[subject, number]
    event = end < censoring[subject]
    return Sample(X[subject], Surv.counting(begin, end, event, id=subject), X[subject], Surv.right(event, end - begin))


KINDS: dict[str, Callable[[int, np.random.Generator], Sample]] = {
    "right censoring": right,
    "delayed entry": delayed,
    "interval censoring": interval,
    "competing risks": competing,
    "changing covariates": changing,
    "recurrent events": recurrent,
}


def curve_error(X: Array, y: Any) -> float:
    """Fit, and return the mean absolute difference from the true survival."""
    settings: dict[str, Any] = {
        "init": "linear",
        "solver": "newton",
        "reg_lambda": 1.0,
        "n_estimators": 50,
        "learning_rate": 0.05,
    }
    model = FPBoost(1, 1, random_state=0, **settings).fit(X, y)
    level = np.linspace(-1.5, 1.5, 25)
    new = np.column_stack([np.tile(level, 2), np.repeat([0.0, 1.0], 25), np.zeros(50)])
    survival = model.model_.distribution(new).of_cause(1).survival(TIMES)
    truth = np.exp(-((TIMES / scale(new)[:, None]) ** SHAPE))
    return float(np.abs(survival - truth).mean())


def study(kind: str, n: int, seed: int = 0) -> tuple[float, float]:
    """Errors of a fit to one kind of data of one size, and of one that ignores the kind."""
    sample = KINDS[kind](n, np.random.default_rng(seed))
    return curve_error(sample.X, sample.y), curve_error(sample.ignorant_features, sample.ignorant_y)


def print_errors(kinds: Sequence[str], sizes: Sequence[int], stream: TextIO) -> None:
    """Fit to all kinds and sizes, and write a table, line by line."""
    rows = []
    for n in sizes:
        for kind in kinds:
            (error, ignored), seconds = timed(partial(study, kind, n))
            rows.append([kind, f"{n:,}", f"{error:.4f}", f"{ignored:.4f}", f"{seconds:.0f}"])
            lines = grid(["kind", "n", "error", "error, kind ignored", "seconds"], rows)
            stream.write("\n".join(lines if len(rows) == 1 else lines[-1:]) + "\n")
            stream.flush()
