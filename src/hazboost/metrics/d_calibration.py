"""D-calibration: the survival probabilities at the observed times should be uniform."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from hazboost.metrics.checks import check_probabilities, one_row_target
from hazboost.utils.arrays import Array, as_numbers


class DCalibration(NamedTuple):
    """Result of `d_calibration`."""

    #: Pearson's statistic, chi-squared with one degree of freedom less than there are bins.
    statistic: float
    #: Small where the probabilities are not uniform.
    p_value: float
    #: Number of subjects in each bin, from survival 0 to survival 1; with censoring, in parts.
    counts: Array
    #: Borders of the bins, one more than there are bins.
    edges: Array


def d_calibration(y: Any, survival: npt.ArrayLike, *, n_bins: int = 10) -> DCalibration:
    r"""Test whether predicted survival functions are calibrated as distributions.

    If the predicted distributions are true, :math:`S_i(t_i)` at the time of the event is uniform. Each bin
    :math:`[a, b)` of [0, 1] should then hold :math:`n (b - a)` subjects. A subject censored at :math:`s = S_i(t_i)`
    will have its event somewhere below, and is spread evenly over :math:`[0, s]`.

    .. math:: N_{[a, b)} = \sum_{\text{events}} [a \le s_i < b]
              + \sum_{\text{censored}} \frac{\min(b, s_i) - \min(a, s_i)}{s_i}, \qquad
              \chi^2 = \sum_{[a, b)} \frac{(N_{[a, b)} - n (b - a))^2}{n (b - a)}

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        What was observed; one row for each subject.
    survival : array-like of shape (n,)
        Each subject's predicted survival probability at its own observed time. Of a subject with delayed entry,
        given that it was without event at entry: ``S(time) / S(entry)``.
    n_bins : int, default=10
        Number of bins of equal width.

    Returns
    -------
    DCalibration
        A named tuple of ``statistic``, ``p_value``, ``counts`` and ``edges``.

    Notes
    -----
    Spreading the censored makes the counts smoother than chance would, so that with much censoring true
    models are rejected less often than the p-value says.

    The whole distribution is tested, over all causes; for a single cause there is no such test, as its
    cumulative incidence does not reach 1.

    References
    ----------
    Haider, Hoehn, Davis, Greiner, 2020, Effective ways to build and evaluate individual survival distributions.

    Examples
    --------
    >>> import numpy as np
    >>> from hazboost.metrics import d_calibration
    >>> time = np.random.default_rng(0).exponential(size=1000)
    >>> d_calibration((np.ones(1000), time), np.exp(-time)).p_value > 0.05
    True
    >>> d_calibration((np.ones(1000), time), np.exp(-1.3 * time)).p_value > 0.05
    False
    """
    target = one_row_target(y, "y")
    values = as_numbers(survival, "survival")
    if values.shape != (len(target),):
        raise ValueError(
            f"survival must have shape ({len(target)},), the probability of each subject at its own time; "
            f"got {values.shape}."
        )
    if isinstance(n_bins, bool) or not isinstance(n_bins, int | np.integer) or n_bins < 2:
        raise ValueError(f"n_bins must be a whole number of at least 2; got {n_bins!r}.")
    values = np.clip(check_probabilities(values, "survival"), 0.0, 1.0)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    counts = _count(values[target.event], edges) + _spread(values[~target.event], edges)
    expected = len(target) / n_bins
    statistic = float(((counts - expected) ** 2).sum() / expected)
    return DCalibration(statistic, float(chi2.sf(statistic, n_bins - 1)), counts, edges)


def _count(values: Array, edges: Array) -> Array:
    """Number of values in each bin."""
    return np.histogram(values, edges)[0].astype(np.float64)


def _spread(values: Array, edges: Array) -> Array:
    """Number of values in each bin, each value spread evenly from 0 to itself."""
    # A survival of zero has no length to be spread over; it belongs to the first bin.
    length = np.maximum(values, np.finfo(np.float64).tiny)
    below = np.array([(np.minimum(edge, length) / length).sum() for edge in edges])
    return np.diff(below)
