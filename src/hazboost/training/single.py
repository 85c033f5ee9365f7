"""The parts of one fit: a start, and trees grown from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hazboost.boosting.algorithm import Callback, boost
from hazboost.boosting.callbacks import Bar, EarlyStopping, HeldOut, History, ShowProgress
from hazboost.boosting.columns import target_columns
from hazboost.boosting.objective import Objective
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.engines.base import Engine, Matrix, Trees
from hazboost.hazards.mixture import Mixture
from hazboost.prediction.model import Start
from hazboost.prediction.regression import AcceleratedStart, ConstantStart, LinearStart
from hazboost.training.adaptive import ridges_of_features
from hazboost.training.batched import batched_matrix
from hazboost.training.linear import first_start, fit_linear_path
from hazboost.training.marginal import marginal_start
from hazboost.training.plan import Plan, Stopping
from hazboost.training.starts import STARTS, absent_causes, with_background_hazard
from hazboost.utils.devices import is_on_device

#: Rows on a GPU whose scores are computed at a time.
ROWS_ON_DEVICE = 2**22


def fit_constant_start(plan: Plan, sample: Sample) -> ConstantStart:
    """The same start for every subject."""
    mixture, target, rng = plan.objective.mixture, sample.target, np.random.default_rng(plan.search.seed)
    if plan.given.init == "marginal":
        scores = marginal_start(mixture, target, rng, plan.without_covariates)
    else:
        scores = STARTS[plan.given.init](mixture, target, rng)
    return ConstantStart(with_background_hazard(mixture, scores, target))


def fit_linear_starts(
    plan: Plan,
    sample: Sample,
    ridges: Sequence[float],
    *,
    accelerates: bool = False,
    near: LinearStart | None = None,
) -> Iterator[LinearStart]:
    """Linear starts for several strengths of the ridge, which act on the hazard or on time, one after the other.

    The search begins at the fit without covariates, or at a start ``near`` of the same kind.
    """
    mixture, policy = plan.objective.mixture, plan.search.policy
    sample = drawn_for_linear(plan, sample)
    first = first_start(mixture, plan.without_covariates, sample, plan.schema, policy, near)
    if accelerates and not isinstance(first, AcceleratedStart):
        first = AcceleratedStart.like(first)
    path = fit_linear_path(first, sample.X, sample.target, ridges, policy, plan.given.directions)
    return (without_absent_causes(start, sample.target) for start in path)


class Regression(NamedTuple):
    """How a linear start is fitted.

    Attributes
    ----------
    ridge : float
        Strength of the ridge.
    accelerates : bool
        Whether the linear predictor acts on time instead of the hazard.
    adaptive : tuple of float
        Strengths of the adaptive ridges, one for each further fit; empty where the ridge is the same for all features.
    """

    ridge: float
    accelerates: bool = False
    adaptive: tuple[float, ...] = ()


def fit_linear_start(plan: Plan, sample: Sample, regression: Regression) -> LinearStart:
    """The linear start of a model."""
    sample = drawn_for_linear(plan, sample)  # once, as features in batches are read whenever some are drawn
    start = next(fit_linear_starts(plan, sample, [regression.ridge], accelerates=regression.accelerates))
    for ridge in regression.adaptive:
        start = adapt(plan, sample, start, ridge)
    return start


def adapt(plan: Plan, sample: Sample, start: LinearStart, ridge: float) -> LinearStart:
    """Fit a linear start again, with ridges that depend on the effects of its features."""
    policy = plan.search.policy
    sample = drawn_for_linear(plan, sample)
    ridges = ridges_of_features(start, ridge, policy.least_effect)
    path = fit_linear_path(start, sample.X, sample.target, [ridges], policy, plan.given.directions)
    return without_absent_causes(next(path), sample.target)


def drawn_for_linear(plan: Plan, sample: Sample) -> Sample:
    """As many subjects as the coefficients of a linear start need.

    The draw depends on the seed of the plan only, so that starts of the folds differ by their rows only.
    """
    policy = plan.search.policy
    most = max(policy.subjects_for_linear, policy.subjects_for_column * sample.X.shape[1])
    return sample.draw(most, np.random.default_rng(plan.search.seed)).in_memory()


def without_absent_causes(start: LinearStart, target: Target) -> LinearStart:
    """A linear start in which causes without an event have the hazard of half an event, the same for every subject."""
    mixture = start.mixture
    absent = absent_causes(mixture, target)
    if not any(absent):
        return start
    calm = with_background_hazard(mixture.with_log_link, start.log_intercept, target)
    return replace(start, log_intercept=calm, coefficient=np.where(absent, 0.0, start.coefficient))


def with_background_hazards(start: Start, mixture: Mixture, target: Target) -> Start:
    """A start in which causes without an event have the hazard of half an event in the follow-up of these subjects."""
    if isinstance(start, ConstantStart):
        return ConstantStart(with_background_hazard(mixture, start.intercept, target))
    return without_absent_causes(start, target) if isinstance(start, LinearStart) else start


def training_matrix(engine: Engine, sample: Sample, start: Start, like: Matrix | None = None) -> Matrix:
    """A sample as the engine holds it, with the outcome of each row."""
    if not sample.is_in_memory:
        return batched_matrix(engine, sample, start)
    return engine.matrix(sample.X, margins(start, sample.X), target_columns(sample.target), like)


def margins(start: Start, X: Any) -> npt.NDArray[Any]:
    """Scores of each row before the first tree; on a GPU part by part, in single precision as engines hold them."""
    if not is_on_device(X):
        return start.margin(X)
    firsts = range(0, len(X), ROWS_ON_DEVICE)
    return np.concatenate([start.margin(X[i : i + ROWS_ON_DEVICE]).astype(np.float32) for i in firsts])


class Grown(NamedTuple):
    """Trees and the course of their training.

    Attributes
    ----------
    trees : Trees
        The trees of all rounds that were made.
    best : int
        The best round on held-out rows; the last where nothing was stopped.
    history : dict
        Losses and metrics, from the start on.
    """

    trees: Trees
    best: int
    history: dict[str, list[float]]


def grow(
    engine: Engine,
    objective: Objective,
    train: Matrix,
    rounds: int,
    held_out: HeldOut | None = None,
    stopping: Stopping | None = None,
    bar: Bar | None = None,
) -> Grown:
    """Run Algorithm 1 with a history and, where asked for, early stopping and a progress bar."""
    history = History(engine, held_out)
    callbacks: list[Callback] = [history]
    early = None
    if stopping is not None and stopping.patience is not None:
        early = EarlyStopping(history, stopping.metric, stopping.patience, stopping.maximize)
        callbacks.append(early)
    if bar is not None:
        callbacks.append(ShowProgress(bar, history))
    # The history is the first callback: the others read the latest round from it.
    trees = boost(engine, objective, train, rounds, callbacks)
    return Grown(trees, engine.rounds(trees) if early is None else early.best, history.values)
