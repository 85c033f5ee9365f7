"""Hazards with negative weights, clipped at zero and integrated as clipped.

With negative weights ``h(t) = sum_j w_j h_j(t)`` may be negative for some times. The model's hazard is
``max(h, 0)``. Its integral needs no quadrature: between two zeros of ``h`` it is a difference of closed forms,

    int_0^t max(h, 0) = [h(t) > 0] H(t) + sum over zeros s < t of  +H(s) where h falls, -H(s) where h rises,

and the derivative in a parameter is the same sum with ``dH``, as ``h`` vanishes at the zeros themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hazboost.hazards.heads import Evaluation
from hazboost.hazards.mixture import Mixture, Parameters, log_hazards, sum_hazards
from hazboost.utils.arrays import Array, Indices, Mask

#: Times, as fractions of the follow-up and beyond it, between which a change of sign is looked for.
LOG_GRID = np.concatenate(
    [
        np.linspace(-690.0, np.log(1e-9), 12, endpoint=False),
        np.log(np.geomspace(1e-9, 0.02, 16, endpoint=False)),
        np.log(np.linspace(0.02, 1.0, 50)),
        np.log(np.geomspace(1.1, 1e6, 20, endpoint=False)),
        np.linspace(np.log(1e6), 690.0, 12),
    ]
)
BISECTIONS = 40


class Zeros(NamedTuple):
    """Zeros of the hazard, over all subjects.

    Attributes
    ----------
    row : array of int
        The subject.
    log_t : array
        Logarithm of the time of the zero.
    sign : array
        +1 where the hazard falls through zero, -1 where it rises.
    open_at_start : array of bool
        Whether the hazard of each subject is positive at first.
    """

    row: Indices
    log_t: Array
    sign: Array
    open_at_start: Mask

    def open_at(self, log_t: Array) -> Mask:
        """Whether the hazard of each subject is positive at log-times of shape (n, times).

        It is read off the zeros passed, not off the hazard at the time itself: the two may differ where a pair of zeros
        was not seen, and survival would rise.
        """
        falls = np.zeros(log_t.shape)
        np.add.at(falls, self.row, np.where(self.log_t[:, None] < log_t[self.row], self.sign[:, None], 0.0))
        is_open: Mask = self.open_at_start[:, None] > falls
        return is_open


def signed_balance(mixture: Mixture, parameters: Parameters, log_t: Array) -> Array:
    """The hazard over the sum of its parts' sizes, in [-1, 1]: its sign is the hazard's."""
    weight = parameters.weight[(slice(None), *([None] * (log_t.ndim - 2)))]
    return sum_hazards(weight, log_hazards(mixture.evaluate(parameters, log_t))).balance


def find_zeros(mixture: Mixture, parameters: Parameters, log_end: float = np.inf) -> Zeros:
    """Find where the hazard of each subject changes its sign before ``exp(log_end)``.

    A pair of zeros between two times of the grid is not seen.
    """
    log_grid = LOG_GRID[: np.searchsorted(LOG_GRID, log_end) + 1]
    mixed = np.flatnonzero((parameters.weight < 0.0).any(axis=-1))
    open_at_start = np.logical_not(parameters.without_hazard)
    positive = signed_balance(mixture, parameters[mixed], log_grid[None, :, None]) > 0.0
    row, panel = np.nonzero(positive[:, 1:] != positive[:, :-1])
    open_at_start[mixed] = positive[:, 0]
    falls = positive[row, panel]
    row = mixed[row]
    low, high = log_grid[panel], log_grid[panel + 1]
    subjects = parameters[row]
    for _ in range(BISECTIONS if len(row) else 0):
        middle = 0.5 * (low + high)
        before = (signed_balance(mixture, subjects, middle[:, None]) > 0.0) == falls
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return Zeros(row, low, np.where(falls, 1.0, -1.0), open_at_start)


def clip_cumulatives(
    mixture: Mixture, parameters: Parameters, log_t: Array, evaluations: list[Evaluation]
) -> list[Evaluation]:
    """Replace each head's ``H_j(t)`` and its slopes by their parts where the mixture's hazard is positive.

    ``log_t`` has shape (n, 1). The weighted sum of the results is the integral of the clipped hazard.
    """
    zeros = find_zeros(mixture, parameters, log_end=log_t.max())
    passed = zeros.log_t < log_t[zeros.row, 0]
    row, sign = zeros.row[passed], zeros.sign[passed, None]
    at_zeros = mixture.evaluate(parameters[row], zeros.log_t[passed, None])
    open_end = zeros.open_at(log_t)

    def clip(at_t: Array, at_zero: Array) -> Array:
        clipped = np.where(open_end, at_t, 0.0)
        np.add.at(clipped, row, sign * at_zero)
        return clipped

    return [
        end._replace(
            cumulative=clip(end.cumulative, zero.cumulative),
            cumulative_slopes=tuple(map(clip, end.cumulative_slopes, zero.cumulative_slopes)),
        )
        for end, zero in zip(evaluations, at_zeros, strict=True)
    ]
