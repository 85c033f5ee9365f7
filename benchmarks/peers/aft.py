"""Accelerated failure time regressions of lifelines."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.curves import positive
from benchmarks.peers.shared.tables import standardised
from hazboost.utils.arrays import Array

PACKAGES = ("lifelines",)
#: Ridge penalties, tried until one converges.
PENALIZERS = (0.1, 0.3, 1.0, 3.0, 10.0)
#: Features are limited to this number of their standard deviations.
FEATURE_CLIP = 10.0


@dataclass(frozen=True)
class Aft:
    """A fitted regression of lifelines; its time is in units of the mean training time."""

    model: Any
    unit: float

    def risk(self, X: Array) -> Array:
        """Minus the logarithm of the median time."""
        location = self.model.params_.xs(self.model._primary_parameter_name)
        table = as_table(X).assign(Intercept=1.0)
        return -np.asarray(table[location.index].to_numpy() @ location.to_numpy())

    def survival(self, X: Array, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        curves = self.model.predict_survival_function(as_table(X), times=times / self.unit)
        return np.asarray(curves.to_numpy().T)


def fit(task: Task, *, fitter: str) -> Aft:
    """Fit a class of lifelines with the first penalty that converges."""
    import lifelines  # noqa: PLC0415
    from lifelines.exceptions import ConvergenceError  # noqa: PLC0415

    train = task.train
    unit = float(np.mean(train.time))
    table = as_table(train.X).assign(time=positive(train.time) / unit, event=train.event)
    for penalizer in PENALIZERS:
        try:
            model = getattr(lifelines, fitter)(penalizer=penalizer).fit(table, "time", "event")
        except (ConvergenceError, ValueError, np.linalg.LinAlgError):
            continue
        if np.all(np.isfinite(model.params_)):
            return Aft(model, unit)
    raise RuntimeError("no penalizer converges")


def as_table(X: Array) -> Any:
    """The features as lifelines wants them."""
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame(np.clip(X, -FEATURE_CLIP, FEATURE_CLIP), columns=[f"x{i}" for i in range(X.shape[1])])


PEERS = (
    Peer("accuracy", "weibull_aft", partial(fit, fitter="WeibullAFTFitter"), PACKAGES, encoder=standardised),
    Peer("accuracy", "loglogistic_aft", partial(fit, fitter="LogLogisticAFTFitter"), PACKAGES, encoder=standardised),
)
