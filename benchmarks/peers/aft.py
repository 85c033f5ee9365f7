"""Accelerated failure time regressions of lifelines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.shared.base import Peer, Sample, Task
from benchmarks.peers.shared.curves import positive
from benchmarks.peers.shared.tables import standardised
from hazboost.utils.arrays import Array

PACKAGES = ("lifelines",)
#: Ridge penalties, tried until one converges.
PENALIZERS = (0.1, 0.3, 1.0, 3.0, 10.0)
#: The same for clean data, where hardly any penalty is needed.
WEAK_PENALIZERS = (1e-4, 1e-3, 1e-2, *PENALIZERS)
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


def fit(task: Task, *, fitter: str, penalizers: Sequence[float] = PENALIZERS) -> Aft:
    """Fit a class of lifelines with the first penalty that converges."""
    from lifelines.exceptions import ConvergenceError  # noqa: PLC0415

    train = task.train
    unit = float(np.mean(train.time))
    for penalizer in penalizers:
        try:
            model = fit_penalty(train, unit, fitter, penalizer)
        except (ConvergenceError, ValueError, np.linalg.LinAlgError):
            continue
        if np.all(np.isfinite(model.params_)):
            return Aft(model, unit)
    raise RuntimeError("no penalizer converges")


def fit_penalty(train: Sample, unit: float, fitter: str, penalizer: float) -> Any:
    """The model of lifelines with one penalty, for exact times or for intervals."""
    import lifelines  # noqa: PLC0415

    model, table = getattr(lifelines, fitter)(penalizer=penalizer), as_table(train.X)
    if train.upper is not None:
        return model.fit_interval_censoring(
            table.assign(lower=train.time / unit, upper=train.upper / unit), "lower", "upper"
        )
    table = table.assign(time=positive(train.time) / unit, event=train.event)
    if train.entry is None:
        return model.fit(table, "time", "event")
    return model.fit(table.assign(entry=train.entry / unit), "time", "event", entry_col="entry")


def as_table(X: Array) -> Any:
    """The features as lifelines wants them."""
    import pandas as pd  # noqa: PLC0415

    return pd.DataFrame(np.clip(X, -FEATURE_CLIP, FEATURE_CLIP), columns=[f"x{i}" for i in range(X.shape[1])])


PEERS = (
    Peer("accuracy", "weibull_aft", partial(fit, fitter="WeibullAFTFitter"), PACKAGES, encoder=standardised),
    Peer(
        "truth",
        "weibull_aft",
        partial(fit, fitter="WeibullAFTFitter", penalizers=WEAK_PENALIZERS),
        PACKAGES,
        "Weibull AFT",
        encoder=standardised,
        takes=("entry", "interval"),
    ),
    Peer("accuracy", "loglogistic_aft", partial(fit, fitter="LogLogisticAFTFitter"), PACKAGES, encoder=standardised),
)
