"""Choices by cross-validated likelihood: the ridge of the linear start, and the number of rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xgboost as xgb
from joblib import Parallel, delayed
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from hazboost.arrays import Array, Indices
from hazboost.likelihood import row_loss
from hazboost.linear import LinearStart
from hazboost.mixture import Mixture
from hazboost.progress import FoldProgress
from hazboost.start import Start
from hazboost.target import Target, as_if_only, number_by_appearance, rows_of, strata

if TYPE_CHECKING:
    from hazboost.training import Data, Trainer

#: Strengths of the ridge, from strong to weak. Even the strongest leaves a ranking of the subjects.
RIDGES = (10_000.0, 3_000.0, 1_000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
#: Above this number of subjects one hold-out of a fifth takes the place of folds.
MAX_ROWS_FOR_FOLDS = 5_000
HOLD_OUT = 0.2
#: With so many events of a cause, half of what trees say about it is believed.
EVENTS_FOR_HALF_TRUST = 100.0
#: Rounds at most, and rounds without improvement after which a fold stops, both divided by the learning rate.
MAX_ROUNDS, PATIENCE = 100.0, 2.0
#: How much better or worse than without features a subject may be when ridges are compared, and than without trees when
#: rounds are.
LARGEST_DIFFERENCE = 3.0


@dataclass(frozen=True)
class Choice:
    """What cross-validation chose.

    Attributes
    ----------
    ridge : float or None
        Strength of the ridge; None without a linear start.
    rounds : int
        Number of rounds.
    results : dict
        Held-out mean losses: ``ridges`` and ``ridge_loss``, and ``round_loss`` from zero rounds on; ``trust``, for
        each cause.
    trust : array of shape (scores,)
        What the trees add to each score is multiplied by this.
    members : tuple of Member
        Models of the folds, where the number of rounds was chosen by folds.
    """

    ridge: float | None
    rounds: int
    results: dict[str, list[float]]
    trust: Array
    members: tuple[Member, ...] = ()


class Member(NamedTuple):
    """A model of one fold: its trees, and the course of its training."""

    booster: xgb.Booster
    train_loss: list[float]
    held_out_loss: list[float]

    def at(self, rounds: int) -> Member:
        """The model after fewer rounds, or where it stopped."""
        kept = min(rounds, self.booster.num_boosted_rounds())
        return Member(self.booster[:kept], self.train_loss[: kept + 1], self.held_out_loss[: kept + 1])


def splits(target: Target, folds: int, seed: int) -> list[tuple[Indices, Indices]]:
    """Rows to train on and rows to hold out, whole subjects, stratified where there are enough of every kind."""
    kind = strata(target, folds)
    splitter: Any
    if len(kind) > MAX_ROWS_FOR_FOLDS:
        stratified = StratifiedShuffleSplit if kind.any() else ShuffleSplit
        splitter = stratified(1, test_size=HOLD_OUT, random_state=seed)
    else:
        splitter = (StratifiedKFold if kind.any() else KFold)(folds, shuffle=True, random_state=seed)
    subject = number_by_appearance(target.subject)
    return [
        (rows_of(subject, kept), rows_of(subject, held)) for kept, held in splitter.split(np.zeros(len(kind)), kind)
    ]


def choose(trainer: Trainer, data: Data) -> Choice:
    """Choose the ridge, then, with the linear starts of that ridge, the number of rounds.

    The models of the folds are kept, to be averaged.
    """
    plan = trainer.plan
    folds = [(data.rows(kept), data.rows(held)) for kept, held in splits(data.target, plan.folds, plan.seed)]
    parallel = Parallel(n_jobs=plan.n_threads, prefer="threads")
    stages = [*["ridge"] * (plan.init == "linear"), *["rounds"] * (plan.rounds is None)]
    progress = FoldProgress(len(folds), stages, draw=plan.verbose)
    ridge, results = None, {}
    starts: list[Start]
    if plan.init == "linear":
        follow = [progress.after(i, trainer.linear_path) for i in range(len(folds))]
        paths = parallel(delayed(path)(kept, RIDGES) for path, (kept, _) in zip(follow, folds, strict=True))
        losses = np.mean([path_losses(path, held) for path, (_, held) in zip(paths, folds, strict=True)], axis=0)
        best = int(np.argmin(losses))
        ridge, results = RIDGES[best], {"ridges": list(RIDGES), "ridge_loss": losses.tolist()}
        starts = [path[best] for path in paths]
    else:
        starts = [trainer.start(kept) for kept, _ in folds]
    if plan.rounds is not None:
        return Choice(ridge, plan.rounds, results, full_trust(trainer.mixture))
    members = parallel(
        delayed(trainer.member)(i, kept, held, start, progress.rounds(i, trainer.most_rounds))
        for i, ((kept, held), start) in enumerate(zip(folds, starts, strict=True))
    )
    mean = mean_curve([member.held_out_loss for member in members])
    rounds, trust = int(np.argmin(mean)), trust_in_trees(trainer.mixture, data.target)
    results = {**results, "round_loss": mean.tolist(), "trust": [part[0] for part in trainer.mixture.by_cause(trust)]}
    worth_averaging = rounds > 0 and len(members) > 1
    return Choice(ridge, rounds, results, trust, tuple(one.at(rounds) for one in members) if worth_averaging else ())


def full_trust(mixture: Mixture) -> Array:
    """Of trees whose number was given."""
    return np.ones(mixture.n_scores)


def trust_in_trees(mixture: Mixture, target: Target) -> Array:
    """``E / (E + 100)`` for the scores of a cause with E events, of shape (scores,).

    The chosen round is the best of a noisy curve, and so too late: the fewer events, the more of what has been learned
    by then is noise.
    """
    per_cause = mixture.n_scores // mixture.n_causes
    events = [as_if_only(target, cause).event_mass for cause in range(1, mixture.n_causes + 1)]
    return mixture.join_causes([np.full(per_cause, mass / (mass + EVENTS_FOR_HALF_TRUST)) for mass in events])


def mean_curve(curves: Sequence[Sequence[float]]) -> Array:
    """Mean over folds, round by round. A fold that has stopped keeps its last loss, which had not improved for long."""
    length = max(map(len, curves))
    mean: Array = np.mean([[*curve, *[curve[-1]] * (length - len(curve))] for curve in curves], axis=0)
    return mean


def path_losses(path: Sequence[LinearStart], held: Data) -> Array:
    """Mean losses of linear starts on data that they have not seen, no subject too far from that without features."""
    without = row_losses(path[0].without_features(), held)
    return np.array([held.target.limited_mean(row_losses(start, held), without, LARGEST_DIFFERENCE) for start in path])


def row_losses(start: LinearStart, held: Data) -> Array:
    """Loss of each row, of shape (n,)."""
    return row_loss(start.mixture, start.margin(held.X), held.target).value
