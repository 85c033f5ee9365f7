"""From data and a plan to a model: scale time, choose the start, run Algorithm 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from hazboost.boosting import Objective, boost, target_fields
from hazboost.engines.local import build_matrix
from hazboost.features import Schema
from hazboost.metrics import concordance_index
from hazboost.mixture import Mixture
from hazboost.model import Model
from hazboost.start import STARTS
from hazboost.target import Target, check_informative

#: Events, in all of the training follow-up, to which the background hazard amounts: Jeffreys' estimate after none.
BACKGROUND_EVENTS = 0.5


@dataclass(frozen=True)
class Data:
    """Encoded features and the target, in the user's unit of time."""

    X: Any
    target: Target

    def without_weightless_rows(self) -> Data:
        """Weight 0 means that the row is not there: not for the trees' splits, nor for the unit of time."""
        heavy = self.target.weight > 0.0
        return self if heavy.all() else Data(self.X[heavy], self.target[heavy])

    def split(self, fraction: float, seed: int) -> tuple[Data, Data]:
        """Set a part aside, stratified on the event where both parts can have one."""
        event = self.target.event
        strata = event if min(event.sum(), (~event).sum()) > 1 else None
        try:
            kept, aside = train_test_split(
                np.arange(len(event)), test_size=fraction, stratify=strata, random_state=seed
            )
        except ValueError as error:
            raise ValueError(f"validation_fraction={fraction} cannot split {len(event)} subjects: {error}") from error
        return Data(self.X[kept], self.target[kept]), Data(self.X[aside], self.target[aside])


@dataclass(frozen=True)
class Plan:
    """How to train; the attributes are explained in `FPBoost`, `Objective` and `boost`."""

    mixture: Mixture
    init: str
    rounds: int
    alpha: float
    l1_ratio: float
    scale_by_maximum: bool
    stopping_metric: str
    patience: int | None
    settings: Mapping[str, Any]
    n_threads: int
    seed: int
    verbose: bool


def train_model(
    plan: Plan, schema: Schema, data: Data, validation: Data | None
) -> tuple[Model, dict[str, list[float]]]:
    """Train on ``data``; watch, and with patience stop on, ``validation``."""
    check_informative(data.target)
    if validation is not None and plan.patience is not None:
        check_can_stop(plan.stopping_metric, validation.target)
    unit = float(data.target.lower.max())
    mixture = plan.mixture.with_background(BACKGROUND_EVENTS * unit / float(data.target.weight @ data.target.lower))

    def matrix(part: Data, like: Any = None) -> Any:
        fields = target_fields(part.target.scaled(unit).without_events_at_zero())
        return build_matrix(
            part.X, names=schema.tree_names, types=schema.types, fields=fields, settings=plan.settings, like=like
        )

    train = matrix(data)
    start = STARTS[plan.init](
        mixture, data.target.scaled(unit).without_events_at_zero(), np.random.default_rng(plan.seed)
    )
    booster, history = boost(
        Objective(mixture, plan.alpha, plan.l1_ratio, plan.scale_by_maximum, plan.n_threads),
        start,
        train,
        plan.rounds,
        plan.settings,
        validation=None if validation is None else matrix(validation, like=train),
        stopping_metric=plan.stopping_metric,
        patience=plan.patience,
        verbose=plan.verbose,
    )
    history["train_loss"] = in_user_time(history["train_loss"], unit, data.target)
    if validation is not None:
        history["validation_loss"] = in_user_time(history["validation_loss"], unit, validation.target)
    return Model(booster, mixture, schema, unit, plan.n_threads), history


def in_user_time(losses: list[float], unit: float, target: Target) -> list[float]:
    """Mean losses with hazards per unit of the user's time: each event adds ``log(unit)``."""
    shift = float(np.average(target.event, weights=target.weight) * np.log(unit))
    return [loss + shift for loss in losses]


def check_can_stop(metric: str, target: Target) -> None:
    """Refuse to stop on a metric that the validation data do not define."""
    if metric == "concordance" and np.isnan(concordance_index(target.event, target.lower, target.lower)):
        raise ValueError(
            "the validation data have no comparable pair of subjects, so the C-index is not defined on them; "
            "give a larger validation_fraction or eval_set, or use stopping_metric='likelihood'."
        )
