"""D-calibration: predicted survival probabilities at the event times should be uniformly distributed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.stats import chi2

from hazboost.data.alignment import check_alignment
from hazboost.metrics.checks import check_probabilities, one_row_target
from hazboost.utils.arrays import Array, as_numbers
from hazboost.utils.describe import describe
from hazboost.utils.whole_numbers import is_whole_number


class DCalibration(NamedTuple):
    """Result of `d_calibration`."""

    #: Pearson's statistic, compared with a chi-squared distribution with ``n_bins - 1`` degrees of freedom.
    statistic: float
    #: Small if the probabilities are not uniform, that is if the model is not calibrated.
    p_value: float
    #: Number of subjects in each bin, from survival 0 to 1; not whole numbers if subjects are censored.
    counts: Array
    #: The ``n_bins + 1`` edges of the bins.
    edges: Array


def d_calibration(y: Any, survival: npt.ArrayLike, *, n_bins: int = 10) -> DCalibration:
    r"""Test whether predicted survival functions are calibrated as distributions.

    If the predicted distributions are correct, :math:`S_i(t_i)` at the event time is uniform on [0, 1], and each bin
    :math:`[a, b)` is expected to contain :math:`n (b - a)` subjects. A subject censored at survival
    :math:`s = S_i(t_i)` has its event at a lower survival probability and is spread evenly over :math:`[0, s]`.

    .. math:: N_{[a, b)} = \sum_{\text{events}} [a \le s_i < b]
              + \sum_{\text{censored}} \frac{\min(b, s_i) - \min(a, s_i)}{s_i}, \qquad
              \chi^2 = \sum_{[a, b)} \frac{(N_{[a, b)} - n (b - a))^2}{n (b - a)}

    Parameters
    ----------
    y : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes, one row per subject.
    survival : array-like of shape (n,)
        Predicted survival probability of each subject at its own observed time; with delayed entry, conditional on
        being event-free at entry: ``S(time) / S(entry)``.
    n_bins : int, default=10
        Number of bins of equal width.

    Returns
    -------
    DCalibration
        A named tuple of ``statistic``, ``p_value``, ``counts`` and ``edges``.

    Notes
    -----
    Spreading censored subjects over several bins makes the counts less variable than Pearson's statistic assumes, so
    with heavy censoring the test is conservative: it rejects correct models less often than its level.

    With competing risks the test is of the survival function of all causes. There is no such test for a single cause,
    because a cumulative incidence does not reach 1.

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
    check_alignment({"y": y, "survival": survival})
    target = one_row_target(y, "y")
    values = as_numbers(survival, "survival")
    if values.shape != (len(target),):
        raise ValueError(
            f"survival must have one probability for each of the {len(target)} subjects, at its own time; got shape "
            f"{values.shape}."
        )
    if not is_whole_number(n_bins, 2):
        raise ValueError(f"n_bins must be a whole number of at least 2; got {describe(n_bins)}.")
    values = np.clip(check_probabilities(values, "survival"), 0.0, 1.0)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    # Predictions may exceed [0, 1] by rounding, which would put them outside of all bins; hence the clipping above.
    counts = _count(values[target.event], edges) + _spread(values[~target.event], edges)
    expected = len(target) / n_bins
    statistic = float(((counts - expected) ** 2).sum() / expected)
    return DCalibration(statistic, float(chi2.sf(statistic, n_bins - 1)), counts, edges)


def _count(values: Array, edges: Array) -> Array:
    """Number of values in each bin."""
    return np.histogram(values, edges)[0].astype(np.float64)


def _spread(values: Array, edges: Array) -> Array:
    """Number of values in each bin if each value is spread evenly over the interval from 0 to the value."""
    # A survival of 0 cannot be spread and belongs to the first bin; `tiny` avoids 0 / 0.
    length = np.maximum(values, np.finfo(np.float64).tiny)
    below = np.array([(np.minimum(edge, length) / length).sum() for edge in edges])
    return np.diff(below)
