"""The weighted sum of heads: from raw scores to hazards and cumulative hazards.

    h(t) = sum_j w_j h_j(t)        H(t) = sum_j w_j H_j(t)

Layout of the scores
--------------------
One for each parameter of each head, family by family and parameter by parameter, then one for each weight. With two
Weibull heads and one LogLogistic head::

    eta eta  k k | eta  k | w w w

A family's heads are therefore a contiguous block and are evaluated together. Here scores and heads are on the *first*
axis, and subjects on the next: sums over two or three heads are then sums of long contiguous arrays. With several
causes every cause has all of these heads for itself: first the parameters of all causes, cause by cause, then the
weights, cause by cause. ::

    eta eta  k k | eta  k || eta eta  k k | eta  k || w w w || w w w

The mean of several models
--------------------------
The mean of the hazards of several models with the same heads is a mixture of all their heads, whose weights are divided
by the number of models. A family's heads stay one block, those of the first model first; the scores of the weights are
those of the first model, then those of the second, and so on, for each cause.

A subject without hazard
------------------------
With ReLU activations every head of a subject can reach zero. Such a subject has only been observed without an event so
far, which does not make its risk zero: it gets the constant ``background`` hazard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from operator import add
from typing import NamedTuple

import numpy as np

from hazboost.hazards.activations import (
    PARAMETER_ACTIVATIONS,
    Activated,
    ParameterActivation,
    WeightActivation,
    Weighted,
)
from hazboost.hazards.heads import HEADS, Evaluation, Head
from hazboost.hazards.heads.base import CURVATURE
from hazboost.utils.arrays import Array, Indices, Mask
from hazboost.utils.devices import match_device

#: Stands in for time zero, whose logarithm does not exist.
SMALLEST_TIME = 1e-300
#: exp() of more would not be a double.
LARGEST_EXPONENT = 700.0


def log_time(time: Array) -> Array:
    """``log(t)``, finite at zero too."""
    return np.log(np.maximum(time, SMALLEST_TIME))


def columns(rows: Array) -> Array:
    """Scores of some rows, as engines have them, of shape (n, scores), as one contiguous array of doubles each."""
    turned: Array = rows.T.astype(np.float64, order="C")
    return turned


def shrink(start: Array, grown: Array, shrinkage: Array) -> Array:
    """Scores with the trees' contribution, ``grown - start``, multiplied by ``shrinkage``."""
    return start + match_device(shrinkage, start) * (grown - start)


@dataclass(frozen=True)
class Block:
    """The heads of one family for one cause, and the positions of their scores."""

    cause: int
    head: Head
    count: int
    first_score: int
    first_head: int

    @property
    def heads(self) -> slice:
        """Positions of these heads among all heads."""
        return slice(self.first_head, self.first_head + self.count)

    def scores(self, parameter: int) -> slice:
        """Positions of one parameter among all scores."""
        start = self.first_score + parameter * self.count
        return slice(start, start + self.count)


@dataclass(frozen=True)
class Parameters:
    """The parameters of all heads of some subjects.

    Attributes
    ----------
    activated : tuple of tuples
        For each block and each of its parameters, the activated scores, of shape (heads of the block, n).
    alive : array of shape (heads, n), or None
        False where a parameter of the head is zero; None where there is no such head.
    weight : array of shape (heads, n)
        Weights; zero where the head is dead.
    pull_back, bend_back : callable
        The ways back from weights to scores; see `hazboost.hazards.activations.Weighted`.
    """

    activated: tuple[tuple[Activated, ...], ...]
    alive: Mask | None
    weight: Array
    pull_back: Callable[[Array], Array]
    bend_back: Callable[[Array], Array]

    @property
    def without_hazard(self) -> Mask:
        """Subjects none of whose heads adds to the hazard."""
        return np.logical_not((self.weight > 0.0).any(axis=0))

    @cached_property
    def all_positive(self) -> bool:
        """Whether every head of every subject has a positive weight."""
        return bool((self.weight > 0.0).all())

    def only_alive(self, values: Array) -> Array:
        """Values of heads, on the first axis, set to zero for those that are dead."""
        return values if self.alive is None else np.where(self.alive, values, 0.0)

    def rows(self, rows: Indices) -> Parameters:
        """The same for some of the subjects."""
        activated = tuple(tuple(one.rows(rows) for one in block) for block in self.activated)
        alive = None if self.alive is None else self.alive[:, rows]
        return replace(self, activated=activated, alive=alive, weight=self.weight[:, rows])


