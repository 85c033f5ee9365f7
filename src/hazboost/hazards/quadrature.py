r"""Integrals of many functions at once, each row with its own function and its own interval.

`integrate` computes :math:`\int f \, dg` as a function of its upper limit. The interval is cut into panels, on which
the integrand is interpolated at Chebyshev nodes; a panel on which the interpolation is not accurate enough is halved.
The result is a piecewise polynomial antiderivative, which can be evaluated at any number of upper limits at no extra
cost in ``f``. `integrate_smooth` is for functions that need no panels, and says of which this is true;
`integrate_by_halves` is for those that need few.

The ends of a panel are nodes. A step, however steep, therefore always lies between two nodes, and shows.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial import chebyshev, legendre

from hazboost.utils.arrays import Array, Indices
from hazboost.utils.devices import match_device

#: ``functions(rows, x)`` returns f and g of the given rows at points of shape (len(rows), points).
Functions = Callable[[Indices, Array], tuple[Array, Array]]
#: ``part(rows, x)`` returns what `integrate_smooth` does for the given rows, at nodes of shape (len(rows), nodes).
Part = Callable[[Indices, Array], tuple[Array, Array]]

#: Number of nodes in a panel, and the Chebyshev nodes on [-1, 1], both ends included.
POINTS = 15
NODES = chebyshev.chebpts2(POINTS)
#: Matrix from values at the nodes to coefficients of Chebyshev polynomials.
TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(NODES, POINTS - 1))
#: Matrix from values at the nodes to coefficients of the antiderivative that is zero at -1.
TO_INTEGRAL = np.array([chebyshev.chebint(column, lbnd=-1) for column in TO_COEFFICIENTS.T]).T
#: Matrix from values at the nodes to derivatives at the nodes.
TO_SLOPE = np.array([chebyshev.chebval(NODES, chebyshev.chebder(column)) for column in TO_COEFFICIENTS.T]).T
#: Largest number of halvings, and the number of them over which the error of a panel must have become smaller: if it
#: has not, it is due to rounding, and the panel is accepted.
MAX_HALVINGS, PATIENCE = 24, 4
#: Panels of one row that may be halved at a time. A kink or a jump needs one; where it is all of them, there is noise.
MAX_PANELS = 128


def _lobatto(points: int) -> tuple[Array, Array]:
    """Nodes, both ends included, and weights of the Gauss-Lobatto rule on [0, 1]."""
    last = np.eye(points)[-1]
    nodes = np.concatenate([[-1.0], np.sort(legendre.legroots(legendre.legder(last)).real), [1.0]])
    return 0.5 * (1.0 + nodes), 1.0 / (points * (points - 1) * legendre.legval(nodes, last) ** 2)


#: The rule for smooth functions: nodes on [0, 1], the first of which is 0, and weights.
SMOOTH_NODES, SMOOTH_WEIGHTS = _lobatto(33)
#: Matrix from values at these nodes to the last four coefficients of Legendre polynomials. Four, because a function
#: with a step may have single coefficients that are small by chance.
TO_LAST = np.linalg.inv(legendre.legvander(2.0 * SMOOTH_NODES - 1.0, 32))[-4:].T
#: Largest of these coefficients, relative to the integral, with which a function is smooth enough. Interpolation has
#: errors of this size. Those of the integral are fifty times smaller for curves that are just not smooth (in 60,000
#: random mixtures of extreme shapes), and many thousand times for the usual ones.
SMOOTH = 1e-6
#: An interval is halved at most so many times for the smooth rule.
SMOOTH_HALVINGS = 6


def integrate_smooth(x: Array, values: Array) -> tuple[Array, Array]:
    """Integrals of functions given at the nodes of the rule, and how large an integral must be for that to be accurate.

    Parameters
    ----------
    x : array of shape (nodes,) or (n, nodes)
        `SMOOTH_NODES`, or their like in other intervals.
    values : array of shape (n, nodes)
        Values of the functions there.

    Examples
    --------
    >>> import numpy as np
    >>> values = np.stack([np.exp(SMOOTH_NODES), SMOOTH_NODES > 0.4])
    >>> integral, least = integrate_smooth(SMOOTH_NODES, values)
    >>> bool(np.isclose(integral[0], np.e - 1.0, rtol=1e-14)), integral >= least
    (True, array([ True, False]))
    """
    width = x[..., -1] - x[..., 0]
    integral = width * (values * match_device(SMOOTH_WEIGHTS, values)).sum(axis=1)
    least: Array = width / SMOOTH * np.abs(values @ match_device(TO_LAST, values)).max(axis=1)
    return integral, least


def integrate_by_halves(part: Part, n: int) -> Array:
    """Integrals over [0, 1] of functions that are smooth but for few steps; NaN for all others.

    The halves of the interval are halved again where they are not smooth enough, a few times.

    Parameters
    ----------
    part : callable
        `integrate_smooth` of the given rows.
    n : int
        Number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> integrate_by_halves(lambda rows, x: integrate_smooth(x, 1.0 / (1.0 + np.exp(200.0 * x - 60.0))), 1)
    array([0.3])
    """
    row, left, width = np.tile(np.arange(n), 2), np.repeat([0.0, 0.5], n), 0.5
    total, whole = np.zeros(n), None
    for _ in range(SMOOTH_HALVINGS):
        integral, least = part(row, left[:, None] + width * SMOOTH_NODES)
        whole = np.bincount(row, integral, minlength=n) if whole is None else whole
        good = least <= whole[row]
        total += np.bincount(row[good], integral[good], minlength=n)
        row, left, width = row[~good], left[~good], 0.5 * width
        if not len(row):
            break
        row, left = np.tile(row, 2), np.concatenate([left, left + width])
    total[row] = np.nan
    return total


def integrate(functions: Functions, edges: Array, at: Array, tolerance: Array) -> Array:
    """Integrals from the first edge of each row to the given upper limits.

    Parameters
    ----------
    functions : callable
        The integrand f and the integrator g of each row; the derivative of g is that of its interpolating polynomial.
    edges : array of shape (n, panels + 1)
        Edges of the initial panels in increasing order; the functions should have no kink between two edges.
    at : array of shape (n, points)
        Upper limits; those outside of the edges are moved to the nearest edge.
    tolerance : array of shape (n,)
        Absolute tolerance for the integral over one panel.

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
    # Integral over all previous panels of the same row. Each row has its own sum: a running sum over all rows would add
    # the rounding errors of a large integral to all rows after it.
    place = np.arange(len(row)) - np.searchsorted(row, row)
    by_row = np.zeros((len(edges), int(place.max(initial=-1)) + 1))
    by_row[row, place] = ends
    before = (np.cumsum(by_row, axis=1) - by_row)[row, place]
    return _evaluate_panels(row, left, right, integral, before, np.clip(at, edges[:, :1], edges[:, -1:]), edges)


