"""A fitted model: trees, heads, and the way from features to distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hazboost.data.features import Schema
from hazboost.engines.base import Engine, Trees
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import LARGEST_EXPONENT, Mixture, columns, shrink
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.blocks import for_each_block
from hazboost.utils.devices import is_on_device

#: Rows whose scores are computed at a time, because engines and linear starts make copies of the features.
BLOCK, BLOCK_ON_DEVICE = 2**14, 2**24


class Start(Protocol):
    """Scores before the first tree."""

    def margin(self, X: Any) -> Array:
        """Scores of each row, of shape (n, scores)."""

    def contributions(self, X: Any) -> tuple[Array, Array]:
        """What all rows share, of shape (scores,), and what each feature adds, of shape (n, scores, features)."""


@dataclass(frozen=True)
class Model:
    """What training leaves behind.

    Attributes
    ----------
    engine : Engine
        Reads the trees.
    boosters : tuple of Trees
        The trees, in one ensemble or more.
    shares : array of shape (ensembles,)
        The weight of each ensemble in the mean of their scores; together one.
    start : Start
        Scores before the first tree; the linear part, where there is one.
    mixture : Mixture
        The heads.
    trust : array of shape (scores,)
        Shrinkage of the trees: what they add to each score is multiplied by this.
    schema : Schema
        How features are read.
    unit : float
        The mixture's unit of time, in the user's.
    horizon, longest : float
        Time up to which risks are compared, and the longest follow-up in training, in the user's unit.
    """

    engine: Engine
    boosters: tuple[Trees, ...]
    shares: Array
    start: Start
    mixture: Mixture
    trust: Array
    schema: Schema
    unit: float
    horizon: float
    longest: float

    @property
    def linear_effect(self) -> str | None:
        """What features act on before the first tree, ``"hazard"`` or ``"time"``; None where they do not act."""
        return getattr(self.start, "acts_on", None)

    def distribution(self, X: Any, n_threads: int = 1) -> Distribution:
        """Predict the event-time distributions of the subjects with the given readable features.

        What is asked of the distributions is computed by ``n_threads`` threads.
        """
        encoded = self.engine.nearer(self.schema.encode(X))
        return Distribution(self.mixture, self.scores(encoded, n_threads), self.unit, n_threads=n_threads)

    def scores(self, encoded: Any, n_threads: int = 1) -> Array:
        """Raw scores of each row, of shape (n, scores)."""
        n = encoded.shape[0]
        if n <= (BLOCK_ON_DEVICE if is_on_device(encoded) else BLOCK):
            return self._scores_of_block(encoded)
        if is_on_device(encoded):
            firsts = range(0, n, BLOCK_ON_DEVICE)
            return np.concatenate([self._scores_of_block(encoded[i : i + BLOCK_ON_DEVICE]) for i in firsts])
        scores = np.empty((n, self.mixture.n_scores))

        def fill(rows: slice) -> None:
            scores[rows] = self._scores_of_block(encoded[rows])

        for_each_block(fill, n, BLOCK, n_threads)
        return scores

    def _scores_of_block(self, encoded: Any) -> Array:
        start = self.start.margin(encoded)
        matrix = self.engine.matrix(encoded, start)
        return shrink(start, self.mean_of_ensembles(lambda trees: self.engine.scores(trees, matrix)), self.trust)

    def mean_of_ensembles(self, of: Callable[[Trees], Array]) -> Array:
        """The weighted mean of something over the ensembles."""
        pairs = zip(self.shares.tolist(), self.boosters, strict=True)
        return reduce(add, (share * of(trees) for share, trees in pairs))

    def course(self, encoded: Any) -> Iterator[Array]:
        """Raw scores of each row before the first round, then after each; an ensemble with fewer rounds stays as it is.

        Each round adds its own trees only, so that all rounds together cost one prediction.
        """
        start = self.start.margin(encoded)
        matrix = self.engine.matrix(encoded, start)
        held = start.astype(np.float32).astype(np.float64)  # as engines hold it
        grown = held
        yield shrink(start, grown, self.trust)
        for made in range(self.n_rounds):
            for share, trees in zip(self.shares.tolist(), self.boosters, strict=True):
                if made < self.engine.rounds(trees):
                    grown = grown + share * (self.engine.scores(trees, matrix, (made, made + 1)) - held)
            yield shrink(start, grown, self.trust)

    @property
    def n_trees(self) -> int:
        """Number of trees; every round grows one for each score."""
        return self.mixture.n_scores * sum(self.engine.rounds(trees) for trees in self.boosters)

    @property
    def n_rounds(self) -> int:
        """Rounds of the ensemble that has most."""
        return max(self.engine.rounds(trees) for trees in self.boosters)


def parameter_columns(distribution: Distribution) -> dict[str, npt.NDArray[Any]]:
    """Parameters of every head of every subject, in the user's unit of time, as the columns of a tidy table.

    ``S(t) = exp(-sum_j w_j H_j(t; eta_j, k_j, ...))`` holds for the values as they stand. A head that ReLU has switched
    off has the parameter in question at zero, and no scale. A parameter that a family does not have is NaN.
    """
    mixture, parameters = distribution.mixture, distribution.mixture.parameters(columns(distribution.scores))
    n = len(distribution)
    table = {name: np.full((mixture.n_heads, n), np.nan) for name in (*mixture.parameter_names, "scale")}
    log_unit = float(np.log(distribution.unit))
    for block, activated in zip(mixture.blocks, parameters.activated, strict=True):
        logs = [one.log_value for one in activated]
        in_user_time = block.head.change_time_unit(log_unit, *logs)
        for parameter, one, log_value in zip(block.head.parameters, activated, in_user_time, strict=True):
            value = _exp(log_value)
            table[parameter.name][block.heads] = value if one.alive is None else np.where(one.alive, value, 0.0)
        table["scale"][block.heads] = _exp(block.head.log_scale(*logs) + log_unit)
    if parameters.alive is not None:
        table["scale"][~parameters.alive] = np.nan
    return {
        "subject": np.repeat(np.arange(n), mixture.n_heads),
        **_cause_column(mixture, n),
        "head": np.tile(np.array(mixture.head_names, dtype=object), n),
        **{name: values.T.ravel() for name, values in table.items()},
        "w": parameters.weight.T.ravel(),
    }


def share_columns(distribution: Distribution, times: Array) -> dict[str, npt.NDArray[Any]]:
    """Share of every head in the hazard of every subject over time, as the columns of a tidy table."""
    names = np.array(distribution.mixture.head_names, dtype=object)
    n, n_times, n_heads = len(distribution), len(times), len(names)
    return {
        "subject": np.repeat(np.arange(n), n_times * n_heads),
        "time": np.tile(np.repeat(times, n_heads), n),
        **_cause_column(distribution.mixture, n * n_times),
        "head": np.tile(names, n * n_times),
        "share": distribution.shares(times).ravel(),
    }


def _exp(log_value: Array) -> Array:
    """The exponential, bounded so that nothing overflows."""
    bounded: Array = np.exp(np.minimum(log_value, LARGEST_EXPONENT))
    return bounded


def _cause_column(mixture: Mixture, repeats: int) -> dict[str, Indices]:
    """The cause of each head, where there are several."""
    return {} if mixture.n_causes == 1 else {"cause": np.tile(mixture.head_causes, repeats)}
