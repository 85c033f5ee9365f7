r"""Simulated data sets of any size, of which the true survival functions are known.

Ten numbers and three categories, of which some values are missing. Let :math:`x` be the numbers, standard normal, the
first two of them with a correlation of 0.5, and

.. math:: f(x) = 0.6 \sin 2 x_0 + 0.5 |x_1| + 0.5 x_2 x_3 + 0.7 [x_4 > 0.5] - 0.3 x_5 + \text{region} + \text{grade}

with the effects of 12 regions, of which the last is 12 times as rare as the first, and of 3 grades. The third category
and the numbers that are not mentioned are noise. There are three situations:

- ``proportional``: Weibull, :math:`S = \exp(-t^{1.3} e^f)`; censored at a constant rate, 41 %.
- ``changing``: hazards cross, as the shape depends on features, :math:`S = \exp(-0.15\, t^k e^f)` with
  :math:`\log k = 0.4 x_0 + 0.5 [x_6 > 0]`; recruited evenly up to the end of the study, 71 % are censored.
- ``accelerated``: log-normal, :math:`\log t = -0.7 f + s e`, with a spread :math:`s = 0.3 + 0.6 [x_7 > 0]` that depends
  on a feature; censored at a constant rate, 34 %.

Missing are, given the other features at random, 20 % of :math:`x_2`, 10 % of the grades, and :math:`x_0` the more often
the larger :math:`x_1` is (18 % on average). The true survival functions are those given the complete features, so that
no model can have an error of zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from benchmarks.studies.accuracy.dataset import Dataset, seed_of
from hazboost.utils.arrays import Array, Indices

NUMBERS = 10
CORRELATION = 0.5
REGIONS = np.linspace(-0.6, 0.6, 12)[[5, 0, 9, 3, 11, 7, 2, 10, 1, 6, 8, 4]]
GRADES = np.array([-0.5, 0.0, 0.5])
NOISE_LEVELS = 5

Generator = np.random.Generator
#: From a random generator and the number of rows to censoring times.
Limits = Callable[[Generator, int], Array]


class Features(NamedTuple):
    """Complete features of all rows."""

    x: Array
    region: Indices
    grade: Indices
    noise: Indices


class Situation(NamedTuple):
    """From features to survival functions and event times, and the times at which subjects are censored.

    Attributes
    ----------
    survival : callable
        From features and times to probabilities of shape (rows, times).
    inverse : callable
        From features and levels in (0, 1), one for each row, to the times at which survival is that level.
    limits : callable
        As above.
    """

    survival: Callable[[Features, Array], Array]
    inverse: Callable[[Features, Array], Array]
    limits: Limits


def simulate(situation: str, rows: int) -> Dataset:
    """A data set, which depends on the situation and the number of rows only."""
    name = name_of(situation, rows)
    rng, law = np.random.default_rng(seed_of(name)), SITUATIONS[situation]
    features = draw(rng, rows)
    time, limit = law.inverse(features, rng.random(rows)), law.limits(rng, rows)
    return Dataset(
        name=name,
        X=observed(features, rng),
        event=time <= limit,
        time=np.minimum(time, limit),
        subject=np.arange(rows),
        truth=lambda chosen, times: law.survival(rows_of(features, chosen), times),
    )


def name_of(situation: str, rows: int) -> str:
    """Name of a data set."""
    return f"{situation}_{rows}"


def draw(rng: Generator, rows: int) -> Features:
    """Complete features."""
    x = rng.standard_normal((rows, NUMBERS))
    x[:, 1] = CORRELATION * x[:, 0] + np.sqrt(1.0 - CORRELATION**2) * x[:, 1]
    frequency = np.arange(len(REGIONS), 0, -1) / np.arange(len(REGIONS) + 1).sum()
    return Features(
        x,
        rng.choice(len(REGIONS), size=rows, p=frequency),
        rng.integers(len(GRADES), size=rows),
        rng.integers(NOISE_LEVELS, size=rows),
    )


def observed(features: Features, rng: Generator) -> pd.DataFrame:
    """The table with its missing values."""
    x, rows = features.x.copy(), len(features.x)
    x[rng.random(rows) < 0.2, 2] = np.nan
    x[rng.random(rows) < 1.0 / (1.0 + np.exp(1.8 - features.x[:, 1])), 0] = np.nan
    grade = np.where(rng.random(rows) < 0.1, -1, features.grade)
    categories = {"region": features.region, "grade": grade, "noise": features.noise}
    table = pd.DataFrame(x, columns=[f"num_{i}" for i in range(NUMBERS)])
    return table.assign(**{f"fac_{name}": _category(codes) for name, codes in categories.items()})


def _category(codes: Indices) -> pd.Categorical:
    return pd.Categorical.from_codes(codes, [f"level {i}" for i in range(codes.max() + 1)])


def rows_of(features: Features, chosen: Indices) -> Features:
    """Features of some rows."""
    return Features(features.x[chosen], features.region[chosen], features.grade[chosen], features.noise[chosen])


def score(features: Features) -> Array:
    """The score f of the module's text."""
    x = features.x
    numbers = (
        0.6 * np.sin(2.0 * x[:, 0])
        + 0.5 * np.abs(x[:, 1])
        + 0.5 * x[:, 2] * x[:, 3]
        + 0.7 * (x[:, 4] > 0.5)
        - 0.3 * x[:, 5]
    )
    return np.asarray(numbers + REGIONS[features.region] + GRADES[features.grade])


def constant_shape(features: Features) -> Array:
    """The shape of proportional hazards."""
    return np.full(len(features.x), 1.3)


def changing_shape(features: Features) -> Array:
    """Shapes that make hazards cross."""
    return np.exp(0.4 * features.x[:, 0] + 0.5 * (features.x[:, 6] > 0.0))


def weibull(rate: float, shape: Callable[[Features], Array], limits: Limits) -> Situation:
    """Weibull times with the score as log-risk."""

    def survival(features: Features, times: Array) -> Array:
        return np.asarray(np.exp(-rate * times ** shape(features)[:, None] * np.exp(score(features))[:, None]))

    def inverse(features: Features, level: Array) -> Array:
        return np.asarray((-np.log(level) / (rate * np.exp(score(features)))) ** (1.0 / shape(features)))

    return Situation(survival, inverse, limits)


def log_normal(limits: Limits) -> Situation:
    """Log-normal times of which features decide on the spread."""

    def spread(features: Features) -> Array:
        return np.asarray(0.3 + 0.6 * (features.x[:, 7] > 0.0))

    def survival(features: Features, times: Array) -> Array:
        return np.asarray(ndtr(-(np.log(times) + 0.7 * score(features)[:, None]) / spread(features)[:, None]))

    def inverse(features: Features, level: Array) -> Array:
        return np.asarray(np.exp(-0.7 * score(features) - spread(features) * ndtri(level)))

    return Situation(survival, inverse, limits)


SITUATIONS = {
    "proportional": weibull(1.0, constant_shape, lambda rng, rows: rng.exponential(1.0, rows)),
    "changing": weibull(0.15, changing_shape, lambda rng, rows: rng.uniform(0.0, 2.0, rows)),
    "accelerated": log_normal(lambda rng, rows: rng.exponential(2.0, rows)),
}
