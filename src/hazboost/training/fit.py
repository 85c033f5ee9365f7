"""From data and a plan to a model: scale time, choose the start, run Algorithm 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import xgboost as xgb
from scipy.sparse import issparse
from sklearn.model_selection import train_test_split

from hazboost.boosting.algorithm import STEPS, Objective, boost, target_fields
from hazboost.data.features import Schema
from hazboost.data.target import Target, check_informative, number_by_appearance, rows_of, strata, units
from hazboost.engines.local import (
    average_course,
    build_matrix,
    predict_scores,
    with_idle_outputs,
    without_idle_outputs,
)
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS
from hazboost.hazards.mixture import Mixture
from hazboost.metrics.concordance import harrell
from hazboost.prediction.model import Model, with_trust
from hazboost.training.advice import advise_on_copies, advise_on_course, advise_on_weights
from hazboost.training.linear import LinearStart, fit_linear_path
from hazboost.training.selection import (
    DEPTHS,
    LARGEST_DIFFERENCE,
    MAX_ROUNDS,
    PATIENCE,
    Choice,
    Member,
    choose,
    full_trust,
    mean_curve,
)
from hazboost.training.starts import STARTS, ConstantStart, Start, marginal_start
from hazboost.utils.arrays import Array, Indices, Mask
from hazboost.utils.progress import Progress

#: Events, in all of the training follow-up, to which the background hazard amounts: Jeffreys' estimate after none.
BACKGROUND_EVENTS = 0.5
#: The linear start is fitted to this many rows at most, drawn at random: plenty for its few coefficients.
MAX_ROWS_FOR_LINEAR = 50_000


#: Until when risks are compared. Where hazards cross, most pairs are decided before the last events.
HORIZONS: dict[str, Callable[[Target], float]] = {
    "events": lambda target: target.event_quantile(0.75),
    "longest": lambda target: target.longest,
}


@dataclass(frozen=True)
class Data:
    """Encoded features, the target, in the user's unit of time, and which rows belong together, where that was said."""

    X: Any
    target: Target
    group: Indices | None = None

    def without_weightless_rows(self) -> Data:
        """Weight 0 means that the row is not there: not for the trees' splits, nor for the unit of time."""
        heavy = self.target.weight > 0.0
        return self if heavy.all() else replace(self.rows(heavy), target=self.target.only(heavy))

    def split(self, fraction: float, seed: int) -> tuple[Data, Data]:
        """Set a part of the subjects aside, stratified on what became of them where both parts can have some."""
        unit = units(self.target, self.group)
        kind = strata(self.target, unit, 2)
        try:
            kept, aside = train_test_split(
                np.arange(len(kind)), test_size=fraction, stratify=kind if kind.any() else None, random_state=seed
            )
        except ValueError as error:
            what = "subjects" if self.group is None else "groups"
            raise ValueError(f"validation_fraction={fraction} cannot split {len(kind)} {what}: {error}") from error
        return self.rows(rows_of(unit, kept)), self.rows(rows_of(unit, aside))

    def rows(self, rows: Indices | Mask) -> Data:
        """Some of the rows."""
        return Data(self.X[rows], self.target[rows], None if self.group is None else self.group[rows])

    def by_group(self, values: Array) -> Array:
        """Sums over the subjects of each group, of values of the subjects in the order of appearance."""
        if self.group is None:
            return values
        first = np.unique(number_by_appearance(self.target.subject), return_index=True)[1]
        return np.bincount(number_by_appearance(self.group[first]), weights=values).astype(np.float64)

    def count_copies(self) -> int:
        """Rows that have the features and the outcome of an earlier row."""
        target = self.target
        outcome = np.column_stack([target.lower, target.upper, target.entry, target.cause])
        return len(target) - len(set(zip(row_bytes(self.X), row_bytes(outcome), strict=True)))

    def scaled(self, unit: float) -> Data:
        """The same with time in ``unit``, and no event at zero."""
        return replace(self, target=self.target.scaled(unit).without_events_at_zero())


def row_bytes(X: Any) -> Iterator[bytes]:
    """Each row of an array or a sparse matrix, to be compared."""
    if issparse(X):
        ends = pairwise(X.indptr)
        return (X.indices[first:last].tobytes() + X.data[first:last].tobytes() for first, last in ends)
    return (row.tobytes() for row in np.ascontiguousarray(X))


@dataclass(frozen=True)
class Plan:
    """How to train; the attributes are explained in `FPBoost`, `Objective` and `boost`.

    ``rounds`` and ``depth`` are None where cross-validation over ``folds`` chooses them; the depth is then the smallest
    where the rounds are given.
    """

    mixture: Mixture
    init: str
    rounds: int | None
    depth: int | None
    folds: int
    alpha: float
    l1_ratio: float
    step: str
    stopping_metric: str
    horizon: str
    patience: int | None
    settings: Mapping[str, Any]
    n_threads: int
    seed: int
    verbose: bool

    @property
    def first_depth(self) -> int:
        """Depth of the trees, of the first that are tried."""
        return self.depth or DEPTHS[0]


