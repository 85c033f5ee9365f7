"""FPBoost of this library: at its defaults, and as published."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Sample, Task
from benchmarks.peers.shared.published_settings import published_settings
from hazboost import FPBoost, Surv
from hazboost.utils.arrays import Array

PACKAGES = ("hazboost", "xgboost")
#: What one would give for many rows, beside the depth and the number of rounds.
BY_HAND: dict[str, Any] = {"learning_rate": 0.1, "max_bin": 256, "subsample": 0.5, "colsample_bytree": 0.5}


@dataclass(frozen=True)
class Own:
    """A fitted `hazboost.FPBoost`."""

    model: FPBoost

    @property
    def chosen(self) -> dict[str, Any]:
        """What the fit has chosen by itself."""
        model = self.model
        kept = {"depth": model.max_depth_, "rounds": model.n_estimators_, "models": len(model.model_.starts)}
        return kept | {"heads": model.heads_}

    def risk(self, X: Any) -> Array:
        """Minus the mean survival time, restricted to the horizon of the model."""
        return self.model.predict(X)

    def survival(self, X: Any, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        return np.asarray(self.model.predict_survival_function(X, times=times))

    def incidence(self, X: Any, times: Array) -> Array:
        """Cumulative incidences, subjects by causes by times."""
        return np.asarray(self.model.predict_cumulative_incidence_function(X, times=times))

    def log_hazard(self, X: Any, times: Array) -> Array:
        """Logarithms of the hazard, rows by times."""
        hazard: Array = np.asarray(self.model.predict_hazard_function(X, times=times))
        return np.log(hazard)


def fit_defaults(task: Task, kind: type[FPBoost] = FPBoost, **settings: Any) -> Own:
    """Fit ``FPBoost(random_state=seed)``, or a subclass with other settings; it does not look at validation rows.

    Its folds keep the rows of a subject together where the data name subjects.
    """
    train, model = task.train, kind(**settings, random_state=task.seed)
    if train.entry is not None:
        return Own(model.fit(train.X, outcome(train)))
    return Own(model.fit(train.X, outcome(train), groups=train.groups))


def fit_published(task: Task) -> Own:
    """Fit `FPBoost.paper` with the published settings of the data set, or the authors' defaults where it has none.

    Where these have a patience (WHAS), early stopping watches the C-index of the validation part.
    """
    model = FPBoost.paper(**published_settings(task.dataset), random_state=task.seed)
    watched = task.validation if model.patience is not None else None
    eval_set = None if watched is None else (watched.X, outcome(watched))
    return Own(model.fit(task.train.X, outcome(task.train), eval_set=eval_set))


def fit_paper(task: Task, **settings: Any) -> Own:
    """Fit `FPBoost.paper` with these settings and no early stopping."""
    return fit_with(FPBoost.paper(**settings, random_state=task.seed, n_jobs=task.threads), task)


def fit_threads(task: Task, **settings: Any) -> Own:
    """Fit ``FPBoost(random_state=seed)`` on the threads of the task."""
    return fit_with(FPBoost(**settings, random_state=task.seed, n_jobs=task.threads), task)


def fit_with(model: FPBoost, task: Task) -> Own:
    """Fit a model to rows that are subjects of their own."""
    return Own(model.fit(task.train.X, outcome(task.train)))


def outcome(sample: Sample) -> Any:
    """The ``y`` of a sample; rows that start later than zero carry their subject."""
    if sample.upper is not None:
        return Surv.interval(sample.time, sample.upper, entry=sample.entry)
    if sample.entry is None:
        return Surv.right(sample.event, sample.time)
    return Surv.counting(sample.entry, sample.time, sample.event, id=sample.groups)


PEERS = (
    Peer("paper", "fpboost", fit_defaults, PACKAGES, "FPBoost (defaults)", "fully parametric", "tree"),
    Peer("paper", "fpboost_paper", fit_published, PACKAGES, "FPBoost (paper)", "fully parametric", "tree"),
    Peer("accuracy", "fpboost", fit_defaults, PACKAGES),
    Peer("competing", "FPBoost", fit_defaults, PACKAGES),
    Peer("changing", "FPBoost", fit_defaults, PACKAGES),
    Peer("truth", "fpboost", fit_defaults, PACKAGES, "FPBoost", takes=("entry", "interval", "causes")),
    Peer("learning", "fpboost", fit_threads, PACKAGES, "FPBoost"),
    Peer("learning", "fpboost_gpu", partial(fit_threads, device="cuda"), PACKAGES, "FPBoost, GPU"),
    *(
        Peer(
            "learning",
            f"hand_{depth}_{rounds}",
            partial(fit_threads, **BY_HAND, max_depth=depth, n_estimators=rounds),
            PACKAGES,
            f"FPBoost, {rounds} rounds of depth {depth}",
        )
        for depth, rounds in product((2, 4, 6), (150, 300, 1_000))
    ),
    Peer("speed", "fpboost", fit_threads, PACKAGES, "FPBoost"),
    Peer("speed", "fpboost_paper", fit_paper, PACKAGES, "FPBoost.paper"),
)
