"""Errors about data that training cannot use and warnings about poor fits; each says what to do."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hazboost.data.target import Target
from hazboost.metrics.concordance import harrell
from hazboost.utils.warn import warn_caller

#: A loss that rose by less, relative to its size, counts as unchanged: sampled rows make it fluctuate.
WORSE = 1e-3


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


def advise_on_size(total: float, min_child_weight: float) -> None:
    """Warn where there are too few subjects for any split."""
    if total < 2.0 * min_child_weight:
        warn_caller(
            f"no tree can be split: there are {total:.4g} subjects, and each side of a split needs "
            f"min_child_weight={min_child_weight:g}; use a lower min_child_weight.",
            ConvergenceWarning,
        )


def advise_on_course(losses: list[float], rounds: int, kept: int, patience: int | None) -> None:
    """Warn where training went the wrong way, or not far enough.

    Parameters
    ----------
    losses : list of float
        Training loss; the first is that of the start.
    rounds, kept : int
        Rounds that were allowed, and that were kept.
    patience : int or None
        Rounds without improvement after which training was to stop.
    """
    if losses[-1] > losses[0] + WORSE * max(1.0, abs(losses[0])):
        warn_caller(
            f"training made the loss worse, from {losses[0]:.4g} to {losses[-1]:.4g}; use a lower learning_rate.",
            ConvergenceWarning,
        )
    elif patience is not None and kept == rounds > patience:
        warn_caller(
            f"the validation metric was still improving after all {rounds} rounds; use a larger n_estimators.",
            ConvergenceWarning,
        )
