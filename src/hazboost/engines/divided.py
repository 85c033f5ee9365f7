"""Engines side by side: some scores may depend on some of the features only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hazboost.engines.base import Columns, Engine, Matrix, Trees
from hazboost.engines.features import Features
from hazboost.utils.arrays import Array, Indices, Mask

#: Makes an engine for some features and a number of scores.
MakeEngine = Callable[[Features, int], Engine]


class Part(NamedTuple):
    """An engine that grows the trees of some scores, by position, on some features, by position."""

    engine: Engine
    scores: Indices
    features: Indices


class DividedMatrix(NamedTuple):
    """The data of each part, and the start of all scores in the precision in which engines hold it."""

    parts: tuple[Matrix, ...]
    start: Array


@dataclass(frozen=True)
class DividedEngine:
    """Each part grows its own trees; scores that belong to no part stay at their start.

    Attributes
    ----------
    parts : tuple of Part
        At least one.
    """

    parts: tuple[Part, ...]

    @property
    def learning_rate(self) -> float:
        """Factor on the contribution of each tree, the same in all parts."""
        return self.parts[0].engine.learning_rate

    def with_settings(self, **settings: Any) -> DividedEngine:
        """The same parts with some parameters of the trees changed."""
        return replace(self, parts=tuple(p._replace(engine=p.engine.with_settings(**settings)) for p in self.parts))

    def matrix(
        self, X: Any, start: Array, columns: Columns | None = None, like: DividedMatrix | None = None
    ) -> DividedMatrix:
        """The data of each part: its features, and the start of its scores."""
        references = [None] * len(self.parts) if like is None else like.parts
        matrices = tuple(
            part.engine.matrix(_columns(X, part.features), start[:, part.scores], columns, reference)
            for part, reference in zip(self.parts, references, strict=True)
        )
        return DividedMatrix(matrices, start.astype(np.float32))

    def to_engine_device(self, X: Any) -> Any:
        """Features where the parts work."""
        return self.parts[0].engine.to_engine_device(X)

    def columns(self, matrix: DividedMatrix) -> Columns:
        """The columns of a matrix, which all parts were given."""
        return self.parts[0].engine.columns(matrix.parts[0])

    def no_trees(self, matrix: DividedMatrix) -> tuple[Trees, ...]:
        """An ensemble of no trees for each part."""
        return tuple(part.engine.no_trees(one) for part, one in zip(self.parts, matrix.parts, strict=True))

    def grow(
        self, trees: tuple[Trees, ...], matrix: DividedMatrix, gradient: Array, hessian: Array
    ) -> tuple[Trees, ...]:
        """One more round in each part."""
        return tuple(
            part.engine.grow(grown, one, gradient[:, part.scores], hessian[:, part.scores])
            for part, grown, one in zip(self.parts, trees, matrix.parts, strict=True)
        )

    def scores(self, trees: tuple[Trees, ...], matrix: DividedMatrix, rounds: tuple[int, int] | None = None) -> Array:
        """Start plus trees."""
        scores = matrix.start.copy()
        for part, grown, one in zip(self.parts, trees, matrix.parts, strict=True):
            scores[:, part.scores] = part.engine.scores(grown, one, rounds)
        return scores

    def contributions(self, trees: tuple[Trees, ...], matrix: DividedMatrix) -> Array:
        """What each feature adds to the scores of its parts; nothing to the others."""
        width = self._width + 1
        divided = np.zeros((*matrix.start.shape, width))
        divided[..., -1] = matrix.start
        for part, grown, one in zip(self.parts, trees, matrix.parts, strict=True):
            places = np.append(part.features, width - 1)
            divided[np.ix_(np.arange(len(divided)), part.scores, places)] = part.engine.contributions(grown, one)
        return divided

    def interactions(self, trees: tuple[Trees, ...], matrix: DividedMatrix) -> Array:
        """What each pair of features adds to the scores of its parts; nothing to the others."""
        width = self._width + 1
        divided = np.zeros((*matrix.start.shape, width, width))
        divided[..., -1, -1] = matrix.start
        for part, grown, one in zip(self.parts, trees, matrix.parts, strict=True):
            places = np.append(part.features, width - 1)
            divided[np.ix_(np.arange(len(divided)), part.scores, places, places)] = part.engine.interactions(grown, one)
        return divided

    @property
    def _width(self) -> int:
        """Number of features, all of which the scales depend on."""
        return 1 + int(max(part.features.max() for part in self.parts))

    def total(self, values: Array) -> Array:
        """Sums over the rows of all processes, which are the same for all parts."""
        return self.parts[0].engine.total(values)

    def largest(self, value: float) -> float:
        """The largest over the rows of all processes."""
        return self.parts[0].engine.largest(value)

    def rounds(self, trees: tuple[Trees, ...]) -> int:
        """Number of rounds that were made, the same in all parts."""
        return self.parts[0].engine.rounds(trees[0])

    def truncate(self, trees: tuple[Trees, ...], rounds: int) -> tuple[Trees, ...]:
        """The trees of the first rounds."""
        return tuple(part.engine.truncate(grown, rounds) for part, grown in zip(self.parts, trees, strict=True))


def monotone_engine(make: MakeEngine, features: Features, scales: Mask) -> Engine:
    """An engine for monotone constraints: constrained features only move scores that scale the hazard.

    More of a scale is more risk at every time, so that a score that rises with a feature makes the risk rise. A shape,
    or the share of a head, makes the risk higher at some times and lower at others; such scores may depend on the other
    features only.

    Parameters
    ----------
    make : callable
        Makes an engine for some features and a number of scores.
    features : Features
        All features, with their directions.
    scales : array of bool, of shape (scores,)
        Scores that scale the hazard.
    """
    if not any(features.directions):
        return make(features, len(scales))
    free = [position for position, direction in enumerate(features.directions) if direction == 0]
    return DividedEngine(tuple(_parts(make, features, scales, free)))


def _columns(X: Any, features: Indices) -> Any:
    """Some columns of the features; without a copy if it is all of them."""
    return X if len(features) == X.shape[1] else X[:, features]


def _parts(make: MakeEngine, features: Features, scales: Mask, free: list[int]) -> Iterator[Part]:
    """The scores that scale the hazard, with all features; the others, where there are any, with the free features."""
    yield Part(make(features, int(scales.sum())), np.flatnonzero(scales), np.arange(features.n))
    if free and not scales.all():
        rest = np.flatnonzero(~scales)
        yield Part(make(features.only(free), len(rest)), rest, np.array(free))
