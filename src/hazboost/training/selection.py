"""Choices by cross-validated likelihood: the ridge of the linear start, the number of rounds and the trees' depth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import xgboost as xgb
from joblib import Parallel, delayed
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from hazboost.boosting.likelihood import row_loss
from hazboost.data.target import Target, as_if_only, rows_of, strata, units
from hazboost.hazards.mixture import Mixture
from hazboost.training.linear import LinearStart
from hazboost.training.starts import Start
from hazboost.utils.arrays import Array, Indices
from hazboost.utils.progress import FoldProgress

if TYPE_CHECKING:
    from hazboost.training.fit import Data, Trainer

#: Strengths of the ridge, from strong to weak. Even the strongest leaves a ranking of the subjects.
RIDGES = (10_000.0, 3_000.0, 1_000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
#: Above this number of subjects one hold-out of a fifth takes the place of folds.
MAX_ROWS_FOR_FOLDS = 5_000
HOLD_OUT = 0.2
#: With so many events of a cause, half of what trees say about it is believed.
EVENTS_FOR_HALF_TRUST = 100.0
#: Depths of trees: the first, and those that are tried as long as each is clearly better than the one before.
DEPTHS = (2, 4, 8)
#: Events from which on deeper trees are tried: a tree of depth 4 has sixteen leaves.
EVENTS_FOR_DEPTH = 100.0
#: Standard errors of the gain in held-out likelihood from which on deeper trees are clearly better.
CLEARLY = 2.0
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
    depth : int
        Depth of the trees.
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
    depth: int
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
        if rounds == 0:
            raise ValueError("a model after 0 rounds has no booster: XGBoost reads one up to round 0 as all of it.")
        kept = min(rounds, self.booster.num_boosted_rounds())
        return Member(self.booster[:kept], self.train_loss[: kept + 1], self.held_out_loss[: kept + 1])


@dataclass(frozen=True)
class Ensemble:
    """The models of all folds, with trees of one depth."""

    depth: int
    members: list[Member]

    @property
    def loss(self) -> Array:
        """Held-out mean loss after each number of rounds, from zero on."""
        return mean_curve([member.held_out_loss for member in self.members])

    @property
    def rounds(self) -> int:
        """The best number of rounds."""
        return int(np.argmin(self.loss))

    def kept(self) -> tuple[Member, ...]:
        """The models after the best number of rounds."""
        return tuple(member.at(self.rounds) for member in self.members)


def splits(target: Target, folds: int, seed: int, group: Indices | None = None) -> list[tuple[Indices, Indices]]:
    """Rows to train on and rows to hold out, whole subjects or groups, stratified where there are enough of a kind."""
    unit = units(target, group)
    kind = strata(target, unit, folds)
    if len(kind) < folds:
        what = "subjects" if group is None else "groups"
        raise ValueError(
            f"n_folds={folds} folds cannot be made of {len(kind)} {what} (n_samples={len(unit)}); use a smaller one."
        )
    splitter: Any
    if len(np.unique(target.subject)) > MAX_ROWS_FOR_FOLDS:
        stratified = StratifiedShuffleSplit if kind.any() else ShuffleSplit
        splitter = stratified(1, test_size=HOLD_OUT, random_state=seed)
    else:
        splitter = (StratifiedKFold if kind.any() else KFold)(folds, shuffle=True, random_state=seed)
    return [(rows_of(unit, kept), rows_of(unit, held)) for kept, held in splitter.split(np.zeros(len(kind)), kind)]


def choose(trainer: Trainer, data: Data) -> Choice:
    """Choose the ridge, then, with the linear starts of that ridge, the number of rounds and the depth of the trees.

    The models of the folds are kept, to be averaged.
    """
    plan = trainer.plan
    rows = splits(data.target, plan.folds, plan.seed, data.group)
    folds = Folds(trainer, [(data.rows(kept), data.rows(held)) for kept, held in rows])
    if not all(kept.target.has_events for kept, _ in folds.parts):
        raise ValueError(
            "all events are in one fold, and there is none to learn from when it is held out; give n_estimators and an "
            "init other than 'linear', which need no folds."
        )
    stages = [*["ridge"] * (plan.init == "linear"), *["rounds"] * (plan.rounds is None)]
    progress = FoldProgress(len(rows), stages, draw=plan.verbose)
    ridge, results = None, {}
    if plan.init == "linear":
        ridge, starts, losses = folds.choose_ridge(progress)
        results = {"ridges": list(RIDGES), "ridge_loss": losses.tolist()}
    else:
        starts = [trainer.start(kept) for kept, _ in folds.parts]
    if plan.rounds is not None:
        return Choice(ridge, plan.rounds, plan.first_depth, results, full_trust(trainer.mixture))
    best = Ensemble(plan.first_depth, folds.grow(starts, plan.first_depth, progress, range(len(rows))))
    if plan.depth is None and sum(events_by_cause(trainer.mixture, data.target)) >= EVENTS_FOR_DEPTH:
        best = folds.deepen(starts, best)
    rounds, trust = best.rounds, trust_in_trees(trainer.mixture, data.target)
    by_cause = [part[0] for part in trainer.mixture.by_cause(trust)]
    results = {**results, "round_loss": best.loss.tolist(), "trust": by_cause}
    members = best.kept() if rounds > 0 and len(rows) > 1 else ()
    return Choice(ridge, rounds, best.depth, results, trust, members)


@dataclass(frozen=True)
class Folds:
    """What is fitted to one part of the data and compared on the other, fold by fold."""

    trainer: Trainer
    parts: list[tuple[Data, Data]]

    @property
    def parallel(self) -> Parallel:
        """Folds share the threads of the fit."""
        return Parallel(n_jobs=self.trainer.plan.n_threads, prefer="threads")

    def choose_ridge(self, progress: FoldProgress) -> tuple[float, list[Start], Array]:
        """The best ridge, the linear start of each fold with it, and the losses of all ridges."""
        follow = [progress.after(i, self.trainer.linear_path) for i in range(len(self.parts))]
        paths = self.parallel(delayed(path)(kept, RIDGES) for path, (kept, _) in zip(follow, self.parts, strict=True))
        losses = np.mean([path_losses(path, held) for path, (_, held) in zip(paths, self.parts, strict=True)], axis=0)
        best = int(np.argmin(losses))
        return RIDGES[best], [path[best] for path in paths], losses

    def grow(self, starts: Sequence[Start], depth: int, progress: FoldProgress, numbers: range) -> list[Member]:
        """The models of some folds."""
        most = self.trainer.most_rounds
        members: list[Member] = self.parallel(
            delayed(self.trainer.member)(i, *self.parts[i], starts[i], depth, progress.rounds(i, most)) for i in numbers
        )
        return members

    def deepen(self, starts: Sequence[Start], best: Ensemble) -> Ensemble:
        """Try deeper trees, as long as they are clearly better; one fold is enough to see that they are worse."""
        for depth in DEPTHS[1:]:
            progress = FoldProgress(len(self.parts), [f"depth {depth}"], draw=self.trainer.plan.verbose)
            (first,) = self.grow(starts, depth, progress, range(1))
            if min(first.held_out_loss) >= min(best.members[0].held_out_loss):
                progress.close()
                break
            deeper = Ensemble(depth, [first, *self.grow(starts, depth, progress, range(1, len(self.parts)))])
            if not is_clear(self.changes(starts, best) - self.changes(starts, deeper), self.masses()):
                break
            best = deeper
        return best

    def changes(self, starts: Sequence[Start], ensemble: Ensemble) -> Array:
        """By how much trees change the loss of each held-out subject or group."""
        members = zip(ensemble.members, self.parts, starts, strict=True)
        rounds = ensemble.rounds
        return np.concatenate([self.trainer.change(one, rounds, held, start) for one, (_, held), start in members])

    def masses(self) -> Array:
        """The weight of each held-out subject or group."""
        return np.concatenate([held.by_group(held.target.subject_mass) for _, held in self.parts])


def is_clear(gain: Array, mass: Array) -> bool:
    """Whether gains of subjects are, in all, more than two of their standard errors (Vuong's test).

    With gains ``g`` of subjects of weights ``m``, and their mean ``a``: ``sum(m g) > 2 sqrt(sum((m (g - a))^2))``.

    Parameters
    ----------
    gain, mass : arrays of shape (n,)
        Weighted gains and weights of the subjects.

    Examples
    --------
    >>> is_clear(np.array([1.0, 2.0, 1.0]), np.ones(3)), is_clear(np.array([1.0, -2.0, 1.5]), np.ones(3))
    (True, False)
    """
    mean = gain.sum() / mass.sum()
    return float(gain.sum()) > CLEARLY * float(np.linalg.norm(gain - mass * mean))


def full_trust(mixture: Mixture) -> Array:
    """Of trees whose number was given."""
    return np.ones(mixture.n_scores)


def trust_in_trees(mixture: Mixture, target: Target) -> Array:
    """``E / (E + 100)`` for the scores of a cause with E events, of shape (scores,).

    The chosen round is the best of a noisy curve, and so too late: the fewer events, the more of what has been learned
    by then is noise.
    """
    per_cause, events = mixture.n_scores // mixture.n_causes, events_by_cause(mixture, target)
    return mixture.join_causes([np.full(per_cause, mass / (mass + EVENTS_FOR_HALF_TRUST)) for mass in events])


def events_by_cause(mixture: Mixture, target: Target) -> list[float]:
    """Weighted numbers of events, those in intervals included."""
    return [as_if_only(target, cause).event_mass for cause in range(1, mixture.n_causes + 1)]


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
