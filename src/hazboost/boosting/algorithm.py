r"""Algorithm 1 of the paper: gradient boosting of the parameters of a mixture of hazards.

The comments give the line numbers of the paper. Where it loops over the parameters of the heads, arrays have one column
for each of them. The engine fits the trees: with unit hessians and no penalty on the leaves, a leaf holds the mean of
the pseudo-residuals in it, which is the regression tree of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from hazboost.boosting.columns import read_target
from hazboost.boosting.objective import Objective
from hazboost.engines.base import Engine, Matrix, Trees


class Round(NamedTuple):
    """Where boosting stands.

    Attributes
    ----------
    number : int
        Rounds made so far; 0 is the start.
    trees : Trees
        The trees of these rounds.
    loss : float
        Penalised training loss with these trees, averaged over subjects.
    """

    number: int
    trees: Trees
    loss: float


#: Looks at a round and says whether to stop there: history, early stopping and progress bars are callbacks.
Callback = Callable[[Round], bool]


def boost(
    engine: Engine, objective: Objective, train: Matrix, rounds: int, callbacks: Sequence[Callback] = ()
) -> Trees:
    """Run Algorithm 1.

    Parameters
    ----------
    engine : Engine
        Holds the data and grows the trees; the learning rate is one of its settings.
    objective : Objective
        The heads, the likelihood and its penalty.
    train : Matrix
        Training data of the engine, with the start of the scores and the columns of `target_columns`.
    rounds : int
        Largest number of rounds.
    callbacks : sequence of callables
        Called with every `Round`, the start included; boosting ends when one of them returns True.

    Returns
    -------
    Trees
        One tree for each score and round.
    """
    target = objective.observe(read_target(engine.columns(train)))
    trees = engine.no_trees(train)  # line 1: the start of the scores is part of the data
    scores = engine.scores(trees, train)
    residuals = objective.allocate_residuals(scores)
    for m in range(rounds + 1):  # line 2; once more than there are rounds, for the loss after the last
        # Lines 3 to 13, with the sign of the gradient: parameters, likelihood, penalty, pseudo-residuals.
        sums = objective.pseudo_residuals(scores, target, residuals)
        loss, mass = engine.total(np.array([sums.loss, sums.mass]))
        # A list, not a generator: every callback sees every round.
        stop = [callback(Round(m, trees, loss / mass)) for callback in callbacks]
        if m == rounds or any(stop):
            break
        if objective.step.by_largest:
            residuals.gradient[:] /= engine.largest(sums.largest) or 1.0
        trees = engine.grow(trees, train, *residuals)  # lines 14 and 15
        scores = engine.scores(trees, train)
    return trees  # line 18
