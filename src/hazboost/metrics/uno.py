"""Uno's concordance index, whose expected value does not depend on the censoring."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.data.alignment import check_alignment
from hazboost.data.nonparametric import start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.checks import as_risk, event_of_interest, one_row_target, warn_no_pairs
from hazboost.metrics.concordance import comparable_credit
from hazboost.metrics.pairs import credit_among_first
from hazboost.metrics.weights import Observation
from hazboost.utils.arrays import Array, Mask
from hazboost.utils.describe import describe


def concordance_index_ipcw(
    y_train: Any, y_test: Any, risk: npt.ArrayLike, tau: float | None = None, *, cause: int | None = None
) -> float:
    r"""Concordance index with inverse probability of censoring weights.

    .. math:: C = \frac{\sum_{i, j} A_{ij} w_{ij} \left([r_i > r_j] + \tfrac12 [r_i = r_j]\right)}
              {\sum_{i, j} A_{ij} w_{ij}}, \qquad w_{ij} = \frac{1}{G(t_i) \, G(\min(t_i, t_j))}

    The sums are over the comparable pairs :math:`A_{ij}` of `concordance_index` with :math:`t_i < \tau`. :math:`G` is
    the probability of not being censored, estimated from the training data. If :math:`j` leaves after :math:`t_i`, the
    weight is :math:`G(t_i)^{-2}` (Uno et al., 2011); if :math:`j` has an earlier event of another cause, one of the two
    factors is :math:`G(t_j)` (Wolbers et al., 2014).

    Parameters
    ----------
    y_train, y_test : structured array, DataFrame, pair of arrays, or result of `Surv`
        Observed outcomes in any form that `FPBoost.fit` accepts, one row per subject. The censoring distribution is
        estimated from ``y_train``.
    risk : array-like of shape (n_test,)
        Higher means an earlier event. Risks closer than 1e-8 are tied.
    tau : float, optional
        Only events before this time count; by default all.
    cause : int, optional
        Cause of interest with competing risks; by default any event counts.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for an uninformative risk. NaN, with a warning, if no pair is comparable.

    Notes
    -----
    With delayed entry, :math:`G` becomes the probability of being under observation, that is of having entered and not
    being censored (Hartman et al., 2023).

    Beyond the follow-up of the training data :math:`G` is unknown; its smallest positive value is used there, with a
    `FollowUpWarning`. A ``tau`` within that follow-up avoids this.

    References
    ----------
    Uno, Cai, Pencina, D'Agostino, Wei, 2011, On the C-statistics for evaluating overall adequacy of risk prediction
    procedures. Wolbers, Blanche, Koller, Witteman, Gerds, 2014, Concordance for prognostic models with competing risks.
    Hartman, Kim, He, Kalbfleisch, 2023, Concordance indices with left-truncated and right-censored data.

    Examples
    --------
    >>> from hazboost.metrics import concordance_index_ipcw
    >>> y = ([True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0])
    >>> round(concordance_index_ipcw(y, y, [5.0, 4.0, 1.0, 2.0, 3.0]), 4)
    0.4286
    """
    if tau is not None and not (isinstance(tau, numbers.Real) and tau > 0.0):
        raise ValueError(f"tau must be a positive time, or None for all events; got {describe(tau)}.")
    check_alignment({"y_test": y_test, "risk": risk})
    train, test = one_row_target(y_train, "y_train"), one_row_target(y_test, "y_test")
    values, event = as_risk(risk, len(test)), event_of_interest(test, cause)
    # Strictly before tau, as in Uno et al. and scikit-survival.
    counted = event & (test.lower < (np.inf if tau is None else tau))
    observation = Observation(train)
    # `comparable_credit` returns events in decreasing order of time, so the weights are put in the same order.
    weight = 1.0 / observation.under_observation(np.sort(test.lower[counted])[::-1], "event times of y_test")
    credit, pairs = comparable_credit(counted, test.lower, values, start_of_risk(test))
    won, possible = (weight**2 * credit).sum(), (weight**2 * pairs).sum()
    if cause is not None:
        # Pairs with an earlier competing event have a weight of their own, 1 / (G(t_i) G(t_j)).
        further = _credit_against_competing(test, values, counted, observation)
        won, possible = won + (weight * further[0]).sum(), possible + (weight * further[1]).sum()
    if possible == 0.0:
        warn_no_pairs()
        return float("nan")
    return float(won / possible)


def _credit_against_competing(
    test: Target, risk: Array, counted: Mask, observation: Observation
) -> tuple[Array, Array]:
    """For each event, weighted concordant and comparable pairs with the earlier competing events.

    Events are in decreasing order of time.
    """
    events = np.flatnonzero(counted)[np.argsort(-test.lower[counted], kind="stable")]
    # Later competing events form no pair; leaving them out avoids evaluating G beyond what is needed.
    last = test.lower[events].max(initial=-np.inf)
    competing = np.flatnonzero(test.event & ~counted & (test.lower < last))
    competing = competing[np.argsort(test.lower[competing], kind="stable")]
    weight = 1.0 / observation.under_observation(test.lower[competing], "competing event times of y_test")
    met = np.searchsorted(test.lower[competing], test.lower[events], side="left")
    return credit_among_first(risk[competing], met, risk[events], weight)
