"""How likely a subject was to be observed, learned from the training data: the inverse weighs the test data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hazboost.data.nonparametric import at_risk, censoring_distribution, evaluate_steps, kaplan_meier, start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.checks import warn_follow_up
from hazboost.utils.arrays import Array

Curve = Callable[[Array], Array]


class Observation:
    r"""Probabilities of not being censored, and of being under observation.

    Both are learned from training data, and neither is known where these end. There the last positive value
    is used, and a `FollowUpWarning` says so.

    Parameters
    ----------
    train : Target
        Training data, one row for each subject.
    """

    def __init__(self, train: Target) -> None:
        self.train = train
        self.delayed = bool(np.isfinite(start_of_risk(train)).any())
        self.end = float(train.lower.max())
        self.censoring = censoring_distribution(train)
        self.survival = kaplan_meier(train)
        if self.delayed:
            self._refuse_empty_risk_set()

    def uncensored(self, times: Array, what: str) -> Array:
        """Probability G of not being censored until each time; ``what`` names the times in a warning."""
        return self._clipped(self._uncensored, times, what)

    def under_observation(self, times: Array, what: str) -> Array:
        r"""Probability of having entered before each time and not being censored until it.

        Without delayed entry this is :math:`G(t)`. With it, of all subjects that are alive at :math:`t` a share
        proportional to :math:`R(t) / S(t-)` is in the risk set :math:`R`, and

        .. math:: O(t) = \frac{R(t)}{n S(t-)} \frac{G(t)}{G(t-)}

        is the probability but for a constant factor, the share of all subjects that entered before their event.
        """
        return self._clipped(self._under_observation if self.delayed else self._uncensored, times, what)

    def _uncensored(self, times: Array) -> Array:
        return evaluate_steps(self.censoring, times, start=1.0)

    def _under_observation(self, times: Array) -> Array:
        present = at_risk(self.train, times) / self.train.weight.sum()
        surviving = evaluate_steps(self.survival, times, start=1.0, before=True)
        before = evaluate_steps(self.censoring, times, start=1.0, before=True)
        # Past the end of all follow-up nobody is present, whether or not anybody survives.
        share = surviving * before
        probability: Array = present * np.divide(
            self._uncensored(times), share, out=np.zeros_like(times), where=share > 0.0
        )
        return probability

    def _clipped(self, curve: Curve, times: Array, what: str) -> Array:
        values = curve(times)
        unknown = (values <= 0.0) | (times > self.end)
        if not unknown.any():
            return values
        known = curve(np.unique(self.train.lower))
        # Nothing is known of the censoring if all leave without event at once.
        lowest = float(known[known > 0.0].min()) if (known > 0.0).any() else 1.0
        warn_follow_up(
            f"{unknown.sum()} of {len(times)} {what} (up to {times[unknown].max():g}) lie where y_train, whose "
            f"follow-up ends at {self.end:g}, has nobody under observation; the probability of being observed is "
            f"clipped to {lowest:.4g} there, its smallest positive value. Earlier times, or a lower tau, avoid this."
        )
        return np.where(unknown, lowest, values)

    def _refuse_empty_risk_set(self) -> None:
        """With delayed entry the risk set may run empty and fill again; nothing can be estimated after that."""
        for time, value in (self.survival, self.censoring):
            if len(value) and value[-1] == 0.0 and time[value == 0.0][0] < self.end:
                empty = time[value == 0.0][0]
                raise ValueError(
                    f"y_train: at time {empty:g} everybody who had entered has left, and others enter later; the "
                    "distribution of the times cannot be estimated from it. Leave out the "
                    f"{(self.train.lower <= empty).sum()} subjects who leave until then."
                )
