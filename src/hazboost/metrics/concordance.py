"""Harrell's concordance index, with delayed entry, time-varying covariates and competing risks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.checks import as_risk, event_of_interest, exact_target, refuse_rows_after_an_event, warn_no_pairs
from hazboost.metrics.pairs import credit_among_first
from hazboost.utils.arrays import Array, Indices, Mask


def concordance_index(y: Any, risk: npt.ArrayLike, *, cause: int | None = None, sample_weight: Any = None) -> float:
    r"""Probability that, of two comparable subjects, the one with the higher risk has the event first.

    .. math:: C = \frac{\sum_{i, j} A_{ij} \left([r_i > r_j] + \tfrac12 [r_i = r_j]\right)}{\sum_{i, j} A_{ij}}

    :math:`A_{ij} = 1` if subject :math:`i` has the event at :math:`t_i` and subject :math:`j` is at risk then and is
    known to be event-free at :math:`t_i`: :math:`t_j > t_i`, or :math:`t_j = t_i` and :math:`j` is censored. With
    delayed entry :math:`j` must have entered before :math:`t_i`. With ``cause``, only events of that cause count, and
    subjects with an event of another cause remain comparable at all later times, because they can no longer have the
    event of interest (Wolbers et al., 2009).

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes. With several rows per subject (``Surv.counting``), the row of an event is compared with the
        rows at risk at that time, one for each other subject.
    risk : array-like of shape (n,)
        One value for each row of ``y``; higher means an earlier event. Risks closer than 1e-8 are tied.
    cause : int, optional
        Cause of interest with competing risks; by default any event counts.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows. A pair counts as the product of its two weights, so that a weight of 2 is a row given
        twice.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for an uninformative risk. NaN, with a warning, if no pair is comparable.

    Notes
    -----
    The running time is O(n log n). Which pairs are comparable depends on the censoring, and so does the value;
    `concordance_index_ipcw` corrects for this.

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
    check_alignment({"y": y, "risk": risk, "sample_weight": sample_weight})
    target, event, time = read_comparable(y, cause, sample_weight)
    values = as_risk(risk, len(target))
    concordance = _share(*comparable_credit(event, time, values, start_of_risk(target), target.weight))
    if np.isnan(concordance):
        warn_no_pairs()
    return concordance


def harrell(target: Target, risk: Array) -> float:
    """`concordance_index` without checks or warnings, for use during training; NaN if no pair is comparable.

    An interval-censored row counts as censored at the lower end of its interval.
    """
    return _share(*comparable_credit(target.event, target.lower, risk, start_of_risk(target), target.weight))


def read_comparable(y: Any, cause: int | None, sample_weight: Any = None) -> tuple[Target, Mask, Array]:
    """Check ``y``; returns it, its events of interest, and until when each row is known to be without one."""
    target = exact_target(y, "y", sample_weight)
    event = event_of_interest(target, cause)
    if cause is None:
        return target, event, target.lower
    refuse_rows_after_an_event(target)
    # A subject with a competing event counts as event-free for ever, hence comparable with every later event.
    return target, event, np.where(target.event & ~event, np.inf, target.lower)


def _share(credit: Array, pairs: Array) -> float:
    total = pairs.sum()
    return float(credit.sum() / total) if total else float("nan")


def decreasing_time(event: Mask, time: Array) -> Indices:
    """Order in which the rows comparable with an event are those that precede it and other events at its time."""
    # Censored rows come before events at equal times.
    return np.lexsort((event, -time))


def comparable_credit(
    event: Mask, time: Array, risk: Array, entry: Array, weight: Array | None = None
) -> tuple[Array, Array]:
    """For each event, the number of concordant pairs (ties count one half) and of comparable pairs.

    Events are in the order of `decreasing_time`. With weights, each pair counts as the product of its two weights.
    """
    if weight is not None:
        kept = weight > 0.0
        event, time, risk, entry, weight = event[kept], time[kept], risk[kept], entry[kept], weight[kept]
        # Equal weights cancel in the index, and pairs are counted faster than added up. Of others only the ratios
        # matter, and products of large weights would overflow.
        weight = None if (weight == weight[:1]).all() else weight / weight.max()
    order = decreasing_time(event, time)
    event, time, risk, entry = event[order], time[order], risk[order], entry[order]
    weight = None if weight is None else weight[order]
    # Events at the same time are not comparable with each other, so each is compared with what precedes their run.
    run = np.cumsum(np.r_[True, (time[1:] != time[:-1]) | (event[1:] != event[:-1])])
    present = np.searchsorted(run, run[event], side="left")
    credit, pairs = credit_among_first(risk, present, risk[event], weight)
    if not np.isneginf(entry).all():
        # With delayed entry, subtract the rows that enter at or after the event and are not yet at risk. They also
        # leave after it, so all of them were counted above.
        last_in = np.argsort(-entry, kind="stable")
        absent = np.searchsorted(-entry[last_in], -time[event], side="right")
        weight_in = None if weight is None else weight[last_in]
        absent_credit, absent_pairs = credit_among_first(risk[last_in], absent, risk[event], weight_in)
        # Sums of weights are rounded, so that differences must be kept from small values where there is no pair.
        pairs = np.where(present > absent, np.maximum(pairs - absent_pairs, 0.0), 0.0)
        credit = np.clip(credit - absent_credit, 0.0, pairs)
    return (credit, pairs) if weight is None else (weight[event] * credit, weight[event] * pairs)
