"""From data and a plan to a model: choose what is open, fit the start, grow the trees."""

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
from hazboost.training.plan import Plan
from hazboost.training.selection import Choice, choose
from hazboost.training.single import fit_constant_start, fit_linear_start, grow, training_matrix, without_features
from hazboost.utils.progress import Progress
from hazboost.utils.threads import single_threaded_blas

History = dict[str, list[float]]


class Trained(NamedTuple):
    """A model, the course of its training, what was chosen for it, and how well it describes the training data."""

    model: Model
    history: History
    choice: Choice
    diagnostics: Diagnostics


def train_model(plan: Plan, sample: Sample, validation: Sample | None) -> Trained:
    """Train on a sample; watch, and with patience stop on, validation data. Both come in the user's unit of time."""
    # Folds and blocks of rows have threads of their own. For the small matrices of a start, those of linear algebra
    # only wait for one another.
    with single_threaded_blas:
        return _train(plan, sample, validation)


def _train(plan: Plan, sample: Sample, validation: Sample | None) -> Trained:
    """Choose, fit the start, grow the trees, and say how well the model describes the data."""
    unit = plan.time.unit
    scaled, watched = sample.scaled(unit), None if validation is None else validation.scaled(unit)
    choice = choose(plan, scaled)
    start = choice.start or fit_start(plan, scaled, choice)
    grown = grow_final(plan, scaled, watched, start, choice)
    trained = assemble(plan, start, choice, grown, scaled, watched)
    advise(plan, sample.target, trained)
    return in_user_time(trained, sample.target.mean(sample.target.event.astype(np.float64)), validation)


def assemble(
    plan: Plan,
    start: Start,
    choice: Choice,
    grown: tuple[tuple[Trees, ...], History],
    sample: Sample,
    validation: Sample | None,
) -> Trained:
    """The model with these trees, and how it describes training and validation data, in its own unit of time."""
    trees, history = grown
    time = plan.time
    model = Model(
        engine=plan.engine,
        boosters=trees,
        shares=choice.shares,
        start=start,
        mixture=plan.objective.mixture,
        trust=choice.trust,
        schema=plan.schema,
        unit=time.unit,
        horizon=time.horizon,
        longest=time.longest,
    )
    # Trees of chosen rounds are averaged and shrunk, so their validation loss is computed from the finished model.
    if validation is not None and plan.chooses_rounds:
        rows = plan.objective.observe(validation.target)
        losses = [plan.objective.mean_loss(one, rows) for one in model.course(validation.X)]
        history = {**history, "validation_loss": losses}
    return Trained(model, history, choice, diagnose(plan, model, sample, choice.unseen))


def advise(plan: Plan, target: Target, trained: Trained) -> None:
    """Warn where the training did not go well; of several reasons only of the first, which explains the others.

    The target is that of the training data, in the user's unit of time.
    """
    model, history, choice, diagnostics = trained
    explained = advise_on_course(history["train_loss"], choice.rounds, model.n_rounds, plan.stopping.patience)
    if not explained:
        advise_on_fit(diagnostics, target, fitted_start=plan.has_fitted_start)


def fit_start(plan: Plan, sample: Sample, choice: Choice) -> Start:
    """The start on all rows; together with that of trees which begin without covariates, where there are any."""
    shift = np.zeros(plan.objective.mixture.n_scores) if choice.shift is None else choice.shift
    if choice.regression is None:
        return fit_constant_start(plan, sample).shifted(shift)
    start = fit_linear_start(plan, sample, choice.regression)
    if choice.weights.alone > 0.0:
        start = start.blended(without_features(plan, start, sample).log_intercept, choice.weights.alone)
    return start.shifted(shift)


def grow_final(
    plan: Plan, sample: Sample, validation: Sample | None, start: Start, choice: Choice
) -> tuple[tuple[Trees, ...], History]:
    """The trees of the folds, to be averaged; where there are none, trees grown on all rows."""
    if choice.averaged:
        return average_folds(plan, choice)
    engine = plan.engine.with_settings(max_depth=choice.depth)
    train = training_matrix(engine, sample, start)
    held_out = stopping = None
    if validation is not None and not plan.chooses_rounds:  # rounds that were chosen are all kept
        matrix = training_matrix(engine, validation, start, like=train)
        held_out = HeldOut(matrix, metrics(plan, read_target(engine.columns(matrix))))
        stopping = plan.stopping
    bar = Progress(choice.rounds) if plan.search.verbose else None
    grown = grow(engine, plan.objective, train, choice.rounds, held_out, stopping, bar)
    if bar is not None:
        bar.close()
    return (engine.truncate(grown.trees, grown.best),), grown.history


def average_folds(plan: Plan, choice: Choice) -> tuple[tuple[Trees, ...], History]:
    """The trees of the folds after the chosen numbers of rounds, and their mean training loss."""
    kept = [(member, member.rounds_kept(one.rounds)) for one in choice.averaged for member in one.members]
    # Folds may keep different numbers of rounds; a shorter one contributes its last loss from there on.
    losses = [member.train_loss[: rounds + 1] for member, rounds in kept]
    trees = tuple(plan.engine.truncate(member.trees, rounds) for member, rounds in kept)
    return trees, {"train_loss": mean_curve(losses, [curve[-1] for curve in losses], choice.shares).tolist()}


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
    choice = replace(trained.choice, results=shifted(trained.choice.results, shifts))
    return trained._replace(history=shifted(trained.history, shifts), choice=choice)


def shifted(values: History, shifts: Mapping[str, float]) -> History:
    """Values with something added to each, by name."""
    return {name: [value + shifts.get(name, 0.0) for value in listed] for name, listed in values.items()}
