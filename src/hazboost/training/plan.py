"""How to train: everything that is decided before the first number is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from hazboost.boosting.objective import Objective
from hazboost.data.features import Schema
from hazboost.data.summary import Summary
from hazboost.engines.base import Engine
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.effects import can_accelerate
from hazboost.training.policy import Policy
from hazboost.utils.arrays import Array

#: Time up to which risks are compared. Where hazards cross, most pairs are decided before the last events.
HORIZONS: dict[str, Callable[[Summary, Policy], float]] = {
    "events": lambda data, policy: data.event_quantile(policy.horizon),
    "longest": lambda data, _: data.longest,
}


@dataclass(frozen=True)
class TimeScale:
    """Times that the training data set.

    Attributes
    ----------
    unit : float
        The mixture's unit of time, in the user's.
    horizon, longest : float
        Time up to which risks are compared, and the longest follow-up, in the user's unit.
    """

    unit: float
    horizon: float
    longest: float


def time_unit(data: Summary, *, as_published: bool) -> float:
    """The unit of time of a mixture.

    At time 1 the cumulative hazard of the usual heads does not depend on their shapes. With the median time of the
    events as the unit, levels and shapes can be learned apart from one another, and a single long follow-up changes
    nothing. The steps and starts of the paper are made for times in (0, 1].
    """
    return data.longest if as_published else data.event_quantile(0.5)


@dataclass(frozen=True)
class Given:
    """What the user has fixed.

    Attributes
    ----------
    init : str
        Kind of the start: a key of `STARTS`, or ``linear``.
    rounds, depth : int or None
        Number of rounds and depth of the trees; None where they are to be chosen.
    heads : bool
        Whether the heads are given; else they are to be chosen.
    directions : tuple of int
        For each feature 1 or -1 where the risk may only rise or only fall with it, and 0 elsewhere; empty without
        constraints.
    """

    init: str
    rounds: int | None
    depth: int | None
    heads: bool
    directions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Stopping:
    """When to stop on held-out rows: after ``patience`` rounds without improvement of ``metric``."""

    metric: str
    patience: int | None

    @property
    def maximize(self) -> bool:
        """Whether larger is better."""
        return self.metric == "concordance"


@dataclass(frozen=True)
class Search:
    """How to choose what is not given.

    Attributes
    ----------
    folds : int or None
        Number of folds, if it is given.
    seed : int
        Seed of folds, starts and sampling.
    verbose : bool
        Whether to draw progress bars.
    policy : Policy
        The constants of the automatic fit.
    """

    folds: int | None
    seed: int
    verbose: bool
    policy: Policy


@dataclass(frozen=True)
class Plan:
    """A complete description of a training: nothing is added to it later.

    Attributes
    ----------
    schema : Schema
        How features are read.
    time : TimeScale
        Unit of time and horizon.
    objective : Objective
        Heads, likelihood, penalty and step.
    engine : Engine
        Grows the trees.
    engine_for : callable
        The engine for other heads, if these can keep all constraints.
    given : Given
        Start, rounds and depth, as far as the user has fixed them.
    stopping : Stopping
        Early stopping of a given number of rounds.
    search : Search
        How to choose what is not given.
    without_covariates : array of shape (scores,)
        Log-parameters and scores of weights that fit the data, or a part of them, without covariates: where fitted
        starts begin. Empty for starts that are not fitted.
    """

    schema: Schema
    time: TimeScale
    objective: Objective
    engine: Engine
    engine_for: Callable[[Mixture], Engine]
    given: Given
    stopping: Stopping
    search: Search
    without_covariates: Array = field(default_factory=lambda: np.empty(0))

    def with_heads(self, mixture: Mixture, without_covariates: Array) -> Plan:
        """The same with such heads, and their fit without covariates."""
        return replace(
            self,
            objective=replace(self.objective, mixture=mixture),
            engine=self.engine if mixture == self.objective.mixture else self.engine_for(mixture),
            without_covariates=without_covariates,
        )

    def on_a_worker(self, n_threads: int) -> Plan:
        """The same for one of several machines, which uses its own threads and draws nothing."""
        return replace(
            self,
            objective=replace(self.objective, n_threads=n_threads),
            engine=self.engine.with_settings(nthread=n_threads),
            search=replace(self.search, verbose=False),
        )

    @property
    def chooses_rounds(self) -> bool:
        """Whether cross-validation chooses the number of rounds."""
        return self.given.rounds is None

    @property
    def has_linear_start(self) -> bool:
        """Whether a ridge is to be chosen."""
        return self.given.init == "linear"

    @property
    def may_accelerate(self) -> bool:
        """Whether features may act on time instead of the hazard, which must not fall where it may only rise."""
        return self.has_linear_start and not any(self.given.directions) and can_accelerate(self.objective.mixture)

    @property
    def has_fitted_start(self) -> bool:
        """Whether the start maximises a likelihood, so that the model fits roughly before the first tree."""
        return self.given.init in ("linear", "marginal")

    @property
    def first_depth(self) -> int:
        """Depth of the trees, or of the first that are tried."""
        return self.given.depth or self.search.policy.depths[0]
