"""From data and a plan to a model: choose what is open, and put together what was fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hazboost.boosting.callbacks import HeldOut, Metric, concordance, mean_loss
from hazboost.boosting.columns import read_target
from hazboost.data.sample import Sample
from hazboost.data.target import Target
from hazboost.engines.base import Trees
from hazboost.prediction.model import Model, Start
from hazboost.training.advice import advise_on_course, advise_on_fit
from hazboost.training.cross_validation import mean_curve
from hazboost.training.diagnostics import Diagnostics, diagnose
from hazboost.training.pipeline import choose
from hazboost.training.plan import Plan
from hazboost.training.single import (
    fit_constant_start,
    fit_linear_start,
    grow,
    training_matrix,
    with_background_hazards,
)
from hazboost.training.starts import absent_causes
from hazboost.training.state import State
from hazboost.utils.progress import Progress
from hazboost.utils.threads import single_threaded_blas

History = dict[str, list[float]]


class Trained(NamedTuple):
    """A model, the course of its training, what was chosen for it, and how well it describes the training data."""

    model: Model
    history: History
    state: State
    diagnostics: Diagnostics


class Fitted(NamedTuple):
    """The parts of a model: its starts, the trees on top of each, and the course of the training."""

    starts: tuple[Start, ...]
    trees: tuple[Trees, ...]
    history: History


def train_model(plan: Plan, sample: Sample, validation: Sample | None) -> Trained:
    """Train on a sample; watch, and with patience stop on, validation data. Both come in the user's unit of time."""
    # Folds and blocks of rows have threads of their own. For the small matrices of a start, those of linear algebra
    # only wait for one another.
    with single_threaded_blas:
        return _train(plan, sample, validation)


def _train(plan: Plan, sample: Sample, validation: Sample | None) -> Trained:
    """Choose, take what the folds have fitted or fit to all rows, and say how well the model describes the data."""
    unit = plan.time.unit
    scaled, watched = sample.scaled(unit), None if validation is None else validation.scaled(unit)
    state = choose(plan, scaled)
    fitted = (
        of_folds(state) if state.averages_folds else of_all_rows(state.plan, fit_start(state, scaled), scaled, watched)
    )
    trained = assemble(state, fitted, scaled, watched)
    advise(state.plan, sample.target, trained)
    return in_user_time(trained, sample.target.mean(sample.target.event.astype(np.float64)), validation)


def assemble(state: State, fitted: Fitted, sample: Sample, validation: Sample | None) -> Trained:
    """The model of these parts, and how it describes training and validation data, in its own unit of time."""
    plan, time, calibration = state.plan, state.plan.time, state.calibrated
    model = Model(
        engine=plan.engine,
        boosters=fitted.trees,
        starts=tuple(start.shifted(calibration.shift) for start in fitted.starts),
        mixture=plan.objective.mixture.mean_of(len(fitted.starts)),
        shrinkage=calibration.shrinkage,
        schema=plan.schema,
        unit=time.unit,
        horizon=time.horizon,
        longest=time.longest,
    )
    history = fitted.history
    # Trees of chosen rounds are averaged and shrunk, so their validation loss is computed from the finished model.
    if validation is not None and plan.chooses_rounds:
        objective = replace(plan.objective, mixture=model.mixture)
        rows = objective.observe(validation.target)
        losses = [objective.mean_loss(one, rows) for one in model.course(validation.X)]
        history = {**history, "validation_loss": losses}
    unseen = [(part.held, calibration.scores(part)) for part in calibration.unseen]
    return Trained(model, history, state, diagnose(plan, model, sample, unseen))


def advise(plan: Plan, target: Target, trained: Trained) -> None:
    """Warn where the training did not go well; of several reasons only of the first, which explains the others.

    The target is that of the training data, in the user's unit of time.
    """
    model, history, state, diagnostics = trained
    explained = advise_on_course(history["train_loss"], state.rounds, model.n_rounds, plan.stopping.patience)
    if not explained:
        advise_on_fit(diagnostics, target, fitted_start=plan.has_fitted_start)


