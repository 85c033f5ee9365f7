"""The situations: features, the law of the event times given them, and how they are observed."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from benchmarks.harness import laws
from benchmarks.harness.laws import Law
from benchmarks.peers.shared.base import Sample
from benchmarks.studies.truth.observing import (
    RECRUITED,
    Observe,
    Scale,
    censored,
    late,
    mostly_censored,
    visited,
    with_causes,
    with_one_censored_at,
)
from hazboost.utils.arrays import Array

#: Subjects that the median and the horizon of a situation are computed from.
POPULATION = 20_000


@dataclass(frozen=True)
class Situation:
    """A known truth and a way to observe it.

    Attributes
    ----------
    title : str
        What is special, in a few words.
    columns : int
        Number of features, which are independent standard normal.
    law : callable
        From the features to the law of the event times.
    observe : callable
        How event times become data.
    needs : str
        What a model must take besides right censoring: ``"entry"`` or ``"interval"``; nothing by default.
    judged : float
        Curves are judged up to this quantile of the true event times.
    drawn : int
        Subjects drawn for each row of the data.
    """

    title: str
    columns: int
    law: Callable[[Array], Law]
    observe: Observe = censored
    needs: str = ""
    judged: float = 0.95
    drawn: int = 1


class Subjects(NamedTuple):
    """New subjects with everything that is true of them."""

    X: Array
    time: Array
    law: Law


def draw(situation: Situation, n: int, rng: np.random.Generator) -> Subjects:
    """Subjects and their event times, without any censoring."""
    X = rng.normal(size=(n, situation.columns))
    law = situation.law(X)
    return Subjects(X, law.draw(rng), law)


def observe(name: str, n: int, rng: np.random.Generator) -> Sample:
    """A data set of n rows of a situation."""
    situation = SITUATIONS[name]
    subjects = draw(situation, n * situation.drawn, rng)
    return situation.observe(subjects.X, subjects.time, rng, scale_of(name))


@cache
def scale_of(name: str) -> Scale:
    """Median of the event times, and the time up to which curves are judged, of those who have an event at all."""
    time = draw(SITUATIONS[name], POPULATION, np.random.default_rng(seed_of(name))).time
    median, horizon = np.quantile(time[np.isfinite(time)], [0.5, SITUATIONS[name].judged])
    return Scale(float(median), float(horizon))


def seed_of(name: str) -> int:
    """A seed for each name."""
    return zlib.crc32(name.encode())


def linear(X: Array) -> Array:
    """Effects of three features."""
    return np.asarray(0.8 * X[:, 0] - 0.6 * X[:, 1] + 0.4 * X[:, 2])


def logistic(values: Array) -> Array:
    """Probabilities out of numbers."""
    return np.asarray(1.0 / (1.0 + np.exp(-values)))


def signs_differ(X: Array) -> Array:
    """Whether the first two features have different signs; neither has an effect alone."""
    return np.asarray(2.0 * (X[:, 0] * X[:, 1] < 0.0))


def bathtub(X: Array) -> Law:
    """The hazard falls, stays low, and rises."""
    risk = np.exp(0.7 * linear(X))[:, None]
    return laws.of_hazard(lambda t: risk * (0.4 * np.sqrt(t) + 0.02 * t**5), len(X))


def seasonal(X: Array) -> Law:
    """The hazard has a period of one; in winter it is nineteen times as high as in summer."""
    risk, turn = 0.4 * np.exp(linear(X))[:, None], 2.0 * np.pi
    return laws.of_hazard(lambda t: risk * (t + 0.9 * (1.0 - np.cos(turn * t)) / turn), len(X))


def gompertz(X: Array) -> Law:
    """Ages at death, with a hazard that doubles in seven years."""
    risk = 3e-4 * np.exp(0.5 * linear(X))[:, None]
    return laws.of_hazard(lambda t: risk * np.expm1(0.1 * np.minimum(t, 1e3)), len(X))


def fading(X: Array) -> Law:
    """The hazard ratio is large at the beginning and tends to one."""
    excess = np.expm1(1.5 * linear(X))[:, None]
    return laws.of_hazard(lambda t: 0.5 * (t - 0.7 * excess * np.expm1(-t / 0.7)), len(X))


def pregnancies(X: Array) -> Law:
    """Durations that are normal with mean 280 and deviation 12 over all subjects, a quarter of it due to a feature."""
    return laws.normal(280.0 + 6.0 * X[:, 0], np.sqrt(12.0**2 - 6.0**2))


def two_peaks(X: Array) -> Law:
    """Early or late, each with little spread; a feature decides which is likely."""
    n = len(X)
    return laws.mixture(
        logistic(1.5 * X[:, 0]), laws.log_normal(np.zeros(n), 0.2), laws.log_normal(np.full(n, np.log(6.0)), 0.2)
    )


def two_moving_peaks(X: Array) -> Law:
    """Half of the subjects are early, whoever they are; a feature moves both peaks."""
    return laws.mixture(
        np.full(len(X), 0.5), laws.normal(40.0 + 4.0 * X[:, 0], 4.0), laws.normal(90.0 + 4.0 * X[:, 0], 4.0)
    )


def partly_cured(X: Array) -> Law:
    """Some never have the event, who they are depends on a feature."""
    return laws.mixture(logistic(X[:, 0] - 0.8), laws.never(len(X)), laws.weibull(0.7 * X[:, 1], 1.5))


def two_causes(X: Array) -> Law:
    """The earlier of two events."""
    return laws.earliest(laws.weibull(linear(X), 1.5), laws.weibull(-0.5 * X[:, 0], 0.8, 2.0))


def first_of_two_causes(X: Array, time: Array) -> Array:
    """Probability that an event of `two_causes` at some time is of the first cause, from the two hazards."""
    first = 1.5 * time**0.5 * np.exp(linear(X))
    second = 0.8 / 2.0 * (time / 2.0) ** -0.2 * np.exp(-0.5 * X[:, 0])
    return np.asarray(first / (first + second))


SITUATIONS: dict[str, Situation] = {
    "exponential": Situation("exponential", 5, lambda X: laws.weibull(linear(X))),
    "weibull_falling": Situation("Weibull, shape 0.7", 5, lambda X: laws.weibull(linear(X), 0.7)),
    "weibull": Situation("Weibull, shape 1.5", 5, lambda X: laws.weibull(linear(X), 1.5)),
    "weibull_rising": Situation("Weibull, shape 3", 5, lambda X: laws.weibull(linear(X), 3.0)),
    "strong_effects": Situation("strong, shape 10", 5, lambda X: laws.weibull(4.0 * linear(X), 10.0)),
    "log_logistic": Situation("log-logistic AFT", 5, lambda X: laws.log_logistic(-linear(X), 0.5)),
    "log_normal": Situation("log-normal AFT", 5, lambda X: laws.log_normal(-linear(X), 0.7)),
    "xor_2": Situation("signs differ, p = 2", 2, lambda X: laws.weibull(signs_differ(X), 1.5)),
    "xor_3": Situation("signs differ, p = 3", 3, lambda X: laws.weibull(signs_differ(X), 1.5)),
    "reversed": Situation("reversed effect", 5, lambda X: laws.weibull(X[:, 0] * np.sign(X[:, 1]), 1.5)),
    "product": Situation("product, p = 10", 10, lambda X: laws.weibull(0.5 * X[:, 0] + X[:, 3] * X[:, 7], 1.5)),
    "crossing": Situation(
        "crossing hazards", 5, lambda X: laws.weibull(0.3 * X[:, 1], np.where(X[:, 0] > 0.0, 2.5, 0.6))
    ),
    "bathtub": Situation("bathtub hazard", 5, bathtub),
    "two_peaks": Situation("two peaks, mixed", 5, two_peaks),
    "two_moving_peaks": Situation("two peaks, moved", 5, two_moving_peaks),
    "guarantee": Situation("guarantee time", 5, lambda X: laws.delayed(laws.weibull(linear(X)), 1.0)),
    "seasonal": Situation("seasonal hazard", 5, seasonal),
    "normal_280": Situation("normal(280, 12)", 2, pregnancies),
    "normal_280_outlier": Situation("same, one at 2,800", 2, pregnancies, with_one_censored_at(2_800.0)),
    "age_999": Situation("ages, one of 999", 5, gompertz, with_one_censored_at(999.0)),
    "cure": Situation("cure fraction", 5, partly_cured),
    "no_effect": Situation("no effect, p = 10", 10, lambda X: laws.weibull(np.zeros(len(X)), 1.5)),
    "many_features": Situation("47 noise features", 50, lambda X: laws.weibull(linear(X), 1.5)),
    "threshold": Situation(
        "thresholds", 5, lambda X: laws.weibull(1.5 * (X[:, 0] > 0.5) - 1.0 * (X[:, 1] > -0.5), 1.5)
    ),
    "u_shape": Situation("U-shaped effect", 5, lambda X: laws.weibull(0.8 * X[:, 0] ** 2 + 0.4 * X[:, 1], 1.5)),
    "fading": Situation("fading effect", 5, fading),
    "two_causes": Situation("two causes, either", 5, two_causes, with_causes(first_of_two_causes)),
    "delayed_entry": Situation(
        "delayed entry", 5, lambda X: laws.weibull(linear(X), 1.5), late, "entry", drawn=RECRUITED
    ),
    "intervals": Situation("intervals", 5, lambda X: laws.weibull(linear(X), 1.5), visited, "interval"),
    "mostly_censored": Situation(
        "90 % censored", 5, lambda X: laws.weibull(linear(X), 1.5), mostly_censored, judged=0.23
    ),
}
