r"""Integrals :math:`\int f \, dg` of many smooth functions at once, as functions of their upper limit.

Each row has functions of its own on an interval of its own. The interval is cut into panels, and a panel that a
polynomial does not follow is halved, until all do. What is left is an antiderivative that can be evaluated anywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hazboost.utils.arrays import Array, Indices

#: ``functions(rows, x)`` gives f and g of the rows at points of shape (len(rows), points).
Functions = Callable[[Indices, Array], tuple[Array, Array]]

#: Points in a panel, of Chebyshev, on [-1, 1].
POINTS = 14
ANGLE = (np.arange(POINTS) + 0.5) * np.pi / POINTS
NODES = np.cos(ANGLE)
#: From values at the nodes to coefficients of Chebyshev polynomials.
SIZE = np.where(np.arange(POINTS) == 0, 1.0, 2.0) / POINTS
TO_COEFFICIENTS = SIZE[:, None] * np.cos(np.outer(np.arange(POINTS), ANGLE))
#: From values at the nodes to coefficients of the antiderivative that vanishes at -1.
TO_INTEGRAL = np.array([np.polynomial.chebyshev.chebint(column, lbnd=-1) for column in TO_COEFFICIENTS.T]).T
#: From values at the nodes to the slope there.
TO_SLOPE = np.array(
    [np.polynomial.chebyshev.chebval(NODES, np.polynomial.chebyshev.chebder(column)) for column in TO_COEFFICIENTS.T]
).T
#: Halvings of a panel at most, and those after which one is given up that has not helped: what is left is rounding.
MAX_HALVINGS, PATIENCE = 24, 4


def integrate(functions: Functions, edges: Array, at: Array, tolerance: Array) -> Array:
    """Integrals from the first edge of each row to points between its edges.

    Parameters
    ----------
    functions : callable
        What is integrated, and against what; the slope of the latter is taken from its polynomial.
    edges : array of shape (n, panels + 1)
        Where to cut at first, ascending; the functions should have no kink between two edges.
    at : array of shape (n, points)
        Upper limits; outside of the edges, the nearest one counts.
    tolerance : array of shape (n,)
        How far the integral over a panel may be from that of the function.

    Returns
    -------
    array of shape (n, points)

    Examples
    --------
    >>> import numpy as np
    >>> rates, edges = np.array([1.0, 2.0]), np.array([[0.0, 1.0], [0.0, 1.0]])
    >>> integrate(lambda rows, x: (np.exp(-rates[rows, None] * x), x), edges, np.ones((2, 1)), 1e-9 * rates)
    array([[0.63212056],
           [0.43233236]])
    """
    row, left, right, integral = _fit_panels(functions, edges, tolerance)
    ends = integral.sum(axis=1)  # every Chebyshev polynomial is 1 at 1
    total = np.cumsum(ends) - ends
    first = np.searchsorted(row, np.arange(len(edges)))
    before = total - total[np.minimum(first, len(total) - 1)][row] if len(row) else total
    return _evaluate_panels(row, left, right, integral, before, np.clip(at, edges[:, :1], edges[:, -1:]), edges)


def _fit_panels(functions: Functions, edges: Array, tolerance: Array) -> tuple[Indices, Array, Array, Array]:
    """Panels in order of row and place, with the coefficients of their antiderivatives."""
    row = np.repeat(np.arange(len(edges)), edges.shape[1] - 1)
    left, right = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    wide = right > left
    row, left, right = row[wide], left[wide], right[wide]
    done, parent = [], np.full(len(row), np.inf)
    for halving in range(MAX_HALVINGS + 1):
        f, g = functions(row, 0.5 * ((left + right)[:, None] + (right - left)[:, None] * NODES))
        values = f * (g @ TO_SLOPE.T)
        miss = np.abs(values @ TO_COEFFICIENTS[-2:].T).sum(axis=1)
        good = (miss <= tolerance[row]) | (halving == MAX_HALVINGS)
        if halving > PATIENCE:  # a kink in a panel would have become a quarter, a jump a half
            good |= miss > 0.7 * parent
        done.append((row[good], left[good], right[good], values[good] @ TO_INTEGRAL.T))
        row, left, right = row[~good], left[~good], right[~good]
        if not len(row):
            break
        middle = 0.5 * (left + right)
        row, left, right = np.r_[row, row], np.r_[left, middle], np.r_[middle, right]
        parent = np.tile(miss[~good], 2)
    rows, lefts, rights, integrals = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.lexsort((lefts, rows))
    return rows[order], lefts[order], rights[order], integrals[order]


def _evaluate_panels(
    row: Indices, left: Array, right: Array, integral: Array, before: Array, at: Array, edges: Array
) -> Array:
    """Find the panel of each point, and evaluate its antiderivative by Clenshaw's recurrence."""
    if not len(row):
        return np.zeros(at.shape)
    start, width = edges[:, 0], np.maximum(edges[:, -1] - edges[:, 0], np.finfo(float).tiny)
    place = row + np.minimum((left - start[row]) / width[row], 1.0) * 0.5
    wanted = np.arange(len(at))[:, None] + (at - start[:, None]) / width[:, None] * 0.5
    panel = np.maximum(np.searchsorted(place, wanted.ravel(), side="right") - 1, 0)
    own = row[panel] == np.repeat(np.arange(len(at)), at.shape[1])  # a row without width has no panel
    x = (2.0 * at.ravel() - left[panel] - right[panel]) / (right - left)[panel]
    one, two = np.zeros_like(x), np.zeros_like(x)
    for degree in range(integral.shape[1] - 1, 0, -1):
        one, two = integral[panel, degree] + 2.0 * x * one - two, one
    value = integral[panel, 0] + x * one - two + before[panel]
    return np.where(own, value, 0.0).reshape(at.shape)
