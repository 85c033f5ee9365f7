"""The four metrics of the paper, as fractions.

Censoring is learned from the training part of the seed, as in the authors' notebook: not from the validation part.
"""

from __future__ import annotations

from typing import Protocol as Interface

import numpy as np

from hazboost.arrays import Array, Mask
from hazboost.experiments.protocol import PROTOCOL, Protocol, Split
from hazboost.metrics import (
    concordance_index,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    integrated_brier_score,
)

#: What single precision may add to a probability.
ROUNDING = 1e-5

METRICS = ("c_index", "ibs", "c_td", "auc", "ibs_full", "auc_full")


class Prediction(Interface):
    """What a fitted model says about subjects."""

    def risk(self, X: Array) -> Array:
        """One number for each subject; higher means earlier."""

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""


def time_grid(time: Array, trim: float, size: int) -> Array:
    """Equidistant times inside of the follow-up, from which a share is cut off at both ends.

    With nothing cut off, the first and the last time themselves are left out: nobody has had an event before the one,
    and nobody is left after the other.

    Examples
    --------
    >>> import numpy as np
    >>> time_grid(np.array([0.0, 3.0, 10.0]), 0.1, 5)
    array([1., 3., 5., 7., 9.])
    >>> time_grid(np.array([0.0, 3.0, 10.0]), 0.0, 4)
    array([2., 4., 6., 8.])
    """
    first, last = time.min(), time.max()
    margin = trim * (last - first)
    if margin == 0.0:
        return np.linspace(first, last, size + 2)[1:-1]
    return np.linspace(first + margin, last - margin, size)


def evaluate(split: Split, model: Prediction, protocol: Protocol = PROTOCOL) -> dict[str, float]:
    """Judge a model on the test part.

    The C-index is that of the test part as it is. The metrics that weight with the inverse probability of censoring see
    test rows up to 0.999 of the longest training follow-up, and are censored there.

    Parameters
    ----------
    split : Split
        The data, with times in units of the longest training follow-up.
    model : fitted model
        With ``risk(X)`` and ``survival(X, times)``.
    protocol : Protocol
        The grid.

    Returns
    -------
    dict
        ``c_index``; ``c_td``, its version with weights; ``ibs`` and ``auc`` on the trimmed grid of the paper,
        ``ibs_full`` and ``auc_full`` on the untrimmed one. NaN where a metric is not defined.

    Raises
    ------
    ValueError
        If a prediction has the wrong shape, is not finite, or is a survival probability outside of [0, 1].
    """
    test = split.test
    train = (split.train.event, split.train.time)
    seen = censor(test.event, test.time, protocol.follow_up * split.train.time.max())
    grids = {name: time_grid(seen[1], trim, protocol.grid_size) for name, trim in (("", protocol.trim), ("_full", 0.0))}
    risk = model.risk(test.X)
    scores = {
        "c_index": concordance_index((test.event, test.time), risk),
        "c_td": concordance_index_ipcw(train, seen, risk),
    }
    for name, grid in grids.items():
        survival = probabilities(model.survival(test.X, grid))
        scores[f"ibs{name}"] = integrated_brier_score(train, seen, survival, grid)
        scores[f"auc{name}"] = cumulative_dynamic_auc(train, seen, risk, grid)[1]
    return {name: scores[name] for name in METRICS}


def censor(event: Mask, time: Array, end: float) -> tuple[Mask, Array]:
    """Outcomes with the follow-up ended at `end`.

    Examples
    --------
    >>> import numpy as np
    >>> censor(np.array([True, True]), np.array([1.0, 3.0]), 2.0)
    (array([ True, False]), array([1., 2.]))
    """
    return event & (time < end), np.minimum(time, end)


def probabilities(survival: Array) -> Array:
    """Survival without rounding errors; an error where it is no probability."""
    clipped = np.clip(survival, 0.0, 1.0)
    wrong = np.abs(clipped - survival) > ROUNDING
    if wrong.any():
        raise ValueError(f"survival is no probability in {wrong.sum()} places; the first is {survival[wrong][0]}.")
    return clipped
