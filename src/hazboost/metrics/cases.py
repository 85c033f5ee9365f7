"""Cases and controls at a time, weighted for censoring, and subjects ranked by their risk."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hazboost.data.nonparametric import start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.checks import event_of_interest
from hazboost.metrics.pairs import tied_range
from hazboost.metrics.weights import Observation
from hazboost.utils.arrays import Array, Indices, Mask


def cases_and_controls(train: Target, test: Target, grid: Array, cause: int | None) -> Iterator[tuple[Array, Array]]:
    """At each time, the weight of every test subject as a case and as a control; 0 where it is none."""
    event, entry, observation = event_of_interest(test, cause), start_of_risk(test), Observation(train)
    weight = _event_weights(test, event, cause, observation, grid[-1])
    # Without competing risks all controls have the same weight, which cancels. Not evaluating G(t) then also avoids a
    # needless FollowUpWarning at times beyond the training data.
    staying = np.ones(len(grid)) if cause is None else 1.0 / observation.under_observation(grid, "times")
    for k, time in enumerate(grid):
        left = test.lower <= time
        present = ~left & (entry < time)
        # Subjects censored by t have weight 0 in both groups: it is unknown which of the two they belong to.
        yield np.where(left & event, weight, 0.0), np.where(left & ~event, weight, 0.0) + staying[k] * present


def _event_weights(test: Target, event: Mask, cause: int | None, observation: Observation, last: float) -> Array:
    """Inverse probability of observation of the events that are used at some time; 0 for all other subjects.

    Without ``cause`` these are the cases; with ``cause`` also the competing events, whose subjects are controls.
    """
    used = (event if cause is None else test.event) & (test.lower <= last)
    weight = np.zeros(len(test))
    weight[used] = 1.0 / observation.under_observation(test.lower[used], "event times of y_test")
    return weight


class Ranking:
    """Subjects sorted by increasing risk, and the range of subjects tied with each of them."""

    def __init__(self, risk: Array) -> None:
        self.order = np.argsort(risk)
        self.lowest, self.highest = tied_range(risk[self.order], risk[self.order])

    def area(self, cases: Array, controls: Array) -> float:
        """Area under the ROC curve for weighted cases and controls; NaN if there are none of either."""
        below = np.concatenate([[0.0], np.cumsum(controls[self.order])])
        # [r_i > r_j] + [r_i = r_j] / 2 is the mean of the weights strictly below and up to the end of the ties.
        won = cases[self.order] @ (below[self.lowest] + below[self.highest])
        possible = cases.sum() * below[-1]
        return float(0.5 * won / possible) if possible > 0.0 else float("nan")

    def levels(self) -> Indices:
        """Where groups of tied risks begin, from the number of subjects down to 0.

        A group is what is tied with the highest risk in it.
        """
        starts = [len(self.order)]
        while starts[-1] > 0:
            starts.append(int(self.lowest[starts[-1] - 1]))
        return np.array(starts)

    def share_from(self, starts: Indices, weight: Array) -> Array:
        """Share of the weight that subjects from each position on have; NaN if there is no weight."""
        above = np.concatenate([[0.0], np.cumsum(weight[self.order[::-1]])])
        if above[-1] == 0.0:
            return np.full(len(starts), np.nan)
        share: Array = above[len(weight) - starts] / above[-1]
        return share
