"""Held-out scores by which configurations are compared; higher is better.

This is the only module of the search that looks inside a fitted model.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.features import readable
from hazboost.data.target import Target
from hazboost.estimator import FPBoost
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import columns
from hazboost.training.policy import POLICY
from hazboost.utils.arrays import Array

#: Begin of the warning that a cause has no event, which in a single fold says nothing about the data.
NO_EVENT_OF_CAUSE = "y: there is no event of cause"
#: From a fitted model and the features of the held-out rows to their score.
Scorer = Callable[[FPBoost, Any], float]


def row_losses(model: FPBoost, X: Any, target: Target) -> Array:
    """Negative log-likelihood of each row, of shape (n,), with hazards per unit of the user's time.

    A model measures time in its own unit. The hazard per unit of the user's time is smaller by the factor ``unit``, so
    each observed event adds ``log(unit)`` to the loss.
    """
    distribution = model.model_.distribution(readable(X)).on_host()
    mixture, scores = distribution.mixture, columns(distribution.scores)
    observed = Observed.of(target.scaled(distribution.unit), mixture.n_causes)
    loss = row_loss(mixture, scores, observed, VALUE).value
    return np.where(target.event, loss + np.log(distribution.unit), loss)


def marginal_losses(train: Target, held_out: Target) -> Array:
    """Losses of the held-out rows under the hazard fitted to the training rows without features."""
    # The feature is constant, so the one tree has nothing to split on and the model is its marginal start.
    model = FPBoost(
        init="marginal",
        n_estimators=1,
        min_child_weight=0.0,
        random_state=0,
        n_causes=max(train.n_causes, held_out.n_causes),
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", NO_EVENT_OF_CAUSE)
        warnings.simplefilter("ignore", ConvergenceWarning)  # it is a reference, however poor
        model.fit(np.zeros((len(train), 1)), train)
    return row_losses(model, np.zeros((len(held_out), 1)), held_out)


def log_likelihood(model: FPBoost, X: Any, target: Target, reference: Array) -> float:
    """Mean log-likelihood of the subjects, each limited to a range around its value without features.

    With ``l`` the loss of a subject, which is the sum over its rows, ``r`` its reference loss and ``d`` the
    ``largest_difference`` of the policy, the score is minus the weighted mean over subjects of
    ``r + clip(l - r, -d, d)``. Without the limit, one subject who outlives a confident prediction could decide which
    configuration wins.

    Parameters
    ----------
    model : FPBoost
        A fitted model.
    X : array-like of shape (n, features)
        Features of the held-out rows.
    target : Target
        Their observed outcomes.
    reference : array of shape (n,)
        Their losses without features; see `marginal_losses`.
    """
    return -target.limited_mean(row_losses(model, X, target), reference, POLICY.largest_difference)


def likelihood_scorer(train: Target, held_out: Target) -> Scorer:
    """Score by `log_likelihood`. All configurations share the reference of a fold, so their scores are comparable."""
    return partial(log_likelihood, target=held_out, reference=marginal_losses(train, held_out))


def concordance_scorer(train: Target, held_out: Target) -> Scorer:
    """Score by the C-index."""
    return partial(FPBoost.score, y=held_out)


#: Metrics by name: each makes the scorer of a fold from the outcomes of its training rows and of its held-out rows.
METRICS: dict[str, Callable[[Target, Target], Scorer]] = {
    "likelihood": likelihood_scorer,
    "concordance": concordance_scorer,
}
