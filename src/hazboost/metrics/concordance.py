"""Harrell's concordance index, with delayed entry, time-varying rows and competing causes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.nonparametric import start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.checks import as_risk, event_of_interest, exact_target, refuse_rows_after_an_event, warn_undefined
from hazboost.metrics.pairs import credit_among_first
from hazboost.utils.arrays import Array, Mask


def concordance_index(y: Any, risk: npt.ArrayLike, *, cause: int | None = None) -> float:
    r"""Probability that of two comparable subjects the one with the higher risk has the event first.

    .. math:: C = \frac{\sum_{i, j} A_{ij} \left([r_i > r_j] + \tfrac12 [r_i = r_j]\right)}{\sum_{i, j} A_{ij}}

    :math:`A_{ij} = 1` where subject :math:`i` had the event at :math:`t_i` and subject :math:`j` was under observation
    then, and went on without event: :math:`t_j > t_i`, or :math:`t_j = t_i` and :math:`j` was censored. With delayed
    entry :math:`j` must have entered before :math:`t_i`. With a cause, the event is one of that cause, and subjects who
    had another one stay comparable ever after: they can no longer have it (Wolbers et al., 2009).

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        What was observed. With several rows for each subject (``Surv.counting``), at each event the rows that are at
        risk are compared, one for each subject.
    risk : array-like of shape (n,)
        One value for each row of ``y``; higher means earlier. Risks closer than 1e-8 are tied.
    cause : int, optional
        Cause of interest among competing ones; by default any event counts.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for a useless risk. NaN, with a warning, if no pair is comparable.

    Notes
    -----
    The time is O(n log n). Comparable pairs are those that censoring left, so the value depends on the censoring;
    `concordance_index_ipcw` corrects for it.

    References
    ----------
    Harrell, Lee, Mark, 1996, Multivariable prognostic models. Wolbers, Koller, Witteman, Steyerberg, 2009, Prognostic
    models with competing risks.

    Examples
    --------
    >>> from hazboost.metrics import concordance_index
    >>> concordance_index(([True, True, False], [1.0, 2.0, 3.0]), [3.0, 1.0, 2.0])
    0.6666666666666666
    """
    target = exact_target(y, "y")
    values, event = as_risk(risk, len(target)), event_of_interest(target, cause)
    time = target.lower
    if cause is not None:
        refuse_rows_after_an_event(target)
        time = np.where(target.event & ~event, np.inf, time)
    concordance = _share(*comparable_credit(event, time, values, start_of_risk(target)))
    if np.isnan(concordance):
        warn_undefined("no pair of subjects is comparable, so the concordance index is not defined (NaN).")
    return concordance


def harrell(target: Target, risk: Array) -> float:
    """`concordance_index` of what needs no check, as silent as the training asks; NaN if no pair is comparable.

    A row whose event lies in an interval counts as censored at its beginning.
    """
    return _share(*comparable_credit(target.event, target.lower, risk, start_of_risk(target)))


def _share(credit: Array, pairs: Array) -> float:
    total = pairs.sum()
    return float(credit.sum() / total) if total else float("nan")


def comparable_credit(event: Mask, time: Array, risk: Array, entry: Array) -> tuple[Array, Array]:
    """What each event wins against the rows that are comparable with it, and the number of these.

    Events are in descending order of time.
    """
    # Later first; at equal times the censored before the events, so that an event meets what precedes it.
    order = np.lexsort((event, -time))
    event, time, risk, entry = event[order], time[order], risk[order], entry[order]
    # At one time events do not meet each other: each meets what precedes their run.
    run = np.cumsum(np.r_[True, (time[1:] != time[:-1]) | (event[1:] != event[:-1])])
    credit, pairs = credit_among_first(risk, np.searchsorted(run, run[event], side="left"), risk[event])
    if np.isneginf(entry).all():
        return credit, pairs
    # Some of them have not entered yet. Whoever enters after the event also leaves after it, so all of those were met.
    last_in = np.argsort(-entry, kind="stable")
    absent = np.searchsorted(-entry[last_in], -time[event], side="right")
    absent_credit, absent_pairs = credit_among_first(risk[last_in], absent, risk[event])
    return credit - absent_credit, pairs - absent_pairs