def of_folds(state: State) -> Fitted:
    """The models of the folds: each keeps its start, and its trees after the chosen number of rounds."""
    assert state.trees is not None  # where folds are averaged, there are trees  # noqa: S101
    members, rounds = state.trees.members, state.trees.rounds
    kept = [member.rounds_kept(rounds) for member in members]
    trees = tuple(state.plan.engine.truncate(one.trees, number) for one, number in zip(members, kept, strict=True))
    # Folds may keep different numbers of rounds; a shorter one contributes its last loss from there on.
    losses = [member.train_loss[: number + 1] for member, number in zip(members, kept, strict=True)]
    mean = mean_curve(losses, [curve[-1] for curve in losses])
    return Fitted(final_starts(state), trees, {"train_loss": mean.tolist()})


def final_starts(state: State) -> tuple[Start, ...]:
    """The starts of the folds; a cause without any event has half of one in the follow-up of all subjects together."""
    mixture, target = state.plan.objective.mixture, state.sample.target
    if absent_causes(mixture, target) != (state.events == 0.0).tolist():  # there are events that were not drawn
        return state.starts
    return tuple(with_background_hazards(start, mixture, target) for start in state.starts)


def of_all_rows(plan: Plan, start: Start, sample: Sample, validation: Sample | None) -> Fitted:
    """A start, and the given number of trees of all rows on top of it; none where they were to be chosen."""
    rounds = plan.given.rounds or 0
    engine = plan.engine.with_settings(max_depth=plan.first_depth)
    train = training_matrix(engine, sample, start)
    held_out = stopping = None
    if validation is not None and not plan.chooses_rounds:
        matrix = training_matrix(engine, validation, start, like=train)
        held_out = HeldOut(matrix, metrics(plan, read_target(engine.columns(matrix))))
        stopping = plan.stopping
    bar = Progress(rounds) if plan.search.verbose else None
    grown = grow(engine, plan.objective, train, rounds, held_out, stopping, bar)
    if bar is not None:
        bar.close()
    return Fitted((start,), (engine.truncate(grown.trees, grown.best),), grown.history)


def fit_start(state: State, sample: Sample) -> Start:
    """The start on all rows."""
    if state.regression is None:
        return fit_constant_start(state.plan, sample)
    return fit_linear_start(state.plan, sample, state.regression)


def metrics(plan: Plan, target: Target) -> dict[str, Metric]:
    """What is measured on validation data in every round."""
    watched = {"loss": mean_loss(plan.objective, target)}
    if plan.stopping.metric == "concordance":
        watched["concordance"] = concordance(plan.objective, target, plan.time.horizon / plan.time.unit)
    return watched


def in_user_time(trained: Trained, events: float, validation: Sample | None) -> Trained:
    """The course of the training with hazards per unit of the user's time.

    The hazard per unit of the user's time is smaller by the factor ``unit``, so each event adds ``log(unit)``.

    Parameters
    ----------
    trained : Trained
        The result, with hazards per unit of the model's time.
    events : float
        Mean number of observed events of a subject of the training data.
    validation : Sample, optional
        Validation data.
    """
    log_unit = float(np.log(trained.model.unit))
    shifts = dict.fromkeys(("train_loss", "ridge_loss", "adaptive_loss", "round_loss"), events * log_unit)
    if validation is not None:
        shifts["validation_loss"] = validation.target.mean(validation.target.event.astype(np.float64)) * log_unit
    state = replace(trained.state, results=shifted(trained.state.results, shifts))
    return trained._replace(history=shifted(trained.history, shifts), state=state)


def shifted(values: Mapping[str, list[float]], shifts: Mapping[str, float]) -> History:
    """Values with something added to each, by name."""
    return {name: [value + shifts.get(name, 0.0) for value in listed] for name, listed in values.items()}