@dataclass(frozen=True)
class Mixture:
    """Which heads there are, and how scores become their parameters.

    Attributes
    ----------
    counts : mapping of str to int
        Number of heads of each family, of one model.
    parameter_activation : ParameterActivation
        Makes scores positive parameters.
    weight_activation : WeightActivation
        Makes scores weights.
    background : float
        Hazard of a subject all of whose heads (of a cause) have died, in the mixture's unit of time.
    n_causes : int
        Number of causes, each with as many heads.
    n_models : int
        Number of models whose hazards are averaged.
    """

    counts: Mapping[str, int]
    parameter_activation: ParameterActivation
    weight_activation: WeightActivation
    background: float = SMALLEST_TIME
    n_causes: int = 1
    n_models: int = 1

    # The layout follows from the counts alone and is asked for in every round: it is computed once.
    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The families in use, in the order of the registry."""
        return tuple(self._lay_out())

    def _lay_out(self) -> Iterator[Block]:
        score = head = 0
        for cause in range(1, self.n_causes + 1):
            for name, family in HEADS.items():
                count = self.n_models * self.counts.get(name, 0)
                if count:
                    yield Block(cause, family, count, score, head)
                    score += count * len(family.parameters)
                    head += count

    @cached_property
    def one_cause(self) -> Mixture:
        """The heads of any one of the causes."""
        return self if self.n_causes == 1 else replace(self, n_causes=1)

    @cached_property
    def one_model(self) -> Mixture:
        """The heads of any one of the models that are averaged."""
        return self if self.n_models == 1 else replace(self, n_models=1)

    def mean_of(self, n_models: int) -> Mixture:
        """The mean of the hazards of so many models with these heads."""
        return replace(self, n_models=n_models)

    @cached_property
    def scores_of_models(self) -> tuple[Indices, ...]:
        """For each model that is averaged the positions of its scores, in its own layout."""
        if self.n_models == 1:
            return (np.arange(self.n_scores),)
        own = self.one_model
        positions = np.empty((self.n_models, own.n_scores), dtype=np.intp)
        for block, one in zip(self.blocks, own.blocks, strict=True):
            for p in range(len(block.head.parameters)):
                scores = np.arange(self.n_scores)[block.scores(p)]
                positions[:, one.scores(p)] = scores.reshape(self.n_models, one.count)
        weights = np.arange(self.first_weight_score, self.n_scores).reshape(self.n_causes, self.n_models, -1)
        positions[:, own.first_weight_score :] = weights.swapaxes(0, 1).reshape(self.n_models, -1)
        return tuple(positions)

    def join_models(self, parts: Sequence[Array]) -> Array:
        """Scores of all models, of shape (n, scores, ...), from those of each."""
        if self.n_models == 1:
            return parts[0]
        joined: Array = np.concatenate(parts, axis=1)[:, np.argsort(np.concatenate(self.scores_of_models))]
        return joined

    @cached_property
    def with_log_link(self) -> Mixture:
        """The same heads with log-parameters as scores, in which likelihoods are maximised directly."""
        exp = PARAMETER_ACTIVATIONS["exp"]
        return self if self.parameter_activation is exp else replace(self, parameter_activation=exp)

    @property
    def has_log_scores(self) -> bool:
        """Whether scores are log-parameters themselves."""
        return self.with_log_link is self

    @cached_property
    def scores_of_causes(self) -> tuple[Indices, ...]:
        """For each cause the positions of its scores, in the layout of a mixture with one."""
        parameters, weights = np.split(np.arange(self.n_scores), [self.first_weight_score])
        parts = zip(*(np.split(part, self.n_causes) for part in (parameters, weights)), strict=True)
        return tuple(map(np.concatenate, parts))

    def by_cause(self, scores: Array) -> list[Array]:
        """The scores of each cause."""
        return [scores] if self.n_causes == 1 else [scores[positions] for positions in self.scores_of_causes]

    def join_causes(self, parts: Sequence[Array]) -> Array:
        """The inverse of `by_cause`."""
        if self.n_causes == 1:
            return parts[0]
        scores = np.empty_like(parts[0], shape=(self.n_scores, *parts[0].shape[1:]))
        for positions, part in zip(self.scores_of_causes, parts, strict=True):
            scores[positions] = part
        return scores

    @property
    def heads_per_cause(self) -> int:
        """Number of heads of each cause, of all models together."""
        return self.n_models * sum(self.counts.values())

    @property
    def n_heads(self) -> int:
        """Number of heads, of all causes together."""
        return self.n_causes * self.heads_per_cause

    @property
    def head_names(self) -> list[str]:
        """``weibull_1``, ``weibull_2``, ``loglogistic_1``, ...; with several causes the same for each."""
        return [f"{block.head.name}_{i + 1}" for block in self.blocks for i in range(block.count)]

    @property
    def head_causes(self) -> Indices:
        """The cause of each head."""
        return np.repeat([block.cause for block in self.blocks], [block.count for block in self.blocks])

    @cached_property
    def first_weight_score(self) -> int:
        """Number of parameter scores, and so the position of the first score of a weight."""
        return sum(block.count * len(block.head.parameters) for block in self.blocks)

    @cached_property
    def n_scores(self) -> int:
        """Number of scores, which is the number of trees in a round."""
        return self.first_weight_score + self.n_weight_scores

    @cached_property
    def n_weight_scores(self) -> int:
        """Number of scores that make weights, of all causes and models together."""
        return self.n_causes * self.n_models * self._activation.n_scores(sum(self.counts.values()))

    @cached_property
    def _activation(self) -> WeightActivation:
        """What turns the scores of one cause and model into the weights of its heads."""
        return self.weight_activation.for_heads(sum(self.counts.values()))

    @property
    def learns_weights(self) -> bool:
        """Whether weights have scores of their own."""
        return self.n_weight_scores > 0

    @cached_property
    def scales(self) -> Mask:
        """For each cause the scores that scale its hazard, of shape (causes, scores).

        It is the level, where weights have one; else the scale parameters of the heads.
        """
        scores = np.zeros((self.n_causes, self.n_scores), dtype=bool)
        if self.weight_activation.has_level:
            weights = np.arange(self.first_weight_score, self.n_scores).reshape(self.n_causes, self.n_models, -1)
            np.put_along_axis(scores, weights[:, :, 0], values=True, axis=1)
            return scores
        for block in self.blocks:
            for p, parameter in enumerate(block.head.parameters):
                scores[block.cause - 1, block.scores(p)] = parameter.role == "scale"
        return scores

    @property
    def scaling(self) -> Mask:
        """The scores that scale the hazard of any cause, of shape (scores,)."""
        return np.asarray(self.scales.any(axis=0))

    def shares(self, block: Block) -> slice:
        """Positions of the scores that divide the level among heads, for those of a block; none of a single head.

        Only for weights that have a level, and for one model.
        """
        if self.heads_per_cause == 1:
            return slice(0, 0)
        first = self.first_weight_score + block.cause + block.first_head  # each cause has a level before its shares
        return slice(first, first + block.count)

    def of_role(self, role: str) -> Mask:
        """The scores of all scales, or of all shapes, of shape (scores,)."""
        scores = np.zeros(self.n_scores, dtype=bool)
        for block in self.blocks:
            for p, parameter in enumerate(block.head.parameters):
                scores[block.scores(p)] = parameter.role == role
        return scores

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters of all families in use, each once."""
        return tuple(dict.fromkeys(one.name for block in self.blocks for one in block.head.parameters))

    def scores_of_logs(self, logs: Array) -> Array:
        """Turn log-parameters, laid out like scores on the first axis, into scores; weights' scores stay."""
        if self.has_log_scores:
            return logs
        parameters, weights = logs[: self.first_weight_score], logs[self.first_weight_score :]
        return np.concatenate([self.parameter_activation.inverse(parameters), weights])

    def parameters(self, scores: Array) -> Parameters:
        """Lines 4 to 6 of Algorithm 1: activate the scores, of shape (scores, n)."""
        together = self.parameter_activation(scores[: self.first_weight_score])
        activated = tuple(
            tuple(together.heads(block.scores(p)) for p in range(len(block.head.parameters))) for block in self.blocks
        )
        weighted = self._weights(scores[self.first_weight_score :])
        if together.alive is None:
            return Parameters(activated, None, weighted.value, weighted.pull_back, weighted.bend_back)
        alive = np.concatenate([_all_alive(block) for block in activated])
        weight = np.where(alive, weighted.value, 0.0)
        return Parameters(activated, alive, weight, weighted.pull_back, weighted.bend_back)

    def _weights(self, scores: Array) -> Weighted:
        """Weights of all heads; those of a cause and model depend on its own scores only."""
        groups = self.n_causes * self.n_models
        if groups == 1:
            return self._activation(scores)
        width, own = self.n_weight_scores // groups, self._heads_of_groups
        parts = [self._activation(scores[i * width : (i + 1) * width]) for i in range(groups)]
        # A mean of weights has 1 / models of their slope, and logarithms of weights have all of it.
        share = 1.0 / self.n_models if self.weight_activation.signed else 1.0

        def pull_back(slope: Array) -> Array:
            return np.concatenate(
                [part.pull_back(share * slope[heads]) for part, heads in zip(parts, own, strict=True)]
            )

        def bend_back(mass: Array) -> Array:
            return np.concatenate([part.bend_back(mass[heads]) for part, heads in zip(parts, own, strict=True)])

        values = np.concatenate([part.value for part in parts])
        if self.n_models > 1:
            values = values[np.argsort(np.concatenate(own))] / self.n_models
        return Weighted(values, pull_back, bend_back)

    @cached_property
    def heads_of_models(self) -> Indices:
        """Positions of the heads of each model that is averaged, of shape (models, heads of one)."""
        groups = np.array(self._heads_of_groups).reshape(self.n_causes, self.n_models, -1)
        return groups.swapaxes(0, 1).reshape(self.n_models, -1)

    @cached_property
    def _heads_of_groups(self) -> list[Indices]:
        """Positions of the heads of each model of each cause among all heads."""
        heads = np.arange(self.n_heads)
        parts = [
            [heads[block.heads].reshape(self.n_models, -1) for block in self.blocks if block.cause == cause]
            for cause in range(1, self.n_causes + 1)
        ]
        return [
            np.concatenate([block[model] for block in blocks]) for blocks in parts for model in range(self.n_models)
        ]

    def evaluate(self, parameters: Parameters, log_t: Array, order: int = CURVATURE) -> list[Evaluation]:
        """Evaluate each block's heads, with derivatives up to ``order``.

        ``log_t`` has shape (n,) for one time for each subject, giving (heads, n); or (n, times) or (1, times), giving
        (heads, n, times).
        """
        return [block.head.evaluate(log_t, *logs, order=order) for block, logs in self._broadcast(parameters, log_t)]

    def total_cumulative(self, parameters: Parameters, log_t: Array) -> Array:
        """``sum_j w_j H_j(t)``; ``log_t`` as for `evaluate`."""
        axes = (..., *([None] * (log_t.ndim - 1)))
        # A head that is dead has the weight zero, and its cumulative hazard is finite.
        parts = (
            (parameters.weight[block.heads][axes] * block.head.cumulative(log_t, *logs)).sum(axis=0)
            for block, logs in self._broadcast(parameters, log_t)
        )
        return reduce(add, parts)

    def _broadcast(self, parameters: Parameters, log_t: Array) -> Iterator[tuple[Block, list[Array]]]:
        """Each block with its log-parameters, given an axis for each one of ``log_t``."""
        axes = (..., *([None] * (log_t.ndim - 1)))
        for block, activated in zip(self.blocks, parameters.activated, strict=True):
            yield block, [one.log_value[axes] for one in activated]


