r"""The adaptive ridge: features that matter are shrunk less than the others.

A single ridge shrinks few strong effects as far as many that are nothing but noise. Here each feature has a ridge of
its own, which is the smaller, the larger its effect was in a fit before. Repeated, this approaches a group lasso: the
penalty :math:`\rho \beta^2 / |\beta_0|` of a coefficient that was :math:`\beta_0` is :math:`\rho |\beta|` where both
are the same. All columns of a categorical feature have the same ridge.
"""

from __future__ import annotations

import numpy as np

from hazboost.prediction.regression import LinearStart
from hazboost.utils.arrays import Array


def ridges_of_features(start: LinearStart, ridge: float, least: float) -> Array:
    r"""A ridge for each coefficient, of shape (columns, causes), from its size in another fit.

    .. math:: \rho_j = \rho \sqrt{\bar v / v_j}, \qquad v_j = s_j + \delta \bar s,

    with the mean square :math:`s_j` of the coefficients of the feature, and means :math:`\bar s` and :math:`\bar v`
    over all columns, for each cause; ``least`` is :math:`\delta`.
    """
    feature = np.asarray(start.design.features)
    columns = np.bincount(feature)[feature]
    of_features = np.stack([np.bincount(feature, square)[feature] for square in (start.coefficient**2).T], axis=1)
    size = of_features / columns[:, None]
    size += least * size.mean(axis=0)
    # Where nothing has an effect all features are alike.
    relative = np.divide(size.mean(axis=0), size, out=np.ones_like(size), where=size > 0.0)
    ridges: Array = ridge * np.sqrt(relative)
    return ridges
