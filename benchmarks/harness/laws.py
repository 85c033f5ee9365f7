"""Laws of event times: what is drawn from them, and their exact survival functions.

Times are drawn without the survival function wherever there is a direct way, so that each is a check of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hazboost.utils.arrays import Array

Generator = np.random.Generator
#: A number for all subjects, or one for each.
Values = Array | float
#: Doublings of a bracket, and halvings to double precision.
DOUBLINGS, HALVINGS = 200, 60
#: Steps of an integral between two times.
STEPS = 50

#: From times to probabilities of shape (n, number of times).
Survival = Callable[[Array], Array]


class Law(NamedTuple):
    """Event times of n subjects.

    Attributes
    ----------
    survival : callable
        From times to probabilities of shape (n, number of times).
    draw : callable
        From a random generator to one time for each subject; infinite where the event never comes.
    """

    survival: Survival
    draw: Callable[[Generator], Array]


def weibull(risk: Array, shape: Values = 1.0, scale: Values = 1.0) -> Law:
    r"""Proportional hazards, :math:`S(t) = \exp(-(t / \text{scale})^{\text{shape}} e^{\text{risk}})`."""
    return Law(
        lambda times: np.exp(-((times / _column(scale)) ** _column(shape)) * _column(np.exp(risk))),
        lambda rng: scale * (rng.exponential(size=len(risk)) / np.exp(risk)) ** (1.0 / np.asarray(shape)),
    )


def normal(mean: Array, deviation: float) -> Law:
    """Normally distributed times; means must be many deviations from zero."""
    return Law(
        lambda times: _tail("norm", (times - _column(mean)) / deviation), lambda rng: rng.normal(mean, deviation)
    )


def log_normal(location: Array, scale: float) -> Law:
    """Logarithms of times are normal with this mean and deviation."""
    return Law(
        lambda times: _tail("norm", (_log(times) - _column(location)) / scale),
        lambda rng: rng.lognormal(location, scale),
    )


def log_logistic(location: Array, scale: float) -> Law:
    """Logarithms of times are logistic with this location and scale."""
    return Law(
        lambda times: _tail("logistic", (_log(times) - _column(location)) / scale),
        lambda rng: np.exp(rng.logistic(location, scale)),
    )


def mixture(share: Array, first: Law, second: Law) -> Law:
    """A subject is of the first law with this probability, otherwise of the second."""
    return Law(
        lambda times: _column(share) * first.survival(times) + _column(1.0 - share) * second.survival(times),
        lambda rng: np.where(rng.random(len(share)) < share, first.draw(rng), second.draw(rng)),
    )


def never(n: int) -> Law:
    """The event does not come."""
    return Law(lambda times: np.ones((n, len(times))), lambda _: np.full(n, np.inf))


def delayed(law: Law, start: float) -> Law:
    """Nothing happens before the start."""
    return Law(lambda times: law.survival(np.maximum(times - start, 0.0)), lambda rng: start + law.draw(rng))


def earliest(first: Law, second: Law) -> Law:
    """The earlier of two independent events."""
    return Law(
        lambda times: first.survival(times) * second.survival(times),
        lambda rng: np.minimum(first.draw(rng), second.draw(rng)),
    )


def crossing(risk: Array, log_ratio: Array, turn: float) -> Law:
    """A constant hazard whose logarithm is the sum of both before the turn, and their difference after it."""
    early, late = np.exp(risk + log_ratio), np.exp(risk - log_ratio)

    def draw(rng: Generator) -> Array:
        before = rng.exponential(size=len(risk)) / early
        return np.where(before < turn, before, turn + (before - turn) * early / late)

    def survival(times: Array) -> Array:
        spent = np.minimum(times, turn) * _column(early) + np.maximum(times - turn, 0.0) * _column(late)
        return np.asarray(np.exp(-spent))

    return Law(survival, draw)


def of_hazard(cumulative: Callable[[Array], Array], n: int) -> Law:
    """The law with this cumulative hazard, from times of shape (n, 1) or (1, m) to (n, 1) or (n, m).

    Times are drawn by bisection: the cumulative hazard at the event time is exponential.
    """
    return Law(
        lambda times: np.exp(-cumulative(times[None, :])),
        lambda rng: _invert(cumulative, rng.exponential(size=(n, 1)))[:, 0],
    )


def incidence(first: Survival, others: Survival, times: Array) -> Array:
    r"""Probability that an event of a first kind comes before each time, and before any of the others.

    .. math:: F(t) = -\int_0^t S_{\text{others}}(u) \, d S_{\text{first}}(u)

    by the trapezoidal rule, with many steps between two of the increasing times.

    Parameters
    ----------
    first, others : callable
        Survival functions of a world with this kind of event only, and of one without it.
    times : array
        Increasing.
    """
    edges = np.append(0.0, times)
    fine = np.interp(np.arange(len(times) * STEPS + 1) / STEPS, np.arange(len(edges)), edges)
    one, rest = first(fine), others(fine)
    shares = -np.diff(one, axis=1) * 0.5 * (rest[:, :-1] + rest[:, 1:])
    return np.asarray(np.cumsum(shares, axis=1)[:, STEPS - 1 :: STEPS])


def _invert(increasing: Callable[[Array], Array], level: Array) -> Array:
    """Where an increasing function that is zero at zero reaches the level."""
    upper = np.ones_like(level)
    for _ in range(DOUBLINGS):
        short = increasing(upper) < level
        if not short.any():
            break
        upper = np.where(short, 2.0 * upper, upper)
    lower = np.zeros_like(level)
    for _ in range(HALVINGS):
        middle = 0.5 * (lower + upper)
        short = increasing(middle) < level
        lower, upper = np.where(short, middle, lower), np.where(short, upper, middle)
    return upper


def _column(values: Values) -> Array:
    """Values of subjects as a column, beside rows of times."""
    return np.asarray(values, dtype=np.float64)[..., None]


def _log(times: Array) -> Array:
    """Logarithms, minus infinity at zero."""
    return np.log(times, out=np.full(np.shape(times), -np.inf), where=times > 0.0)


def _tail(name: str, values: Array) -> Array:
    from scipy import stats  # noqa: PLC0415 - takes a second

    distribution: Any = getattr(stats, name)
    return np.asarray(distribution.sf(values))
