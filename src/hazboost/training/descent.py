"""The minimum of a smooth function inside bounds, for some hundred unknowns at most.

BFGS with a whole matrix, which is kept when the function changes a little: along a path of penalties each fit begins
with what the ones before it have learned of the curvature. An evaluation of a likelihood costs far more than the
algebra here, and a search that begins with a good matrix needs few of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dposv

from hazboost.utils.arrays import Array, Indices

#: Value and gradient at a point.
Function = Callable[[Array], tuple[float, Array]]

#: The smallest curvature, relative to the largest, and the step of differences.
FLATTEST, STEP = 1e-7, 1e-4
#: A step is accepted if it gains at least this share of what the slope promises; shorter ones are tried down to the
#: shortest share of a step.
ENOUGH, SHORTEST = 1e-4, 1e-6
#: How often unknowns are fixed at a bound, or released, in the search for a step, for each of them.
EXCHANGES_FOR_UNKNOWN = 3
#: Steps without a gain after which to end.
MOST_IDLE = 2
#: The largest number of steps times unknowns, and the number of steps that any search may take. With many unknowns most
#: directions are flat, and further steps gain nothing that matters.
STEPS_TIMES_UNKNOWNS, FEWEST_STEPS = 20_000, 50
#: Powell's damping: an update leaves at least this share of the curvature along a step.
DAMPING = 0.2


@dataclass
class QuasiNewton:
    """A search that remembers the curvature it has seen.

    Attributes
    ----------
    bounds : array of shape (k, 2)
        The smallest and the largest value of each unknown. Where both are equal it is fixed.
    hessian : array of shape (k, k)
        The matrix of second derivatives, as far as it is known.
    tolerance : float
        The search ends when a step promises less than this, or when two in a row have gained less.
    """

    bounds: Array
    hessian: Array
    tolerance: float

    def minimise(self, function: Function, point: Array) -> Array:
        """The minimum that is reached from a point inside the bounds."""
        self.hessian = positive(self.hessian)
        value, slope = function(point)
        idle, stalled = 0, False
        for _ in range(max(FEWEST_STEPS, STEPS_TIMES_UNKNOWNS // len(point))):
            direction = bounded_step(self.hessian, slope, *(self.bounds.T - point))
            if -0.5 * float(slope @ direction) < self.tolerance:
                break
            found = self._step(function, point, value, slope, direction)
            if found is None and stalled:
                break
            stalled = found is None
            if found is None:  # what was learned of far places is misleading here
                self.hessian = np.diag(np.diag(self.hessian))
                continue
            new, new_value, new_slope = found
            self._learn(new - point, new_slope - slope)
            idle = idle + 1 if value - new_value < self.tolerance else 0
            point, value, slope = new, new_value, new_slope
            if idle == MOST_IDLE:
                break
        return point

    def _step(
        self, function: Function, point: Array, value: float, slope: Array, direction: Array
    ) -> tuple[Array, float, Array] | None:
        """The first of shorter and shorter steps with a gain, with value and slope there; None without any."""
        length, (lowest, highest) = 1.0, self.bounds.T
        while length > SHORTEST:
            new = np.minimum(np.maximum(point + length * direction, lowest), highest)  # against rounding
            new_value, new_slope = function(new)
            if new_value <= value + ENOUGH * min(0.0, float(slope @ (new - point))):
                return new, new_value, new_slope
            length *= 0.4
        return None

    def _learn(self, step: Array, change: Array) -> None:
        """Damped BFGS: the matrix gets the curvature that was seen along a step, and stays positive."""
        image = self.hessian @ step
        known, seen = float(step @ image), float(step @ change)
        if not known > 0.0:  # of a step that is lost in rounding nothing can be learned
            return
        share = 1.0 if seen >= DAMPING * known else (1.0 - DAMPING) * known / (known - seen)
        damped = share * change + (1.0 - share) * image
        self.hessian += np.outer(damped, damped) / float(step @ damped) - np.outer(image, image) / known


def bounded_step(hessian: Array, slope: Array, lowest: Array, highest: Array) -> Array:
    r"""The step :math:`d` with the smallest :math:`g'd + d'Bd/2` inside bounds that include zero.

    An active-set method: the step moves towards the minimum over the free unknowns until one of them meets a bound and
    is fixed there; at the minimum the fixed one with the strongest pull inwards is released. The sum never rises, so
    the step descends whenever the method ends.

    Examples
    --------
    >>> bounded_step(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-4.0, 0.0]), np.full(2, -9.0), np.array([1.0, 9.0]))
    array([ 1. , -0.5])
    """
    step, pull, may_move = np.zeros_like(slope), slope, lowest < highest
    fixed = ~may_move | ((lowest >= 0.0) & (slope > 0.0)) | ((highest <= 0.0) & (slope < 0.0))
    for _ in range(EXCHANGES_FOR_UNKNOWN * len(slope)):
        free = np.flatnonzero(~fixed)
        move = np.zeros_like(slope)
        # Faster than np.ix_, both for few unknowns and for hundreds.
        move[free] = -solve(hessian.take(free, axis=0).take(free, axis=1), pull[free])
        room = np.divide(np.where(move > 0.0, highest, lowest) - step, move, out=np.ones_like(step), where=move != 0.0)
        first = int(np.argmin(room))
        if room[first] < 1.0:
            step += max(room[first], 0.0) * move
            step[first] = highest[first] if move[first] > 0.0 else lowest[first]
            fixed[first] = True
            pull = slope + hessian @ step
            continue
        step += move
        held = fixed & may_move
        if not held.any():
            break
        pull = slope + hessian @ step
        inwards = np.where(held, np.where(step <= lowest, -pull, pull), 0.0)
        if inwards.max() <= 0.0:
            break
        fixed[int(np.argmax(inwards))] = False
    return np.clip(step, lowest, highest)


def positive(matrix: Array) -> Array:
    """A symmetric matrix in which negative curvatures count by size, and none is far smaller than all others.

    Examples
    --------
    >>> positive(np.diag([2.0, -4.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    curvature, axes = np.linalg.eigh(np.where(np.isfinite(matrix), matrix, 0.0))
    size = np.abs(curvature)
    whole: Array = (axes * np.maximum(size, FLATTEST * max(1.0, float(size.max())))) @ axes.T
    return whole


def solve(matrix: Array, values: Array) -> Array:
    """Solve a system with a positive matrix."""
    if not len(matrix):
        return values
    # LAPACK itself: the checks of SciPy's functions take longer than the algebra of a few unknowns.
    _, solved, failed = dposv(matrix, values)
    if failed:  # rounding, where curvatures differ by many orders of magnitude
        solved = np.linalg.solve(positive(matrix), values)
    return np.asarray(solved, dtype=np.float64)


def differences(function: Function, point: Array, slope: Array, unknowns: Indices) -> Array:
    """Columns of the matrix of second derivatives for some unknowns, from differences of the slope.

    Of shape (k, unknowns).
    """

    def column(unknown: int) -> Array:
        moved = point.copy()
        moved[unknown] += STEP
        return (function(moved)[1] - slope) / STEP

    return np.column_stack([column(int(unknown)) for unknown in unknowns])
