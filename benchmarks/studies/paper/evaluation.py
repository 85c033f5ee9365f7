"""The four metrics of the paper, as fractions.

Censoring is learned from the training part of the seed, as in the authors' notebook: not from the validation part.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.peers.shared.base import Fitted
from benchmarks.studies.paper.protocol import PROTOCOL, Protocol, Split
from hazboost.metrics import (
    concordance_index,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    integrated_brier_score,
)
from hazboost.utils.arrays import Array, Mask

#: Of the paper, and two of them on the untrimmed grid.
METRICS = ("c_index", "ibs", "c_td", "auc", "ibs_full", "auc_full")


def time_grid(time: Array, trim: float, size: int) -> Array:
    """Equidistant times inside of the follow-up, from which a share is cut off at both ends.

    With nothing cut off, the first and the last time themselves are left out: before the one there is no event, and
    after the other nobody is at risk.

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


@dataclass(frozen=True)
class Predictions:
    """Predictions for the test part.

    Attributes
    ----------
    risk : array of shape (n,)
        Higher means earlier.
    survival : dict
        For the trimmed grid, ``""``, and the untrimmed one, ``"_full"``: times, and survival at them.
    """

    risk: Array
    survival: dict[str, tuple[Array, Array]]


def predict(split: Split, model: Fitted, protocol: Protocol = PROTOCOL) -> Predictions:
    """Risk and survival of the test part.

    Parameters
    ----------
    split : Split
        The data, with times in units of the longest training follow-up.
    model : fitted model
        With ``risk(X)`` and ``survival(X, times)``.
    protocol : Protocol
        The grid.
    """
    X, time = split.test.X, _within_follow_up(split, protocol)[1]
    grids = {name: time_grid(time, trim, protocol.grid_size) for name, trim in (("", protocol.trim), ("_full", 0.0))}
    survival = {name: (grid, model.survival(X, grid)) for name, grid in grids.items()}
    return Predictions(model.risk(X), survival)


def score(split: Split, predictions: Predictions, protocol: Protocol = PROTOCOL) -> dict[str, float]:
    """Metrics of predictions for the test part.

    The C-index is that of the test part as it is. The metrics that weight with the inverse probability of censoring
    see the test rows up to 0.999 of the longest training follow-up, censored there.

    Returns
    -------
    dict
        ``c_index``; ``c_td``, its version with weights; ``ibs`` and ``auc`` on the trimmed grid of the paper,
        ``ibs_full`` and ``auc_full`` on the untrimmed one. NaN where a metric is not defined.

    Raises
    ------
    ValueError
        If a prediction has the wrong shape or is not finite.
    """
    train, seen = (split.train.event, split.train.time), _within_follow_up(split, protocol)
    scores = {
        "c_index": concordance_index((split.test.event, split.test.time), predictions.risk),
        "c_td": concordance_index_ipcw(train, seen, predictions.risk),
    }
    for name, (grid, survival) in predictions.survival.items():
        scores[f"ibs{name}"] = integrated_brier_score(train, seen, survival, grid)
        scores[f"auc{name}"] = cumulative_dynamic_auc(train, seen, predictions.risk, grid)[1]
    return {name: scores[name] for name in METRICS}


def _within_follow_up(split: Split, protocol: Protocol) -> tuple[Mask, Array]:
    """Outcomes of the test part, censored at the end of the training follow-up."""
    return censor(split.test.event, split.test.time, protocol.follow_up * float(split.train.time.max()))


def censor(event: Mask, time: Array, end: float) -> tuple[Mask, Array]:
    """Outcomes with the follow-up ended at `end`.

    Examples
    --------
    >>> import numpy as np
    >>> censor(np.array([True, True]), np.array([1.0, 3.0]), 2.0)
    (array([ True, False]), array([1., 2.]))
    """
    return event & (time < end), np.minimum(time, end)
