"""Choices by cross-validated likelihood: the ridge of the linear start, and the number of rounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import KFold, ShuffleSplit, StratifiedKFold, StratifiedShuffleSplit

from hazboost.arrays import Indices
from hazboost.likelihood import row_loss
from hazboost.linear import LinearStart
from hazboost.progress import FoldProgress
from hazboost.start import Start
from hazboost.target import Target, number_by_appearance, rows_of, strata

if TYPE_CHECKING:
    from hazboost.training import Data, Trainer

#: Strengths of the ridge, from strong to weak. Even the strongest leaves a ranking of the subjects.
RIDGES = (10_000.0, 3_000.0, 1_000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
#: Above this number of subjects one hold-out of a fifth takes the place of folds.
MAX_ROWS_FOR_FOLDS = 5_000
HOLD_OUT = 0.2
#: Rounds at most, and rounds without improvement after which a fold stops, both divided by the learning rate.
MAX_ROUNDS, PATIENCE = 20.0, 2.0


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
        Held-out mean losses: ``ridges`` and ``ridge_loss``, and ``round_loss`` from zero rounds on.
    """

    ridge: float | None
    rounds: int
    results: dict[str, list[float]]


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
    """Choose the ridge, then, with the linear starts of that ridge, the number of rounds."""
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
        by_fold = [[held_out_loss(one, held) for one in path] for path, (_, held) in zip(paths, folds, strict=True)]
        losses = np.mean(by_fold, axis=0)
        best = int(np.argmin(losses))
        ridge, results = RIDGES[best], {"ridges": list(RIDGES), "ridge_loss": losses.tolist()}
        starts = [path[best] for path in paths]
    else:
        starts = [trainer.start(kept) for kept, _ in folds]
    if plan.rounds is not None:
        return Choice(ridge, plan.rounds, results)
    curves = parallel(
        delayed(trainer.held_out_curve)(kept, held, start, progress.rounds(i, trainer.most_rounds))
        for i, ((kept, held), start) in enumerate(zip(folds, starts, strict=True))
    )
    # A fold that has stopped keeps its last loss, which had not improved for long.
    length = max(map(len, curves))
    mean = np.mean([[*curve, *[curve[-1]] * (length - len(curve))] for curve in curves], axis=0)
    return Choice(ridge, int(np.argmin(mean)), {**results, "round_loss": mean.tolist()})


def held_out_loss(start: LinearStart, held: Data) -> float:
    """Mean loss of a linear start on data that it has not seen."""
    loss = row_loss(start.mixture, start.margin(held.X), held.target).value
    return held.target.mean(loss)
