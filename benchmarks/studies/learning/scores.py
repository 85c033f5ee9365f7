"""What is measured of predicted curves, beside the true ones."""

from __future__ import annotations

import numpy as np

from hazboost.utils.arrays import Array


def evaluate(curves: Array, truth: Array) -> tuple[float, float]:
    """Root of the mean squared error over subjects and times, and the largest error of the mean curve.

    Parameters
    ----------
    curves, truth : arrays of shape (n, times)
        Predicted and true probabilities.

    Examples
    --------
    >>> evaluate(np.array([[0.5], [0.9]]), np.array([[0.6], [0.6]]))[1].__round__(3)
    0.1
    """
    error = curves - truth
    return float(np.sqrt(np.mean(error**2))), float(np.abs(error.mean(axis=0)).max())