@dataclass(frozen=True)
class Trainer:
    """What all fits to one data set, and to parts of it, share. Data come scaled to the mixture's unit of time."""

    plan: Plan
    schema: Schema
    mixture: Mixture
    horizon: float

    def start(self, data: Data) -> ConstantStart:
        """The same start for every subject."""
        rng = np.random.default_rng(self.plan.seed)
        return ConstantStart(STARTS[self.plan.init](self.mixture, data.target, rng))

    def linear_path(self, data: Data, ridges: Sequence[float]) -> list[LinearStart]:
        """Linear starts for several strengths of the ridge."""
        if len(data.target) > MAX_ROWS_FOR_LINEAR:
            rng = np.random.default_rng(self.plan.seed)
            subject = number_by_appearance(data.target.subject)
            enough = max(1, MAX_ROWS_FOR_LINEAR * (int(subject.max()) + 1) // len(subject))
            drawn = np.sort(rng.choice(int(subject.max()) + 1, enough, replace=False))
            data = data.rows(rows_of(subject, drawn))
        logs = replace(self.mixture, parameter_activation=PARAMETER_ACTIVATIONS["exp"])
        without_features = marginal_start(logs, data.target, np.random.default_rng(self.plan.seed))
        return fit_linear_path(self.mixture, self.schema, data.X, data.target, without_features, ridges)

    def boost(
        self,
        data: Data,
        start: Start,
        rounds: int,
        validation: Data | None = None,
        patience: int | None = None,
        progress: xgb.callback.TrainingCallback | None = None,
        limit: float | None = None,
        *,
        depth: int,
    ) -> tuple[xgb.Booster, dict[str, list[float]]]:
        """Run Algorithm 1 from a start; a limit is that of single subjects in the loss of the validation data."""
        plan = self.plan
        objective = self._objective()
        train = self._matrix(data, start)
        loss = None
        if validation is not None and limit is not None:
            loss = objective.limited_loss(start.margin(validation.X), validation.target, limit)
        return boost(
            objective,
            start.intercept,
            train,
            rounds,
            {**plan.settings, "max_depth": depth},
            validation=None if validation is None else self._matrix(validation, start, like=train),
            validation_loss=loss,
            stopping_metric=plan.stopping_metric,
            horizon=self.horizon,
            patience=patience,
            progress=progress,
        )

    def start_as_chosen(self, data: Data, choice: Choice) -> Start:
        """The start on all rows."""
        if choice.ridge is None:
            return self.start(data)
        return self.linear_path(data, [choice.ridge])[0]

    def boosters(
        self, data: Data, start: Start, choice: Choice, validation: Data | None
    ) -> tuple[tuple[xgb.Booster, ...], dict[str, list[float]]]:
        """The trees of the folds, to be averaged; or, where there are none, trees grown on all rows."""
        plan = self.plan
        chosen = plan.rounds is None  # then the model is not what grows: trees are averaged, and count by the trust
        if choice.members:
            boosters = tuple(member.booster for member in choice.members)
            history = {"train_loss": mean_curve([member.train_loss for member in choice.members]).tolist()}
        else:
            progress = Progress(choice.rounds) if plan.verbose else None
            watched = None if chosen else validation
            booster, history = self.boost(
                data, start, choice.rounds, watched, plan.patience, progress, depth=choice.depth
            )
            boosters = (booster if plan.patience is None else booster[: booster.best_iteration + 1],)
        if chosen and validation is not None:
            history["validation_loss"] = self._averaged_curve(boosters, start, choice.trust, validation)
        return boosters, history

    def _averaged_curve(
        self, boosters: Sequence[xgb.Booster], start: Start, trust: Array, validation: Data
    ) -> list[float]:
        """Loss of the averaged model on validation data, from zero rounds on."""
        objective, begin = self._objective(), start.margin(validation.X)
        course = average_course(boosters, self._unbinned(validation, start), with_idle_outputs(begin))
        scores = (without_idle_outputs(outputs, self.mixture.n_scores) for outputs in course)
        return [objective.mean_loss(with_trust(begin, grown, trust), validation.target) for grown in scores]

    @property
    def most_rounds(self) -> int:
        """Rounds at most in the cross-validation that chooses their number."""
        return ceil(MAX_ROUNDS / float(self.plan.settings["learning_rate"]))

    def member(
        self,
        number: int,
        data: Data,
        held: Data,
        start: Start,
        depth: int,
        progress: xgb.callback.TrainingCallback | None = None,
    ) -> Member:
        """The model of a fold, boosted until its loss on held-out data has not improved for long.

        Each fold samples rows and columns in its own way.
        """
        patience = ceil(PATIENCE / float(self.plan.settings["learning_rate"]))
        settings = {**self.plan.settings, "nthread": 1, "seed": self.plan.seed + number}
        alone = replace(self, plan=replace(self.plan, stopping_metric="loss", n_threads=1, settings=settings))
        booster, history = alone.boost(
            data, start, self.most_rounds, held, patience, progress, LARGEST_DIFFERENCE, depth=depth
        )
        return Member(booster, history["train_loss"], history["validation_loss"])

    def change(self, member: Member, rounds: int, held: Data, start: Start) -> Array:
        """By how much trees of a fold change the loss of each subject or group, with the limit on single subjects."""
        if rounds == 0:
            return held.by_group(np.zeros_like(held.target.subject_mass))
        objective, begin = self._objective(), start.margin(held.X)
        grown = predict_scores(member.at(rounds).booster, self._unbinned(held, start))
        at_start, at_end = (
            objective.evaluate(scores, held.target).value
            for scores in (begin, without_idle_outputs(grown, self.mixture.n_scores))
        )
        return held.by_group(held.target.limited_change(at_end, at_start, LARGEST_DIFFERENCE))

    def _objective(self) -> Objective:
        plan = self.plan
        return Objective(self.mixture, plan.alpha, plan.l1_ratio, STEPS[plan.step], plan.n_threads)

    def _unbinned(self, data: Data, start: Start) -> xgb.DMatrix:
        """For prediction: bins of its own would not be those of the trees."""
        bare = replace(self, plan=replace(self.plan, settings={"nthread": self.plan.n_threads}))
        return bare._matrix(data, start)

    def _matrix(self, data: Data, start: Start, like: xgb.DMatrix | None = None) -> xgb.DMatrix:
        return build_matrix(
            data.X,
            names=self.schema.tree_names,
            types=self.schema.types,
            fields=target_fields(data.target, self.mixture.n_scores, start.margin(data.X)),
            settings=self.plan.settings,
            like=like,
        )


def train_model(plan: Plan, schema: Schema, data: Data, validation: Data | None) -> Trained:
    """Train on ``data``; watch, and with patience stop on, ``validation``."""
    check_informative(data.target)
    if validation is not None and plan.patience is not None:
        check_can_stop(plan.stopping_metric, validation.target)
    if plan.step != "newton":  # whose hessian is not the number of subjects
        advise_on_weights(float(data.target.mass.sum()), plan.settings["min_child_weight"])
    unit = data.target.longest
    mixture = plan.mixture.with_background(BACKGROUND_EVENTS * unit / data.target.exposure)
    horizon = HORIZONS[plan.horizon](data.target)
    trainer, scaled = Trainer(plan, schema, mixture, horizon / unit), data.scaled(unit)
    needs_choice = plan.rounds is None or plan.init == "linear"
    given = Choice(None, plan.rounds or 0, plan.first_depth, {}, full_trust(mixture))
    choice = choose(trainer, scaled) if needs_choice else given
    if choice.depth > plan.first_depth and data.group is None:
        advise_on_copies(choice.depth, data.count_copies(), len(data.target))
    start = trainer.start_as_chosen(scaled, choice)
    watched = None if validation is None else validation.scaled(unit)
    boosters, history = trainer.boosters(scaled, start, choice, watched)
    advise_on_course(history["train_loss"], choice.rounds, boosters[0].num_boosted_rounds(), plan.patience)
    history["train_loss"] = in_user_time(history["train_loss"], unit, data.target)
    if validation is not None:
        history["validation_loss"] = in_user_time(history["validation_loss"], unit, validation.target)
    results = {
        name: in_user_time(losses, unit, data.target) if name.endswith("loss") else losses
        for name, losses in choice.results.items()
    }
    model = Model(boosters, start, mixture, choice.trust, schema, unit, horizon, plan.n_threads)
    return Trained(model, history, replace(choice, results=results))


class Trained(NamedTuple):
    """A model, the course of its training, and what was chosen for it."""

    model: Model
    history: dict[str, list[float]]
    choice: Choice


def in_user_time(losses: list[float], unit: float, target: Target) -> list[float]:
    """Mean losses with hazards per unit of the user's time: each event adds ``log(unit)``."""
    shift = target.mean(target.event.astype(np.float64)) * float(np.log(unit))
    return [loss + shift for loss in losses]


def check_can_stop(metric: str, target: Target) -> None:
    """Refuse to stop on a metric that the validation data do not define."""
    if metric != "concordance":
        return
    advice = "use stopping_metric='likelihood'"
    if target.interval.any() or target.has_several_rows:
        what = "intervals" if target.interval.any() else "several rows of one subject"
        raise ValueError(f"the C-index needs one time for each subject, and y has {what}; {advice}.")
    if np.isnan(harrell(target, target.lower)):
        raise ValueError(
            "the validation data have no comparable pair of subjects, so the C-index is not defined on them; "
            f"give a larger validation_fraction or eval_set, or {advice}."
        )
