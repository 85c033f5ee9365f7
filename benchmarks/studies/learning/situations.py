"""The situations: the laws of one or several causes given twenty features, and the data that are seen of them."""

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
from hazboost.utils.arrays import Array

COLUMNS = 20
#: Censoring times are exponential with this mean, whatever the features.
CENSORING = 2.0
#: Subjects that the quantiles of the event time are computed from.
POPULATION = 200_000
QUANTILES = np.linspace(0.05, 0.95, 19)


@dataclass(frozen=True)
class Situation:
    """A known truth.

    Attributes
    ----------
    title : str
        What is special, in a few words.
    laws : callable
        From the features, which are independent standard normal, to the laws of the causes, of which the earliest
        comes.
    """

    title: str
    laws: Callable[[Array], tuple[Law, ...]]


class Subjects(NamedTuple):
    """Subjects with everything that is true of them; `cause` is 1, 2 and so on."""

    X: Array
    time: Array
    cause: Array
    laws: tuple[Law, ...]

    def survival(self, times: Array) -> Array:
        """True probabilities that no event has come, subjects by times."""
        return np.asarray(np.prod([law.survival(times) for law in self.laws], axis=0))

    def incidence(self, times: Array) -> Array:
        """True probabilities that an event of the first cause has come before the other, subjects by times."""
        first, second = self.laws
        return laws.incidence(first.survival, second.survival, times)


def draw(name: str, n: int, rng: np.random.Generator) -> Subjects:
    """Subjects with the time and cause of their events, without any censoring."""
    X = rng.normal(size=(n, COLUMNS))
    of_causes = SITUATIONS[name].laws(X)
    times = np.array([law.draw(rng) for law in of_causes])
    return Subjects(X, times.min(axis=0), 1 + times.argmin(axis=0), of_causes)


def observe(name: str, n: int, rng: np.random.Generator) -> Sample:
    """A right-censored data set of n rows; the event is the number of the cause where there are several."""
    subjects = draw(name, n, rng)
    limit = rng.exponential(CENSORING, n)
    seen = subjects.time <= limit
    event = seen if len(subjects.laws) == 1 else np.where(seen, subjects.cause, 0)
    return Sample(subjects.X, event, np.minimum(subjects.time, limit))


@cache
def times_of(name: str) -> Array:
    """Times at which curves are judged: nineteen quantiles of the event time of all subjects."""
    rng = np.random.default_rng(seed_of(name))
    return np.asarray(np.quantile(draw(name, POPULATION, rng).time, QUANTILES))


def seed_of(name: str) -> int:
    """A seed for each situation."""
    return zlib.crc32(f"learning {name}".encode())


def interactions(X: Array) -> tuple[Law, ...]:
    """Proportional hazards: a line, a product, a kink and a step."""
    risk = 0.7 * X[:, 0] + 0.6 * X[:, 1] * X[:, 2] - 0.5 * np.abs(X[:, 3]) + 0.4 * (X[:, 4] > 0.5)
    return (laws.weibull(risk, 1.5),)


def smooth(X: Array) -> tuple[Law, ...]:
    """Proportional hazards: waves, squares and two products."""
    alone = 0.6 * np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] - 0.25 * X[:, 2] ** 2
    return (laws.weibull(alone + 0.5 * X[:, 3] * X[:, 4] + 0.4 * X[:, 5] * np.sin(X[:, 6]), 1.2),)


def shape(X: Array) -> tuple[Law, ...]:
    """The Weibull shape depends on a feature, so that hazards are not proportional; the risk depends on others."""
    risk = 0.6 * np.sin(2.0 * X[:, 1]) + 0.5 * X[:, 2] * X[:, 3] + 0.5 * X[:, 4]
    return (laws.weibull(risk, np.clip(np.exp(0.4 * X[:, 0] + 0.2), 0.7, 2.5)),)


def steps(X: Array) -> tuple[Law, ...]:
    """Every effect is a step, also that on the shape."""
    both = (X[:, 3] > 0.0) & (X[:, 4] > 0.0)
    risk = 0.8 * (X[:, 1] > 0.0) - 0.6 * (X[:, 2] > 0.5) + 0.7 * both - 0.5 * (X[:, 5] < -1.0)
    return (laws.weibull(risk, np.where(X[:, 0] > 0.0, 2.0, 0.8)),)


def crossing(X: Array) -> tuple[Law, ...]:
    """The group that is at a higher risk first is at a lower one later."""
    risk = 0.5 * X[:, 1] + 0.4 * X[:, 2] * X[:, 3] - 0.3 * np.abs(X[:, 4])
    return (laws.crossing(risk, np.where(X[:, 0] > 0.0, 0.8, -0.8), 0.7),)


def causes(X: Array) -> tuple[Law, ...]:
    """Two causes that depend on different features."""
    first = 0.7 * X[:, 0] + 0.6 * X[:, 1] * X[:, 2] - 0.4
    second = -0.6 * X[:, 3] + 0.5 * np.abs(X[:, 4]) + 0.4 * (X[:, 1] > 0.5) - 0.8
    return laws.weibull(first, 1.5), laws.weibull(second, 0.8)


SITUATIONS = {
    "interactions": Situation("interactions", interactions),
    "smooth": Situation("smooth effects", smooth),
    "shape": Situation("shape depends on a feature", shape),
    "steps": Situation("steps, also of the shape", steps),
    "crossing": Situation("crossing hazards", crossing),
    "causes": Situation("two causes", causes),
}
