"""Standard errors and confidence intervals of Harrell's concordance index, and of the difference of two."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtri

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import start_of_risk
from hazboost.metrics.checks import as_risk, warn_no_pairs, warn_undefined
from hazboost.metrics.concordance import comparable_credit, decreasing_time, read_comparable
from hazboost.metrics.pairs import credit_among_first
from hazboost.utils.arrays import Array, Mask
from hazboost.utils.describe import describe


class ConcordanceInterval(NamedTuple):
    """Result of `concordance_interval` and `concordance_difference`."""

    #: Concordance index, or the difference of two.
    estimate: float
    #: Its standard error over samples of subjects.
    standard_error: float
    #: Lower end of the confidence interval.
    low: float
    #: Upper end of the confidence interval.
    high: float


def concordance_interval(
    y: Any, risk: npt.ArrayLike, *, level: float = 0.95, cause: int | None = None
) -> ConcordanceInterval:
    r"""Concordance index with its standard error and confidence interval.

    The standard error is that of the infinitesimal jackknife, as in R's ``survival::concordance``:

    .. math:: \mathrm{se}^2 = \sum_i d_i^2, \qquad d_i = \frac{N_i - C P_i}{P}

    Of the :math:`P` comparable pairs :math:`P_i` are with subject :math:`i`, and :math:`N_i` of these are concordant;
    ties count one half. The interval is symmetric for :math:`\log(C / (1 - C))`, and so stays between 0 and 1.

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes. With several rows per subject (``Surv.counting``), subjects are what varies, not rows.
    risk : array-like of shape (n,)
        One value for each row of ``y``, from a model that was not trained with these rows; higher means an earlier
        event. Risks closer than 1e-8 are tied.
    level : float, default=0.95
        Probability with which intervals contain the concordance of the population.
    cause : int, optional
        Cause of interest with competing risks; by default any event counts.

    Returns
    -------
    ConcordanceInterval
        A named tuple of ``estimate``, which is `concordance_index`, ``standard_error``, ``low`` and ``high``. The last
        three are NaN, with a warning, if the estimate is 0 or 1.

    Notes
    -----
    It says how much the concordance of this risk varies with the subjects in ``y``, not how it varies with those that
    a model was trained with. The running time is O(n log n).

    References
    ----------
    Efron, 1982, The jackknife, the bootstrap and other resampling plans. Therneau, Atkinson, Concordance, vignette of
    the R package survival.

    Examples
    --------
    >>> from hazboost.metrics import concordance_interval
    >>> y = ([True, True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> interval = concordance_interval(y, [6.0, 3.0, 5.0, 1.0, 4.0, 2.0])
    >>> [round(value, 3) for value in interval]
    [0.667, 0.167, 0.315, 0.897]
    """
    quantile = _normal_quantile(level)
    (concordance,), (influence,) = _concordances(y, {"risk": risk}, cause)
    error = float(np.sqrt((influence**2).sum()))
    # By the delta method, the standard error of the logit.
    margin = quantile * error / (concordance * (1.0 - concordance)) if np.isfinite(error) else np.nan
    low, high = expit(logit(concordance) + margin * np.array([-1.0, 1.0]))
    return ConcordanceInterval(concordance, error, float(low), float(high))


def concordance_difference(
    y: Any, risk: npt.ArrayLike, other: npt.ArrayLike, *, level: float = 0.95, cause: int | None = None
) -> ConcordanceInterval:
    r"""How much higher the concordance index of a risk is than that of another, for the same subjects.

    The difference varies less than two concordances of different subjects would, because what is difficult to predict
    is so for both. Its standard error is that of `concordance_interval`, with the difference of the two
    :math:`d_i` for each subject.

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes, as in `concordance_interval`.
    risk, other : array-like of shape (n,)
        Two risks for each row of ``y``, from models that were not trained with these rows.
    level : float, default=0.95
        Probability with which intervals contain the difference in the population.
    cause : int, optional
        Cause of interest with competing risks; by default any event counts.

    Returns
    -------
    ConcordanceInterval
        A named tuple of ``estimate``, the concordance of ``risk`` minus that of ``other``, ``standard_error``, ``low``
        and ``high``. The last three are NaN, with a warning, if one of the concordances is 0 or 1.

    Examples
    --------
    >>> from hazboost.metrics import concordance_difference
    >>> y = ([True, True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> difference = concordance_difference(y, [6.0, 5.0, 3.0, 1.0, 4.0, 2.0], [6.0, 3.0, 5.0, 1.0, 4.0, 2.0])
    >>> [round(value, 3) for value in difference]
    [0.167, 0.156, -0.139, 0.472]
    """
    quantile = _normal_quantile(level)
    concordance, influence = _concordances(y, {"risk": risk, "other": other}, cause)
    estimate = concordance[0] - concordance[1]
    error = float(np.sqrt(((influence[0] - influence[1]) ** 2).sum()))
    return ConcordanceInterval(estimate, error, estimate - quantile * error, estimate + quantile * error)


def _normal_quantile(level: float) -> float:
    """How many standard errors an interval extends to each side."""
    if not (isinstance(level, Real) and 0.0 < level < 1.0):
        raise ValueError(f"level must be a number between 0 and 1, such as 0.95; got {describe(level)}.")
    return float(ndtri(0.5 + 0.5 * level))


def _concordances(y: Any, risks: Mapping[str, npt.ArrayLike], cause: int | None) -> tuple[list[float], list[Array]]:
    """Concordance of each risk, and the influence of each subject on it."""
    check_alignment({"y": y, **risks})
    target, event, time = read_comparable(y, cause)
    values = [as_risk(risk, len(target), name) for name, risk in risks.items()]
    concordances: list[float] = []
    influences: list[Array] = []
    for risk in values:
        concordant, pairs = _pairs_of_rows(event, time, risk, start_of_risk(target))
        # Each pair is counted for both of its rows.
        total = pairs.sum()
        concordance = float(concordant.sum() / total) if total else np.nan
        influence = 2.0 * (concordant - concordance * pairs) / total if 0.0 < concordance < 1.0 else pairs * np.nan
        concordances.append(concordance)
        influences.append(np.bincount(target.subject, influence).astype(np.float64))
    if np.isnan(concordances).any():
        warn_no_pairs()
    elif np.isnan(influences).any():
        warn_undefined(
            "y: all comparable pairs are ordered alike, so that nothing is known of how much the concordance index "
            "varies, and its standard error and interval are not defined (NaN); use more data."
        )
    return concordances, influences


def _pairs_of_rows(event: Mask, time: Array, risk: Array, entry: Array) -> tuple[Array, Array]:
    """For each row, the number of concordant pairs (ties count one half) and of comparable pairs that it is part of."""
    order = decreasing_time(event, time)
    events = order[event[order]]
    # As the one without event, a row is compared with the events since its entry. Against negative risks credit is
    # given for events with a higher risk.
    moments, negative = time[events][::-1], -risk[events][::-1]
    last = np.where(event, np.searchsorted(moments, time, side="left"), np.searchsorted(moments, time, side="right"))
    first = np.minimum(np.searchsorted(moments, entry, side="right"), last)
    (until, since), (met, missed) = (
        np.array_split(part, 2)
        for part in credit_among_first(negative, np.concatenate([last, first]), np.tile(-risk, 2))
    )
    concordant, pairs = until - since, met - missed
    # As the one with the event.
    own_concordant, own_pairs = comparable_credit(event, time, risk, entry)
    concordant[events] += own_concordant
    pairs[events] += own_pairs
    return concordant, pairs
