"""A fitted model: trees, heads, and the way from features to distributions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hazboost.data.features import Schema
from hazboost.engines.base import Engine, Trees
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import LARGEST_EXPONENT, Mixture, columns
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.blocks import for_each_block
from hazboost.utils.devices import is_on_device, match_device

#: Rows whose scores are computed at a time, because engines and linear starts make copies of the features.
BLOCK, BLOCK_ON_DEVICE = 2**14, 2**24


class Start(Protocol):
    """Scores before the first tree."""

    def margin(self, X: Any) -> Array:
        """Scores of each row, of shape (n, scores)."""

    def shifted(self, shift: Array) -> Start:
        """The same with something added to the scores that all rows share."""

    def contributions(self, X: Any) -> tuple[Array, Array]:
        """What all rows share, of shape (scores,), and what each feature adds, of shape (n, scores, features)."""


@dataclass(frozen=True)
class Model:
    r"""What training leaves behind: one or more models with the same kinds of heads, whose hazards are averaged.

    .. math:: h(t) = \frac{1}{M} \sum_{m=1}^M \sum_j w_{mj} \, h_j(t; \theta_{mj}),
              \qquad F_m = R_m + s \odot T_m,

    with weights and parameters of the heads from the scores :math:`F_m` of model m, which are its start :math:`R_m`
    and, shrunken by the factors :math:`s` of all models, the sum of its trees :math:`T_m`.

    Attributes
    ----------
    engine : Engine
        Reads the trees.
    boosters : tuple of Trees
        The trees of each model.
    starts : tuple of Start
        The scores of each model before the first tree; the linear part, where there is one.
    mixture : Mixture
        The heads of all models.
    shrinkage : array of shape (scores of one model,)
        What trees add to each score is multiplied by this.
    schema : Schema
        How features are read.
    unit : float
        The mixture's unit of time, in the user's.
    horizon, longest : float
        Time up to which risks are compared, and the longest follow-up in training, in the user's unit.
    """

    engine: Engine
    boosters: tuple[Trees, ...]
    starts: tuple[Start, ...]
    mixture: Mixture
    shrinkage: Array
    schema: Schema
    unit: float
    horizon: float
    longest: float

    @property
    def linear_effect(self) -> str | None:
        """What features act on before the first tree, ``"hazard"`` or ``"time"``; None where they do not act."""
        return getattr(self.starts[0], "acts_on", None)

    def distribution(self, X: Any, n_threads: int = 1) -> Distribution:
        """Predict the event-time distributions of the subjects with the given readable features.

        What is asked of the distributions is computed by ``n_threads`` threads.
        """
        encoded = self.engine.to_engine_device(self.schema.encode(X))
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
        begins = [start.margin(encoded) for start in self.starts]
        # All models read the same features. Without a start, sums of trees have all digits of single precision.
        matrix = self.engine.matrix(encoded, np.zeros_like(begins[0]))
        return self._joined(begins, [self.engine.scores(trees, matrix) for trees in self.boosters])

    def course(self, encoded: Any) -> Iterator[Array]:
        """Raw scores of each row before the first round, then after each; a model with fewer rounds stays as it is.

        Each round adds its own trees only, so that all rounds together cost one prediction.
        """
        begins = [start.margin(encoded) for start in self.starts]
        matrix = self.engine.matrix(encoded, np.zeros_like(begins[0]))
        grown = [np.zeros_like(begin) for begin in begins]
        yield self._joined(begins, grown)
        for made in range(self.n_rounds):
            for number, trees in enumerate(self.boosters):
                if made < self.engine.rounds(trees):
                    grown[number] = grown[number] + self.engine.scores(trees, matrix, (made, made + 1))
            yield self._joined(begins, grown)

    def _joined(self, begins: Sequence[Array], grown: Sequence[Array]) -> Array:
        """Scores of all models, from their starts and the sums of their trees."""
        shrinkage = match_device(self.shrinkage, begins[0])
        parts = [begin + shrinkage * trees for begin, trees in zip(begins, grown, strict=True)]
        return self.mixture.join_models(parts)

    @property
    def n_trees(self) -> int:
        """Number of trees; every round of a model grows one for each of its scores."""
        return self.mixture.one_model.n_scores * sum(self.engine.rounds(trees) for trees in self.boosters)

    @property
    def n_rounds(self) -> int:
        """Rounds of the model that has most."""
        return max(self.engine.rounds(trees) for trees in self.boosters)


def parameter_columns(distribution: Distribution) -> dict[str, npt.NDArray[Any]]:
    """Parameters of every head of every subject, in the user's unit of time, as the columns of a tidy table.

    ``S(t) = exp(-sum_j w_j H_j(t; eta_j, k_j, ...))`` holds for the values of a single model as they stand. Of several
    models that are averaged, the weight of a head is the mean over the models, and its parameters are geometric means,
    in which a model counts by its weight; columns that end with ``_sd`` have the standard deviations over the models. A
    head that ReLU has switched off, of several models in all of them, has the parameter in question at zero, and no
    scale. A parameter that a family does not have is NaN.
    """
    mixture, n = distribution.mixture, len(distribution)
    table = _parameters_of_heads(distribution)
    if mixture.n_models > 1:
        table = over_models(table, mixture)
    one = mixture.one_model
    return {
        "subject": np.repeat(np.arange(n), one.n_heads),
        **_cause_column(one, n),
        "head": np.tile(np.array(one.head_names, dtype=object), n),
        **{name: values.T.ravel() for name, values in table.items()},
    }


def _parameters_of_heads(distribution: Distribution) -> dict[str, Array]:
    """Parameters, scale and weight, its part of the mean, of the heads of all models, each of shape (heads, n)."""
    mixture, parameters = distribution.mixture, distribution.mixture.parameters(columns(distribution.scores))
    table = {
        name: np.full((mixture.n_heads, len(distribution)), np.nan) for name in (*mixture.parameter_names, "scale")
    }
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
    return {**table, "w": parameters.weight}


def over_models(table: Mapping[str, Array], mixture: Mixture) -> dict[str, Array]:
    """Means and standard deviations over the models, of shape (heads of one model, n), of what all heads have."""
    weight = table["w"][mixture.heads_of_models]
    size = np.absolute(weight)
    share = np.where(size.any(axis=0), size, 1.0)
    share = share / share.sum(axis=0)
    found = {}
    for name, values in table.items():
        each = values[mixture.heads_of_models]
        if name == "w":
            found[name], each = each.sum(axis=0), mixture.n_models * each
        else:
            with np.errstate(divide="ignore"):  # a parameter of zero has the logarithm minus infinity
                logs = np.log(np.where(share > 0.0, each, 1.0))
            found[name] = np.exp((share * logs).sum(axis=0))
        distance = each - each.sum(axis=0) / mixture.n_models
        found[f"{name}_sd"] = np.sqrt((distance * distance).sum(axis=0) / mixture.n_models)
    return found


def share_columns(distribution: Distribution, times: Array) -> dict[str, npt.NDArray[Any]]:
    """Share of every head in the hazard of every subject over time, as the columns of a tidy table."""
    mixture, one = distribution.mixture, distribution.mixture.one_model
    names = np.array(one.head_names, dtype=object)
    n, n_times, n_heads = len(distribution), len(times), len(names)
    shares = distribution.shares(times)[..., mixture.heads_of_models].sum(axis=-2)
    return {
        "subject": np.repeat(np.arange(n), n_times * n_heads),
        "time": np.tile(np.repeat(times, n_heads), n),
        **_cause_column(one, n * n_times),
        "head": np.tile(names, n * n_times),
        "share": shares.ravel(),
    }


def _exp(log_value: Array) -> Array:
    """The exponential, bounded so that nothing overflows."""
    bounded: Array = np.exp(np.minimum(log_value, LARGEST_EXPONENT))
    return bounded


def _cause_column(mixture: Mixture, repeats: int) -> dict[str, Indices]:
    """The cause of each head, where there are several."""
    return {} if mixture.n_causes == 1 else {"cause": np.tile(mixture.head_causes, repeats)}
