r"""A regression, trees that correct it, and trees alone: how much each has to say, by held-out likelihood.

.. math:: F = a R + b \, (R + T) + c \, (M + T'), \qquad a + b + c = 1,

with the scores :math:`R` of the regression, trees :math:`T` grown from there, and trees :math:`T'` grown from the
regression without its features, :math:`M`. Trees that correct a regression have to undo its straight lines where
effects are not linear; trees alone cannot draw any, and are constant beyond the values that they have seen. Both are
wrong in different ways, so that a mean of them is often better than either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np

from hazboost.data.target import join_targets
from hazboost.training.cross_validation import is_clear
from hazboost.training.growing import Ensemble, Growing
from hazboost.training.linear import LinearStart
from hazboost.training.policy import Policy
from hazboost.training.predicted import Predicted, Weights, masses
from hazboost.training.single import without_features
from hazboost.training.trust import choose_trust
from hazboost.utils.arrays import Array
from hazboost.utils.progress import FoldProgress

#: Weights are multiples of one over this.
STEPS = 8


class Blend(NamedTuple):
    """How models are blended.

    Attributes
    ----------
    parts : list of Predicted
        Predictions of the held-out subjects.
    trust : array of shape (scores,)
        Shrinkage of the trees.
    weights : Weights
        How much each model counts.
    alone : Ensemble, optional
        Trees that begin without covariates.
    """

    parts: list[Predicted]
    trust: Array
    weights: Weights = Weights()
    alone: Ensemble | None = None


def blend(growing: Growing, best: Ensemble, events: Array, *, with_trees_alone: bool) -> Blend:
    """Choose how far trees are shrunk, the weights of a regression and its trees, and of trees alone if they pay.

    Parameters
    ----------
    growing : Growing
        Grows trees on top of the regressions of the folds.
    best : Ensemble
        The trees that it has grown.
    events : array of shape (causes,)
        Weighted number of events of each cause.
    with_trees_alone : bool
        Whether the scores of both kinds of trees can be averaged.
    """
    parts = growing.predict(best)
    without_trees = Blend(parts, growing.trust, Weights(1.0, 0.0))
    if best.rounds == 0:
        return without_trees
    unseen = growing.predict_unseen(best)
    if are_doubtful(growing, unseen, float(events.sum())):
        return without_trees
    growing = replace(growing, trust=choose_trust(growing, unseen, events))
    made = blend_with_trees_alone(growing, best, parts) if with_trees_alone else None
    return made or Blend(parts, growing.trust, choose_weights(growing, parts))


def are_doubtful(growing: Growing, parts: Sequence[Predicted], events: float) -> bool:
    """Whether trees make held-out subjects worse off, as far as can be told after so many events.

    The fewer events, the clearer the loss has to be, because effects of features are seldom exactly linear. Subjects of
    one group say the same, so that their events count by the number of groups.
    """
    policy, groups = growing.plan.search.policy, masses(parts)
    events *= len(groups) / sum(part.held.target.n_subjects for part in parts)
    return not is_clear(-growing.changes(parts), groups, -policy.events_for_doubt / events)


def blend_with_trees_alone(growing: Growing, best: Ensemble, parts: Sequence[Predicted]) -> Blend | None:
    """The weights of all three, with trees alone of the same depth that are grown in the first folds.

    None as soon as the held-out subjects of these folds have no use for them.
    """
    plan = growing.plan
    folds = growing.cv.folds[: plan.search.policy.folds_alone]
    regressions = (start for start in growing.starts if isinstance(start, LinearStart))
    starts = tuple(without_features(plan, one, fold.kept) for one, fold in zip(regressions, folds, strict=False))
    bare = replace(growing, starts=starts)
    progress = FoldProgress(len(folds), ["trees alone"], draw=plan.search.verbose)
    grown, made = Ensemble(best.depth, []), None
    for number in range(len(folds)):
        grown = Ensemble(best.depth, [*grown.members, *bare.grow_folds(best.depth, progress, [number])])
        both = [part._replace(alone=one) for part, one in zip(parts, bare.predict(grown), strict=False)]
        weights = choose_weights(growing, both)
        if weights.alone == 0.0:
            progress.close()
            return None
        made = Blend([*both, *parts[len(both) :]], growing.trust, weights, grown)
    return made


def choose_weights(growing: Growing, parts: Sequence[Predicted]) -> Weights:
    r"""The weights with the smallest penalised loss of held-out subjects.

    .. math:: \sum_i \ell_i(w) + \lambda |w - w_0|^2

    With few subjects they stay near the usual weights :math:`w_0`, with many the data decide. All parts have scores of
    trees alone, or none has.
    """
    objective, policy = growing.plan.objective, growing.plan.search.policy
    target = join_targets([part.held.target for part in parts])
    rows = objective.observe(target)
    reference = objective.losses(np.concatenate([part.start for part in parts]), rows)
    usual = usual_weights(policy, with_alone=parts[0].alone is not None)

    def penalised(weights: Weights) -> float:
        losses = objective.losses(np.concatenate([part.blended(weights, growing.trust) for part in parts]), rows)
        change = target.limited_change(losses, reference, policy.largest_difference).sum()
        return float(change) + policy.weights_strength * float(np.square(np.subtract(weights, usual)).sum())

    return min(all_weights(with_alone=usual.alone > 0.0), key=penalised)


def usual_weights(policy: Policy, *, with_alone: bool) -> Weights:
    """The weights of most data; without trees alone, those that correct a regression have their weight."""
    regression, corrected, alone = policy.usual_weights
    return Weights(regression, corrected, alone) if with_alone else Weights(regression, corrected + alone)


def all_weights(*, with_alone: bool) -> list[Weights]:
    """All that are compared.

    Examples
    --------
    >>> len(all_weights(with_alone=True)), len(all_weights(with_alone=False))
    (45, 9)
    """
    parts = product(range(STEPS + 1), range(STEPS + 1 if with_alone else 1))
    return [Weights((STEPS - b - c) / STEPS, b / STEPS, c / STEPS) for b, c in parts if b + c <= STEPS]
