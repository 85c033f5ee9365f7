"""Contributions that add up."""

from __future__ import annotations

import numpy as np

from hazboost.utils.arrays import Array


def add_up(values: Array, total: Array, size: Array) -> Array:
    """Contributions of features, on the last axis, changed so that their sums are ``total``.

    What is missing is divided among the features in proportion to the sizes of their contributions, so that a feature
    without any stays without. Where all are zero it is divided in proportion to ``size``.

    Examples
    --------
    >>> add_up(np.array([[2.0, -1.0, 0.0]]), np.array([1.3]), np.ones((1, 3)))
    array([[ 2.2, -0.9,  0. ]])
    """
    share = np.abs(values)
    whole = share.sum(axis=-1, keepdims=True)
    if (whole == 0.0).any():
        share = np.where(whole > 0.0, share, np.abs(size))
        whole = share.sum(axis=-1, keepdims=True)
    gap = total[..., None] - values.sum(axis=-1, keepdims=True)
    share /= np.where(whole > 0.0, whole, 1.0)
    share *= gap
    share += values
    return share
