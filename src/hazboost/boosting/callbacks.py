"""What looks on while trees are grown: the history of the losses, early stopping, the progress bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from hazboost.boosting.algorithm import Round
from hazboost.boosting.objective import Objective
from hazboost.data.target import Target
from hazboost.engines.base import Engine, Matrix
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import log_time, shrink
from hazboost.utils.arrays import Array

#: From the scores of held-out rows to a number.
Metric = Callable[[Array], float]


@dataclass(frozen=True)
class HeldOut:
    """Rows that trees are not grown on, and what is measured there.

    Attributes
    ----------
    matrix : Matrix
        The rows, as the engine holds them.
    metrics : mapping of str to callable
        Functions of the rows' scores, by name.
    """

    matrix: Matrix
    metrics: Mapping[str, Metric]


@dataclass(frozen=True)
class History:
    """Records the training loss and the metrics of held-out rows in every round; the first entry is the start.

    Attributes
    ----------
    engine : Engine
        Knows the scores of held-out rows.
    held_out : HeldOut, optional
        The rows to watch.
    values : dict
        ``train_loss`` and ``validation_<metric>``.
    """

    engine: Engine
    held_out: HeldOut | None = None
    values: dict[str, list[float]] = field(default_factory=dict)

    def __call__(self, state: Round) -> bool:
        """Record one round; never stop."""
        self._append("train_loss", state.loss)
        if self.held_out is not None:
            scores = self.engine.scores(state.trees, self.held_out.matrix)
            for name, metric in self.held_out.metrics.items():
                self._append(f"validation_{name}", metric(scores))
        return False

    def latest(self) -> dict[str, float]:
        """The last value of everything that is measured on held-out rows."""
        return {
            name.removeprefix("validation_"): values[-1]
            for name, values in self.values.items()
            if name.startswith("validation_")
        }

    def _append(self, name: str, value: float) -> None:
        self.values.setdefault(name, []).append(value)


@dataclass
class EarlyStopping:
    """Stops when a metric has not improved for a number of rounds.

    Attributes
    ----------
    history : History
        Where the metric is recorded, before this callback is called.
    metric : str
        Its name, such as ``loss``.
    patience : int
        Rounds without improvement after which to stop.
    maximize : bool
        Whether larger is better.
    best : int
        The best round so far. The start is no candidate: a model that is asked for has at least one round.
    """

    history: History
    metric: str
    patience: int
    maximize: bool = False
    best: int = 1

    def __call__(self, state: Round) -> bool:
        """Compare the latest round with the best one."""
        if state.number == 0:
            return False
        values = self.history.values[f"validation_{self.metric}"]
        # Strictly better: of equal rounds the first is kept, which has fewer trees.
        sign = 1.0 if self.maximize else -1.0
        if sign * values[state.number] > sign * values[self.best]:
            self.best = state.number
        return state.number - self.best >= self.patience


class Bar(Protocol):
    """A progress bar of rounds."""

    def advance(self, rounds: int, metrics: Mapping[str, float]) -> None:
        """Show how many rounds were made, and what is measured on held-out rows."""


@dataclass(frozen=True)
class ShowProgress:
    """Passes every round on to a progress bar."""

    bar: Bar
    history: History

    def __call__(self, state: Round) -> bool:
        """Draw; never stop."""
        self.bar.advance(state.number, self.history.latest())
        return False


def mean_loss(objective: Objective, target: Target) -> Metric:
    """The penalised loss of held-out rows, averaged over subjects."""
    rows = objective.observe(target)
    return lambda scores: objective.mean_loss(scores, rows)


def limited_loss(objective: Objective, target: Target, start: Array, shrinkage: Array, limit: float) -> Metric:
    """The mean loss with shrunken trees, in which a subject counts as at most ``limit`` better or worse than before."""
    rows = objective.observe(target)
    at_start = objective.losses(start, rows)

    def loss(scores: Array) -> float:
        return target.limited_mean(objective.losses(shrink(start, scores, shrinkage), rows), at_start, limit)

    return loss


def concordance(objective: Objective, target: Target, horizon: float) -> Metric:
    """Harrell's C-index of the mean survival time up to ``horizon``, in the mixture's unit of time.

    It compares logarithms, so that ties do not depend on the horizon, which may be a tiny part of the follow-up.
    """
    from hazboost.metrics.concordance import harrell

    return lambda scores: harrell(target, -log_time(Distribution(objective.mixture, scores).restricted_mean(horizon)))
