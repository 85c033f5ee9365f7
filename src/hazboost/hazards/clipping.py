"""Hazards with negative weights, which are clipped at zero, and their exact integrals.

With negative weights ``h(t) = sum_j w_j h_j(t)`` may be negative at some times. The hazard of the model is
``max(h, 0)``. Its integral needs no quadrature: between two zeros of ``h`` it is a difference of closed forms,

    int_0^t max(h, 0) = [h(t) > 0] H(t) + sum over zeros s < t of  +H(s) where h falls, -H(s) where h rises.

The derivative with respect to a parameter is the same sum with ``dH`` in place of ``H``: the zeros move with the
parameter, but ``h`` is zero there, so their movement contributes nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hazboost.hazards.heads import Evaluation
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import Mixture, Parameters, log_hazards, sum_hazards
from hazboost.utils.arrays import Array, Indices, Mask

#: Log-times in the mixture's unit between which changes of sign are searched. The unit is the longest follow-up or the
#: median event time, of which the follow-up may be many. The grid is finest, with steps of a tenth, from 0.02 to 50 of
#: them, where the hazard matters in both cases, and reaches to the ends of the representable times.
LOG_GRID = np.concatenate(
    [
        np.linspace(-690.0, np.log(1e-9), 12, endpoint=False),
        np.log(np.geomspace(1e-9, 0.02, 16, endpoint=False)),
        np.log(np.geomspace(0.02, 50.0, 80, endpoint=False)),
        np.log(np.geomspace(50.0, 1e6, 14, endpoint=False)),
        np.linspace(np.log(1e6), 690.0, 12),
    ]
)
#: Halvings of a grid interval, which locate a zero to about 1e-10 in log-time.
BISECTIONS = 40


class Zeros(NamedTuple):
    """Zeros of the unclipped hazard of all subjects.

    Attributes
    ----------
    row : array of int
        Subject of each zero.
    log_t : array
        Logarithm of the time of the zero.
    sign : array
        +1 where the hazard falls through zero, -1 where it rises.
    open_at_start : array of bool
        Whether the hazard of each subject is positive at the first time of the grid.
    """

    row: Indices
    log_t: Array
    sign: Array
    open_at_start: Mask

    def open_at(self, log_t: Array) -> Mask:
        """Whether the hazard of each subject is positive at log-times of shape (n, times).

        This follows from the zeros passed so far, not from the hazard at the time itself. The two differ where the grid
        has missed a pair of zeros, and the sum of the closed forms would then be inconsistent and survival might rise.
        """
        # Signs alternate, so their sum is 1 after a fall from a positive start, -1 after a rise from a negative one,
        # and 0 if the sign is that of the start.
        falls = np.zeros(log_t.shape)
        np.add.at(falls, self.row, np.where(self.log_t[:, None] < log_t[self.row], self.sign[:, None], 0.0))
        is_open: Mask = self.open_at_start[:, None] > falls
        return is_open


def signed_balance(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """The hazard divided by ``sum_j |w_j| h_j(t)``, in [-1, 1].

    It has the sign of the hazard but, unlike the hazard, cannot overflow or underflow.
    """
    weight = parameters.weight[(..., *([None] * (log_t.ndim - 1)))]
    return sum_hazards(weight, log_hazards(mixture.evaluate(parameters, log_t, VALUE))).balance


def find_zeros(mixture: Mixture, parameters: Parameters, log_end: float = np.inf) -> Zeros:
    """Find where the hazard of each subject changes its sign before ``exp(log_end)``.

    A pair of zeros between two neighbouring times of the grid is not found.
    """
    # One grid time beyond the end is needed to find a zero just before it.
    log_grid = LOG_GRID[: np.searchsorted(LOG_GRID, log_end) + 1]
    # Without negative weights the hazard has no zeros, so only the other subjects are searched.
    mixed = np.flatnonzero((parameters.weight < 0.0).any(axis=0))
    open_at_start = np.logical_not(parameters.without_hazard)
    positive = signed_balance(mixture, parameters.rows(mixed), log_grid[None]) > 0.0
    row, panel = np.nonzero(positive[:, 1:] != positive[:, :-1])
    open_at_start[mixed] = positive[:, 0]
    falls = positive[row, panel]
    row = mixed[row]
    low, high = log_grid[panel], log_grid[panel + 1]
    subjects = parameters.rows(row)
    for _ in range(BISECTIONS if len(row) else 0):
        middle = 0.5 * (low + high)
        before = (signed_balance(mixture, subjects, middle) > 0.0) == falls
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return Zeros(row, low, np.where(falls, 1.0, -1.0), open_at_start)


def clip_cumulatives(
    mixture: Mixture, parameters: Parameters, log_t: Array, evaluations: list[Evaluation]
) -> list[Evaluation]:
    """Restrict each head's ``H_j(t)`` and its derivatives to the times at which the hazard of the mixture is positive.

    ``log_t`` has shape (n,). The weighted sum of the results is the integral of the clipped hazard.
    """
    zeros = find_zeros(mixture, parameters, log_end=log_t.max(initial=-np.inf))
    passed = zeros.log_t < log_t[zeros.row]
    row, sign = zeros.row[passed], zeros.sign[passed]
    at_zeros = mixture.evaluate(parameters.rows(row), zeros.log_t[passed])
    open_end = zeros.open_at(log_t[:, None])[:, 0]

    # Derivatives are clipped like the integral itself; see the top of this file.
    def clip(at_t: Array, at_zero: Array) -> Array:
        clipped = np.where(open_end, at_t, 0.0)
        np.add.at(clipped.T, row, (sign * at_zero).T)
        return clipped

    return [
        end._replace(
            cumulative=clip(end.cumulative, zero.cumulative),
            cumulative_slopes=tuple(map(clip, end.cumulative_slopes, zero.cumulative_slopes)),
        )
        for end, zero in zip(evaluations, at_zeros, strict=True)
    ]
