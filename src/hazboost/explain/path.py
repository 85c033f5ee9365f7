r"""From contributions to scores to contributions to a function of them.

All scores move together along the straight line from the base to the subject. On the way every feature keeps its part
of each score, and what the function gains is divided accordingly:

.. math:: \phi_f(F) = \sum_s \phi_{f, s} \int_0^1 \frac{\partial F}{\partial s}(b + u (x - b)) \, du,
          \qquad \sum_f \phi_f(F) = F(x) - F(b).

These are the values of Aumann and Shapley.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from hazboost.explain.attribution import Attribution
from hazboost.explain.functionals import Functional
from hazboost.explain.sums import add_up
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import Mixture
from hazboost.utils.arrays import Array

#: Nodes and weights of the Gauss-Legendre rule on [0, 1].
_POINTS, _MASSES = legendre.leggauss(8)
NODES, WEIGHTS = 0.5 * (1.0 + _POINTS), 0.5 * _MASSES


class Division(NamedTuple):
    """A function of the scores of some rows: ``prediction = base + values.sum(axis=-1)``.

    Attributes
    ----------
    values : array of shape (n, times, features)
    base : array of shape (times,)
    prediction : array of shape (n, times)
    """

    values: Array
    base: Array
    prediction: Array


def divide(functional: Functional, mixture: Mixture, attribution: Attribution) -> Division:
    """Divide a function of the scores of some rows among the features."""
    prediction = functional.value(Distribution(mixture, attribution.scores, functional.unit))
    base = functional.value(Distribution(mixture, attribution.base[None], functional.unit))[0]
    return Division(along_path(functional, mixture, attribution, prediction - base), base, prediction)


def along_path(functional: Functional, mixture: Mixture, attribution: Attribution, gain: Array) -> Array:
    """Contributions to a function, of shape (n, times, features), that add up to ``gain``, of shape (n, times).

    What the rule of integration leaves, also at the kinks of activations such as ReLU, is divided in proportion to the
    contributions.
    """
    base = attribution.base[:, None]
    way = attribution.scores.T - base
    slopes = WEIGHTS[0] * functional.slopes(mixture, base + NODES[0] * way)
    for node, weight in zip(NODES[1:], WEIGHTS[1:], strict=True):
        slopes += weight * functional.slopes(mixture, base + node * way)
    values = np.matmul(np.moveaxis(slopes, 0, -1), attribution.values)
    size = np.abs(attribution.values).sum(axis=1)[:, None, :]
    return add_up(values, gain, size)
