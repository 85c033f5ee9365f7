"""XGBoost's accelerated failure time objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import xgboost as xgb
from scipy.optimize import minimize
from scipy.special import log_ndtr

from benchmarks.peers.shared.base import Peer, Task
from benchmarks.peers.shared.boosted_trees import (
    PACKAGES,
    SMALL_STEPS,
    BoostedRisk,
    cross_validate,
    fit_risk,
    margin,
    matrix,
)
from benchmarks.peers.shared.curves import positive
from benchmarks.peers.shared.tables import KnownCategories
from hazboost.utils.arrays import Array, Mask

#: Scales to choose from, as shares of the scale without covariates.
SCALE_SHARES = (1.0, 0.75, 0.5)

#: Name -> (log density, log survival) of the standardised logarithm of time.
ERRORS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "normal": (lambda z: -0.5 * z**2 - 0.5 * np.log(2 * np.pi), lambda z: log_ndtr(-z)),
    "logistic": (lambda z: -z - 2 * np.logaddexp(0, -z), lambda z: -np.logaddexp(0, z)),
    "extreme": (lambda z: z - np.exp(z), lambda z: -np.exp(z)),
}


@dataclass(frozen=True)
class BoostedAft:
    """Trees for the location of the logarithm of time, and the distribution of the errors."""

    booster: xgb.Booster
    start: float
    errors: str
    scale: float

    def risk(self, X: Any) -> Array:
        """Minus the location."""
        return -margin(self.booster, started(X, self.start))

    def survival(self, X: Any, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        z = (np.log(times) + self.risk(X)[:, None]) / self.scale
        return np.exp(ERRORS[self.errors][1](z))


def fit(task: Task) -> BoostedAft:
    """Fit ``survival:aft``.

    The error distribution is the most likely one without covariates; its scale, out of three, and the number of rounds
    are chosen by cross-validated likelihood.
    """
    event, time = task.train.event, positive(task.train.time)
    fits = {name: fit_errors(name, event, np.log(time)) for name in ERRORS}
    errors = min(fits, key=lambda name: fits[name][0])
    _, location, scale = fits[errors]
    data = started(task.train.X, location)
    data.set_float_info("label_lower_bound", time)
    data.set_float_info("label_upper_bound", np.where(event, time, np.inf))
    common: dict[str, Any] = {
        **SMALL_STEPS,
        "nthread": 1,
        "seed": task.seed,
        "objective": "survival:aft",
        "eval_metric": "aft-nloglik",
        "aft_loss_distribution": errors,
    }
    candidates = [common | {"aft_loss_distribution_scale": share * scale} for share in SCALE_SHARES]
    results = [(*cross_validate(settings, data, event, task.seed), settings) for settings in candidates]
    _, rounds, chosen = min(results, key=lambda result: result[0])
    booster = xgb.train(chosen, data, num_boost_round=rounds)
    return BoostedAft(booster, location, errors, chosen["aft_loss_distribution_scale"])


def started(X: Any, location: float) -> xgb.DMatrix:
    """The features, and the location without covariates as start."""
    data = matrix(X)
    data.set_base_margin(np.full(len(X), location))
    return data


def fit_errors(name: str, event: Mask, log_time: Array) -> tuple[float, float, float]:
    """Maximum likelihood of an error distribution without covariates.

    Returns
    -------
    loss, location, scale : float
        Negative log-likelihood (of the logarithm of time), and where it is smallest.
    """
    log_density, log_survival = ERRORS[name]

    def loss(parameters: Array) -> float:
        location, log_scale = parameters
        z = np.clip((log_time - location) / np.exp(log_scale), -500, 50)
        return -float(np.sum(np.where(event, log_density(z) - log_scale, log_survival(z))))

    start = np.array([np.median(log_time), np.log(np.std(log_time) + 1e-3)])
    result = minimize(loss, start, method="Nelder-Mead")
    return float(result.fun), float(result.x[0]), float(np.exp(result.x[1]))


def fit_library_defaults(task: Task, **settings: Any) -> BoostedRisk:
    """Fit ``survival:aft`` with the library's own defaults, and settings by its names."""
    time = positive(task.train.time)
    labels = {"label_lower_bound": time, "label_upper_bound": np.where(task.train.event, time, np.inf)}
    return fit_risk(task, {"objective": "survival:aft"} | settings, labels, sign=-1.0)


PEERS = (
    Peer("accuracy", "xgb_aft", fit, PACKAGES, encoder=KnownCategories),
    Peer("speed", "xgb_aft", fit_library_defaults, PACKAGES, "XGBoost AFT"),
)