def _fit_panels(functions: Functions, edges: Array, tolerance: Array) -> tuple[Indices, Array, Array, Array]:
    """Accepted panels, sorted by row and position, with the coefficients of their antiderivatives."""
    row = np.repeat(np.arange(len(edges)), edges.shape[1] - 1)
    left, right = edges[:, :-1].ravel(), edges[:, 1:].ravel()
    # Edges may coincide, for example at kinks outside of the interval; such panels contribute nothing.
    wide = right > left
    row, left, right = row[wide], left[wide], right[wide]
    done, ancestor = [], np.full((PATIENCE, len(row)), np.inf)  # errors of the panels from which a panel comes
    for halving in range(MAX_HALVINGS + 1):
        f, g = functions(row, 0.5 * ((left + right)[:, None] + (right - left)[:, None] * NODES))
        # No factor for the width of the panel is needed: that of dg/dx cancels that of dx.
        values = f * (g @ TO_SLOPE.T)
        # The last Chebyshev coefficients estimate the error of the interpolation. Several, because one of them vanishes
        # for functions that are odd or even in the panel, and may be small by chance for others.
        miss = np.abs(values @ TO_COEFFICIENTS[-3:].T).sum(axis=1)
        good = (miss <= tolerance[row]) | (halving == MAX_HALVINGS)
        # A halving reduces the error at a kink to a quarter and at a jump to a half on average, but it may also become
        # larger where a jump comes to lie between other nodes. After several it must be smaller, or is due to rounding.
        good |= miss > 0.7 * ancestor[0]
        good |= np.bincount(row[~good], minlength=len(edges))[row] > MAX_PANELS
        done.append((row[good], left[good], right[good], values[good] @ TO_INTEGRAL.T))
        row, left, right = row[~good], left[~good], right[~good]
        if not len(row):
            break
        middle = 0.5 * (left + right)
        row, left, right = np.r_[row, row], np.r_[left, middle], np.r_[middle, right]
        ancestor = np.tile(np.concatenate([ancestor[1:], miss[None]])[:, ~good], 2)
    rows, lefts, rights, integrals = (np.concatenate(parts) for parts in zip(*done, strict=True))
    order = np.lexsort((lefts, rows))
    return rows[order], lefts[order], rights[order], integrals[order]


def _evaluate_panels(
    row: Indices, left: Array, right: Array, integral: Array, before: Array, at: Array, edges: Array
) -> Array:
    """Find the panel of each upper limit, and evaluate its antiderivative by Clenshaw's recurrence."""
    if not len(row):
        return np.zeros(at.shape)
    start, width = edges[:, 0], np.maximum(edges[:, -1] - edges[:, 0], np.finfo(float).tiny)
    # One sorted search for all rows: a position is the number of its row plus half of its relative position in the row,
    # so that positions of different rows do not mix.
    place = row + np.minimum((left - start[row]) / width[row], 1.0) * 0.5
    wanted = np.arange(len(at))[:, None] + (at - start[:, None]) / width[:, None] * 0.5
    panel = np.maximum(np.searchsorted(place, wanted.ravel(), side="right") - 1, 0)
    own = row[panel] == np.repeat(np.arange(len(at)), at.shape[1])  # false for rows of zero width, without panels
    x = (2.0 * at.ravel() - left[panel] - right[panel]) / (right - left)[panel]
    one, two = np.zeros_like(x), np.zeros_like(x)
    for degree in range(integral.shape[1] - 1, 0, -1):
        one, two = integral[panel, degree] + 2.0 * x * one - two, one
    value = integral[panel, 0] + x * one - two + before[panel]
    return np.where(own, value, 0.0).reshape(at.shape)
