"""Probability of being observed, estimated from training data; its inverse weights the test data (IPCW)."""

from __future__ import annotations

import numpy as np

from hazboost.data.nonparametric import (
    at_risk,
    censoring_distribution,
    evaluate_steps,
    follow_up_distribution,
    kaplan_meier,
    since_entry,
    start_of_risk,
)
from hazboost.data.target import Target
from hazboost.metrics.checks import warn_follow_up
from hazboost.utils.arrays import Array


class EmptyRiskSetError(ValueError):
    """Nobody is under observation for a while, so that what is estimated from risk sets is not known from then on."""


class FollowUp:
    r"""Probability :math:`G(s)` of not being censored within the time :math:`s` since entry.

    It is the Kaplan-Meier estimate of the time from entry to censoring. This assumes that the length of the follow-up
    does not depend on the time of entry. Without delayed entry :math:`G` is that of the censoring times.

    Parameters
    ----------
    train : Target
        Training data, one row per subject.
    """

    def __init__(self, train: Target) -> None:
        self.longest, self.censoring = float(train.lower.max()), follow_up_distribution(train)
        since = self.since_entry(train.lower, train.entry)
        self.lengths, self.end = np.unique(since), float(since.max())

    def since_entry(self, times: Array, entry: Array) -> Array:
        """Time from entry until each time, rounded as for the training data."""
        return since_entry(times, entry, self.longest)

    def probability(self, since: Array) -> Array:
        """The probability at each time since entry; 0 where nobody was followed that long."""
        return np.where(since > self.end, 0.0, evaluate_steps(self.censoring, since, start=1.0))

    def clipped(self, since: Array, what: str) -> Array:
        """The same with the smallest positive value, and a warning, instead of 0; ``what`` names the times in it."""
        return _clip(self.probability(since), since, self.probability(self.lengths), self.end, what)


class Observation:
    r"""Probability of being under observation at a time.

    It is estimated from training data and is unknown after the end of their follow-up. There the smallest positive
    value is used, with a `FollowUpWarning`.

    Parameters
    ----------
    train : Target
        Training data, one row per subject.
    """

    def __init__(self, train: Target) -> None:
        self.train = train
        # Entry at time 0 is no delayed entry; `start_of_risk` is minus infinity there.
        self.delayed = bool(np.isfinite(start_of_risk(train)).any())
        self.end = float(train.lower.max())
        self.censoring = censoring_distribution(train)
        self.survival = kaplan_meier(train)
        if self.delayed:
            self._refuse_empty_risk_set()

    def under_observation(self, times: Array, what: str) -> Array:
        r"""Probability of having entered before each time and not being censored by it; ``what`` names the times.

        Without delayed entry this is :math:`G(t)`. With delayed entry, the share of the subjects event-free at
        :math:`t` that is in the risk set of size :math:`R(t)` is proportional to :math:`R(t) / S(t-)`, and

        .. math:: O(t) = \frac{R(t)}{n S(t-)} \frac{G(t)}{G(t-)}

        is the probability up to a constant factor, the share of all subjects who enter before their event. The factor
        cancels in ratios such as the concordance index and the AUC (Hartman et al., 2023).
        """
        curve = self._under_observation if self.delayed else self._uncensored
        values = np.where(times > self.end, 0.0, curve(times))
        return _clip(values, times, curve(np.unique(self.train.lower)), self.end, what)

    def _uncensored(self, times: Array) -> Array:
        return evaluate_steps(self.censoring, times, start=1.0)

    def _under_observation(self, times: Array) -> Array:
        present = at_risk(self.train, times) / self.train.weight.sum()
        surviving = evaluate_steps(self.survival, times, start=1.0, before=True)
        # R(t) counts subjects before the events and censorings at t. G(t) / G(t-) removes those censored at t, so that
        # the result equals G(t) when there is no delayed entry.
        before = evaluate_steps(self.censoring, times, start=1.0, before=True)
        # After the end of follow-up both the risk set and S may be 0; the probability is then 0, not 0 / 0.
        share = surviving * before
        probability: Array = present * np.divide(
            self._uncensored(times), share, out=np.zeros_like(times), where=share > 0.0
        )
        return probability

    def _refuse_empty_risk_set(self) -> None:
        """Refuse a risk set that becomes empty and fills again by delayed entries: estimates stay 0 from then on."""
        for time, value in (self.survival, self.censoring):
            if len(value) and value[-1] == 0.0 and time[value == 0.0][0] < self.end:
                empty = time[value == 0.0][0]
                raise EmptyRiskSetError(
                    f"y_train: the risk set is empty after time {empty:g} and fills again by later entries, so the "
                    "distributions of event and censoring times cannot be estimated. Leave out the "
                    f"{(self.train.lower <= empty).sum()} subjects who leave at or before that time."
                )


def _clip(values: Array, times: Array, known: Array, end: float, what: str) -> Array:
    """Replace probabilities of 0 by the smallest positive of the known ones, with a warning that names the times."""
    unknown = values <= 0.0
    if not unknown.any():
        return values
    # If all training subjects are censored at the same time there is no positive value, and no information.
    lowest = float(known[known > 0.0].min()) if (known > 0.0).any() else 1.0
    warn_follow_up(
        f"{unknown.sum()} of {len(times)} {what} (up to {times[unknown].max():g}) lie where y_train, whose "
        f"follow-up ends at {end:g}, has nobody under observation; the probability of being observed is "
        f"clipped to {lowest:.4g} there, its smallest positive value. Use earlier times or a smaller tau."
    )
    return np.where(unknown, lowest, values)
