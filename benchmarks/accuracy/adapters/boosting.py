"""XGBoost's two survival objectives, with native missing values and categories.

Small steps (``eta`` 0.05, depth 3, 80 % of the rows for each tree); the number of rounds is chosen by cross-validated
likelihood, then the model is fitted to all rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd
import xgboost as xgb
from scipy.optimize import minimize
from scipy.special import log_ndtr

from benchmarks.accuracy.folds import inner_folds
from benchmarks.accuracy.preprocessing import KnownCategories
from hazboost.experiments.baselines.curves import breslow, positive, step_values
from hazboost.utils.arrays import Array, Mask

TREES = {"eta": 0.05, "max_depth": 3, "subsample": 0.8, "tree_method": "hist", "nthread": 1}
MAX_ROUNDS = 1_000
PATIENCE = 30
#: Scales tried by the AFT model, as shares of the scale without covariates.
SCALE_SHARES = (1.0, 0.75, 0.5)

#: Name -> (log density, log survival) of the standardised logarithm of time.
ERRORS: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    "normal": (lambda z: -0.5 * z**2 - 0.5 * np.log(2 * np.pi), lambda z: log_ndtr(-z)),
    "logistic": (lambda z: -z - 2 * np.logaddexp(0, -z), lambda z: -np.logaddexp(0, z)),
    "extreme": (lambda z: z - np.exp(z), lambda z: -np.exp(z)),
}


class Boosting(ABC):
    """What both objectives share."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def fit(self, X: pd.DataFrame, event: Mask, time: Array) -> Self:
        """Fit to a table as it is."""
        self.known_ = KnownCategories().fit(X)
        time = positive(time)
        self.start(event, time)
        data = self.matrix(X)
        self.set_labels(data, event, time)
        folds = inner_folds(event, self.seed)
        results = [(*self._cross_validate(candidate, data, folds), candidate) for candidate in self.candidates()]
        _, rounds, self.chosen_ = min(results, key=lambda result: result[0])
        self.booster_ = xgb.train(TREES | {"seed": self.seed} | self.chosen_, data, num_boost_round=rounds)
        self.finish(self.booster_.predict(data, output_margin=True), event, time)
        return self

    def _cross_validate(self, candidate: dict[str, Any], data: xgb.DMatrix, folds: list[Any]) -> tuple[float, int]:
        """Best mean loss of the folds, and its number of rounds."""
        history = xgb.cv(
            TREES | {"seed": self.seed} | candidate,
            data,
            num_boost_round=MAX_ROUNDS,
            folds=folds,
            early_stopping_rounds=PATIENCE,
            as_pandas=False,
        )
        losses = next(values for name, values in history.items() if name.startswith("test") and name.endswith("mean"))
        rounds = int(np.argmin(losses)) + 1
        return losses[rounds - 1], rounds

    def matrix(self, X: pd.DataFrame) -> xgb.DMatrix:
        """The features as XGBoost wants them."""
        return xgb.DMatrix(self.known_.transform(X), enable_categorical=True)

    def margin(self, X: pd.DataFrame) -> Array:
        """Sum of the trees' leaves, and of the start."""
        return self.booster_.predict(self.matrix(X), output_margin=True).astype(float)

    def start(self, event: Mask, time: Array) -> None:  # noqa: B027 - nothing to do unless said otherwise
        """Learn what is needed before the first tree."""

    def finish(self, margin: Array, event: Mask, time: Array) -> None:  # noqa: B027
        """Learn what is needed after the last tree."""

    @abstractmethod
    def candidates(self) -> list[dict[str, Any]]:
        """Settings to choose from."""

    @abstractmethod
    def set_labels(self, data: xgb.DMatrix, event: Mask, time: Array) -> None:
        """Write the outcome into the matrix."""


class BoostedCox(Boosting):
    """``survival:cox``, with Breslow's baseline hazard."""

    def candidates(self) -> list[dict[str, Any]]:
        """Settings to choose from."""
        return [{"objective": "survival:cox", "eval_metric": "cox-nloglik"}]

    def set_labels(self, data: xgb.DMatrix, event: Mask, time: Array) -> None:
        """Censored times are negative."""
        data.set_label(np.where(event, time, -time))

    def finish(self, margin: Array, event: Mask, time: Array) -> None:
        """The baseline hazard."""
        self.steps_, self.hazard_ = breslow(margin.astype(float), event, time)

    def risk(self, X: pd.DataFrame) -> Array:
        """Scores; higher means earlier."""
        return self.margin(X)

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        values = np.exp(-self.hazard_ * np.exp(self.margin(X))[:, None])
        return step_values(self.steps_, values, times)


class BoostedAft(Boosting):
    """``survival:aft``: the error distribution by likelihood without covariates, its scale by cross-validation."""

    def start(self, event: Mask, time: Array) -> None:
        """Location, scale and family of the logarithm of time, without covariates."""
        fits = {name: fit_errors(name, event, np.log(time)) for name in ERRORS}
        self.errors_ = min(fits, key=lambda name: fits[name][0])
        _, self.location_, self.scale_ = fits[self.errors_]

    def candidates(self) -> list[dict[str, Any]]:
        """Settings to choose from."""
        common = {"objective": "survival:aft", "eval_metric": "aft-nloglik", "aft_loss_distribution": self.errors_}
        return [common | {"aft_loss_distribution_scale": share * self.scale_} for share in SCALE_SHARES]

    def matrix(self, X: pd.DataFrame) -> xgb.DMatrix:
        """The features, and the location as start."""
        data = super().matrix(X)
        data.set_base_margin(np.full(len(X), self.location_))
        return data

    def set_labels(self, data: xgb.DMatrix, event: Mask, time: Array) -> None:
        """Bounds of the time."""
        data.set_float_info("label_lower_bound", time)
        data.set_float_info("label_upper_bound", np.where(event, time, np.inf))

    def risk(self, X: pd.DataFrame) -> Array:
        """Scores; higher means earlier."""
        return -self.margin(X)

    def survival(self, X: pd.DataFrame, times: Array) -> Array:
        """Survival probabilities, subjects by times."""
        z = (np.log(times) - self.margin(X)[:, None]) / self.chosen_["aft_loss_distribution_scale"]
        return np.exp(ERRORS[self.errors_][1](z))


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
