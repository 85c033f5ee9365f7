"""Where many increasing functions pass given levels, found for all of them at once.

Each function is evaluated at a start; steps that grow lead from there to a bracket, which has a point below the level
and one that is not. Inside of the bracket it is Chandrupatla's method: a point by inverse quadratic interpolation where
the last three points allow it, which converges faster than Newton's method for each evaluation as it needs no slopes,
and the middle of the bracket elsewhere. Functions may therefore be constant, or jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hazboost.utils.arrays import Array, Indices

#: ``choose(rows)`` returns the functions of these rows; they take and return arrays of shape (len(rows), levels).
ChooseRows = Callable[[Indices], Callable[[Array], Array]]

#: The first step supposes a slope of 1 and is longer by this factor, so that it mostly passes the level.
OVERSHOOT = 1.5
#: Bounds of the first step, and the bounds of a later one relative to the one before.
FIRST_STEP, GROWTH = (0.1, 8.0), (2.0, 16.0)
#: Evaluations inside of a bracket after which its upper end is taken. Bisections alone would need fewer.
MAX_EVALUATIONS = 100
#: Rows that are done are left out as soon as no more than this share of the rows is still at work.
WORTH_NARROWING = 0.7


class Bracket(NamedTuple):
    """The newest point x, the point on the other side of the level, the point before, and the values there."""

    x: Array
    other: Array
    before: Array
    at_x: Array
    at_other: Array
    at_before: Array

    def rows(self, rows: Indices) -> Bracket:
        """Some of the rows."""
        return Bracket(*(part[rows] for part in self))

    @property
    def upper(self) -> Array:
        """The end at which the level is reached."""
        return np.where(self.at_x >= 0.0, self.x, self.other)

    def move_to(self, x: Array, value: Array) -> Bracket:
        """Take up a new point between x and the other one."""
        same = (value >= 0.0) == (self.at_x >= 0.0)
        return Bracket(
            x,
            np.where(same, self.other, self.x),
            np.where(same, self.x, self.other),
            value,
            np.where(same, self.at_other, self.at_x),
            np.where(same, self.at_x, self.at_other),
        )


def invert(choose: ChooseRows, level: Array, bounds: tuple[float, float], tolerance: float) -> Array:
    """Points at which increasing functions reach their levels.

    Parameters
    ----------
    choose : callable
        Gives the functions of some rows.
    level : array of shape (n, levels)
        The levels.
    bounds : tuple of float
        Range of the points. The result is its upper end where a level is not reached, and its lower end where it is
        reached already there. The search starts at 0, which should be inside.
    tolerance : float
        Largest distance of the result, at which the level is reached, from a point at which it is not.

    Returns
    -------
    array of shape (n, levels)

    Examples
    --------
    >>> import numpy as np
    >>> factors = np.array([[1.0], [2.0]])
    >>> invert(lambda rows: lambda x: factors[rows] * x, np.array([[3.0], [3.0]]), (-10.0, 10.0), 1e-12).round(9)
    array([[3. ],
           [1.5]])
    """
    result, bracket = _find_brackets(choose, level, bounds)
    at_work = np.isnan(result)
    rows = np.flatnonzero(at_work.any(axis=1))
    functions, bracket = choose(rows), bracket.rows(rows)
    place = _first_place(bracket)
    for _ in range(MAX_EVALUATIONS):
        if not len(rows):
            break
        x = bracket.x + place * (bracket.other - bracket.x)
        bracket = bracket.move_to(x, functions(x) - level[rows])
        close = np.abs(bracket.other - bracket.x)
        # The spacing of numbers limits how narrow a bracket can be.
        smallest = tolerance + 2.0 * np.finfo(float).eps * np.abs(bracket.x)
        place = np.clip(_next_place(bracket), *_inside(smallest, close))
        done = at_work[rows] & (close <= 2.0 * smallest)
        number, column = np.nonzero(done)
        result[rows[number], column] = bracket.upper[number, column]
        at_work[rows[number], column] = False
        left = np.flatnonzero(at_work[rows].any(axis=1))
        if len(left) <= WORTH_NARROWING * len(rows):
            rows, bracket, place = rows[left], bracket.rows(left), place[left]
            functions = choose(rows)
    number, column = np.nonzero(at_work[rows])
    result[rows[number], column] = bracket.upper[number, column]
    return result


def _find_brackets(choose: ChooseRows, level: Array, bounds: tuple[float, float]) -> tuple[Array, Bracket]:
    """Go up or down from 0 until the level is passed; the results of rows that end at a bound, NaN for all others."""
    functions = choose(np.arange(len(level)))
    x, result = np.zeros(level.shape), np.full(level.shape, np.nan)
    # All levels of a row have the same start.
    value = functions(x[:, :1]) - level
    down = value >= 0.0
    step = np.clip(OVERSHOOT * np.abs(value), *FIRST_STEP)
    # Copies, because the points of rows that move are overwritten.
    bracket = Bracket(*(part.copy() for part in (x, x, x, value, value, value)))
    while True:
        searching = np.isnan(result) & ((bracket.at_x >= 0.0) == down)
        rows = np.flatnonzero(searching.any(axis=1))
        if not len(rows):
            return result, bracket
        if len(rows) < len(level):
            functions = choose(rows)
        part, now, falling = bracket.rows(rows), searching[rows], down[rows]
        x = np.where(now, np.clip(part.x + np.where(falling, -step[rows], step[rows]), *bounds), part.x)
        value = functions(x) - level[rows]
        moved = (x, part.x, part.x, value, part.at_x, part.at_x)
        for all_rows, new, old in zip(bracket, moved, part, strict=True):
            all_rows[rows] = np.where(now, new, old)
        beyond = now & ((value >= 0.0) == falling) & np.where(falling, x <= bounds[0], x >= bounds[1])
        result[rows] = np.where(beyond, x, result[rows])
        step[rows] = np.where(now, _next_step(x - part.x, value - part.at_x, value), step[rows])


def _next_step(gone: Array, gained: Array, left: Array) -> Array:
    """Length of the next step, from the line through the last two points."""
    shortest, longest = (factor * np.abs(gone) for factor in GROWTH)
    slope_known = gained * gone > 0.0
    wanted = OVERSHOOT * np.abs(left * np.where(slope_known, gone, 0.0) / np.where(slope_known, gained, 1.0))
    return np.where(slope_known, np.clip(wanted, shortest, longest), longest)


def _first_place(bracket: Bracket) -> Array:
    """Where a line through both ends passes the level, as a share of the way from x to the other end."""
    fall = bracket.at_x - bracket.at_other
    return np.clip(bracket.at_x / np.where(fall == 0.0, 1.0, fall), 0.0, 1.0)


def _next_place(bracket: Bracket) -> Array:
    """The share of the way from x to the other end at which to evaluate next."""
    x, other, before, at_x, at_other, at_before = bracket
    with np.errstate(all="ignore"):  # points or values that coincide give NaN, and the middle is taken
        xi, phi = (x - other) / (before - other), (at_x - at_other) / (at_before - at_other)
        quadratic = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
        first = at_x / (at_other - at_x) * at_before / (at_other - at_before)
        second = (before - x) / (other - x) * at_x / (at_before - at_x) * at_other / (at_before - at_other)
        place = first + second
    return np.where(quadratic & np.isfinite(place), place, 0.5)


def _inside(smallest: Array, width: Array) -> tuple[Array, Array]:
    """Shares of the way that are at least the smallest distance from both ends."""
    margin = np.minimum(smallest / np.maximum(width, np.finfo(float).tiny), 0.5)
    return margin, 1.0 - margin
