"""What is measured of predicted survival functions, beside the true ones."""

from __future__ import annotations

import numpy as np

from benchmarks.studies.truth.observing import Scale
from hazboost.metrics import concordance_index
from hazboost.utils.arrays import Array

GRID_SIZE = 100


def time_grid(scale: Scale) -> Array:
    """100 equidistant times up to the horizon, zero excluded; last the median, or the horizon where that is earlier."""
    return np.append(np.linspace(0.0, scale.horizon, GRID_SIZE + 1)[1:], min(scale.median, scale.horizon))


def evaluate(survival: Array, truth: Array, risk: Array, time: Array) -> dict[str, float]:
    """All measures.

    Parameters
    ----------
    survival, truth : arrays of shape (n, 101)
        Predicted and true probabilities at the times of `time_grid`.
    risk : array of shape (n,)
        Higher means earlier.
    time : array of shape (n,)
        Event times of the subjects, infinite where the event never comes.

    Returns
    -------
    dict
        ``rmse``, the root of the mean squared error over subjects and times; ``mean_curve``, the largest error of the
        mean of all curves; ``calibration``, expected minus true share of events until the median; ``c_index``, and
        ``c_index_truth`` of the true curves.
    """
    error = survival - truth
    mean_error = error.mean(axis=0)
    return {
        "rmse": float(np.sqrt(np.mean(error[:, :-1] ** 2))),
        "mean_curve": float(np.abs(mean_error[:-1]).max()),
        "calibration": float(-mean_error[-1]),
        "c_index": concordance(risk, time),
        "c_index_truth": concordance(-truth[:, :-1].mean(axis=1), time),
    }


def concordance(risk: Array, time: Array) -> float:
    """C-index for times without censoring; those who never have the event are last."""
    happens = np.isfinite(time)
    return float(concordance_index((happens, np.where(happens, time, 2.0 * time[happens].max())), risk))
