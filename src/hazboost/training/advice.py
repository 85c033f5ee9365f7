"""Warnings about a training that went through but not well, each with what to do."""

from __future__ import annotations

import warnings

from sklearn.exceptions import ConvergenceWarning

#: A loss that is larger by less, relative to its size, is as good as the one before: rows are sampled, and rounds few.
WORSE = 1e-3
#: Up to this part of the rows may be copies by chance, where features have few values.
MANY_COPIES = 0.1


def advise_on_weights(total: float, min_child_weight: float) -> None:
    """Warn where the weights of all subjects together are too small for any split."""
    if total < 2.0 * min_child_weight:
        _warn(
            f"no tree can be split: all sample weights together are {total:.4g}, and each side of a split needs "
            f"min_child_weight={min_child_weight:g}; use larger weights or a lower min_child_weight."
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
        _warn(f"training made the loss worse, from {losses[0]:.4g} to {losses[-1]:.4g}; use a lower learning_rate.")
    elif patience is not None and kept == rounds > patience:
        _warn(f"the validation metric was still improving after all {rounds} rounds; use a larger n_estimators.")


def advise_on_copies(depth: int, copies: int, rows: int) -> None:
    """Warn where deep trees were chosen by folds that may have had copies of one subject on both sides."""
    if copies > MANY_COPIES * rows:
        _warn(
            f"trees of depth {depth} were chosen, and {copies} of {rows} rows are copies of others, with the same "
            "features and outcome; if they are of the same subjects, say so with groups, as folds must not divide them."
        )


def _warn(message: str) -> None:
    warnings.warn(message, ConvergenceWarning, stacklevel=5)