def _all_alive(activated: tuple[Activated, ...]) -> Mask:
    """Where none of the parameters of a block is zero."""
    every: Mask = reduce(np.logical_and, [one.alive for one in activated if one.alive is not None])
    return every


def log_hazards(evaluations: list[Evaluation]) -> Array:
    """``log h_j(t)`` of all heads, on the first axis."""
    return _join([one.log_hazard for one in evaluations])


def cumulatives(evaluations: list[Evaluation]) -> Array:
    """``H_j(t)`` of all heads, on the first axis."""
    return _join([one.cumulative for one in evaluations])


def _join(parts: list[Array]) -> Array:
    """Heads of all families, one after the other."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


class HazardSum(NamedTuple):
    """``h(t) = sum_j w_j h_j(t)``, in logarithms.

    Attributes
    ----------
    log_total : array
        ``log sum_j |w_j| h_j(t)``; minus infinity without any head alive.
    share : array
        ``w_j h_j(t) / sum_i |w_i| h_i(t)``, on the first axis; zero without any head alive.
    balance : array
        The sum of the shares, ``h(t)`` over the total: 1 without negative weights, not positive where the
        hazard is clipped.
    """

    log_total: Array
    share: Array
    balance: Array

    @property
    def hazard(self) -> Array:
        """The hazard, clipped at zero."""
        return np.exp(np.minimum(self.log_total, LARGEST_EXPONENT)) * np.maximum(self.balance, 0.0)


def sum_hazards(weight: Array, log_hazard: Array) -> HazardSum:
    """Add up weighted hazards by log-sum-exp over the first axis."""
    if (weight > 0.0).all():
        log_part = log_hazard + np.log(weight)
        if len(weight) == 1:
            whole = np.ones_like(log_part)
            return HazardSum(log_part[0], whole, whole[0])
        largest = log_part.max(axis=0)
        part = np.exp(log_part - largest)
        total = part.sum(axis=0)
        return HazardSum(np.log(total) + largest, part / total, np.ones_like(total))
    alive = weight != 0.0
    log_part = np.where(alive, log_hazard + np.log(np.where(alive, np.abs(weight), 1.0)), -np.inf)
    largest = log_part.max(axis=0)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    part = np.exp(log_part - largest)
    total = part.sum(axis=0)
    some = total > 0.0
    share = np.sign(weight) * part / np.where(some, total, 1.0)
    log_total = np.where(some, np.log(np.where(some, total, 1.0)) + largest, -np.inf)
    return HazardSum(log_total, share, share.sum(axis=0))
