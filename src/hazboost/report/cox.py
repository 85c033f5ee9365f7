r"""Cox regression with a ridge, against which a model is compared, and by which the features predict censoring.

.. math:: \ell(\beta) = \sum_{\text{events}} \left[x_i^T \beta - \log \sum_{j \in R(t_i)} e^{x_j^T \beta}\right]
          - \frac{\lambda}{2} \lVert \beta \rVert^2

with Breslow's treatment of ties, standardised columns, and risk sets that respect delayed entry. The ridge is chosen by
cross-validation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from scipy.linalg import cho_factor, cho_solve

from hazboost.data.nonparametric import evaluate_steps
from hazboost.data.target import Target
from hazboost.utils.arrays import Array, Indices, Mask

#: Ridges among which cross-validation chooses, and its number of folds.
RIDGES, FOLDS = (1.0, 10.0, 100.0, 1000.0), 5
#: Newton's method ends after so many steps, or when coefficients change by less than this.
MOST_STEPS, PRECISION = 30, 1e-6
#: Logarithms of hazard ratios are cut here, where the exponential is still far from overflow.
LARGEST_LOG = 30.0
#: Columns that say whether a value is missing are made where it is so in this share of the rows.
OFTEN_MISSING = 0.01


@dataclass(frozen=True)
class Design:
    """How encoded features become the columns of a regression.

    Attributes
    ----------
    categories : dict of int to int
        Number of categories of each categorical feature, by position.
    indicators : array of int
        Features that have a column for whether they are missing.
    centre, spread : arrays of shape (columns,)
        Mean, also in place of missing values, and standard deviation of the columns.
    """

    categories: dict[int, int]
    indicators: Indices
    centre: Array
    spread: Array

    def columns(self, encoded: Any) -> Array:
        """Standardised columns of some rows."""
        raw = _raw_columns(encoded, self.categories, self.indicators)
        standard: Array = np.where(np.isnan(raw), 0.0, (raw - self.centre) / self.spread)
        return standard


def learn_design(encoded: Any, categories: dict[int, int]) -> Design:
    """A design for features like these; columns that do not vary have no effect."""
    dense = _dense(encoded)
    indicators = np.flatnonzero(np.isnan(dense).mean(axis=0) > OFTEN_MISSING)
    raw = _raw_columns(dense, categories, indicators)
    known = np.maximum((~np.isnan(raw)).sum(axis=0), 1)
    centre = np.nansum(raw, axis=0) / known
    spread = np.sqrt(np.nansum((raw - centre) ** 2, axis=0) / known)
    return Design(categories, indicators, centre, np.where(spread > 0.0, spread, np.inf))


@dataclass(frozen=True)
class Cox:
    """A fitted regression.

    Attributes
    ----------
    design : Design
        How features become columns.
    coefficients : array of shape (columns,)
        Logarithms of hazard ratios, for a change by one standard deviation.
    baseline : pair of arrays
        Event times, and Breslow's cumulative hazard at each of them.
    ridge : float
        The ridge that was chosen.
    """

    design: Design
    coefficients: Array
    baseline: tuple[Array, Array]
    ridge: float

    def log_ratio(self, encoded: Any) -> Array:
        """Logarithm of the hazard ratio of each row to a subject at the mean of all columns."""
        return _bounded(self.design.columns(encoded) @ self.coefficients)

    def cumulative_hazard(self, times: Array) -> Array:
        """Cumulative hazard of a subject at the mean of all columns."""
        return evaluate_steps(self.baseline, times, start=0.0)


def fit_cox(encoded: Any, target: Target, event: Mask, categories: dict[int, int], seed: int = 0) -> Cox:
    """Fit the regression, with a ridge chosen by cross-validated partial likelihood.

    Parameters
    ----------
    encoded : array or sparse matrix of shape (n, features)
        Encoded features.
    target : Target
        When rows enter and leave.
    event : array of bool
        Rows that leave with the event; all others are censored.
    categories : dict of int to int
        Number of categories of each categorical feature, by position.
    seed : int
        Seed of the folds.
    """
    design = learn_design(encoded, categories)
    columns = design.columns(encoded)
    fold = np.random.default_rng(seed).integers(FOLDS, size=len(target))
    whole = _RiskSets(columns, target, event)
    best, most = RIDGES[-1], -np.inf
    parts = [_RiskSets(columns[fold != k], target[fold != k], event[fold != k]) for k in range(FOLDS)]
    for ridge in RIDGES:
        # The contribution of a fold: how much the likelihood of all rows gains by its rows (Verweij and van
        # Houwelingen, 1993).
        fitted = [(part, part.fit(ridge)) for part in parts if part.event.any()]
        gained = sum(whole.log_likelihood(beta) - part.log_likelihood(beta) for part, beta in fitted)
        if gained > most:
            best, most = ridge, gained
    coefficients = whole.fit(best)
    return Cox(design, coefficients, (whole.times, whole.breslow(coefficients)), best)


class _RiskSets:
    """The partial likelihood of some rows."""

    def __init__(self, columns: Array, target: Target, event: Mask) -> None:
        self.columns, self.event, self.weight = columns, event, target.weight
        self.time, self.entry = target.lower, np.where(target.entry > 0.0, target.entry, -np.inf)
        self.times = np.unique(self.time[event])
        place = np.searchsorted(self.times, self.time[event])
        self.deaths = np.bincount(place, self.weight[event], minlength=len(self.times))
        self.by_time, self.by_entry = np.argsort(self.time, kind="stable"), np.argsort(self.entry, kind="stable")
        self.leaving = np.searchsorted(self.time[self.by_time], self.times, side="left")
        self.entering = np.searchsorted(self.entry[self.by_entry], self.times, side="left")
        # Events that a row has lived through, as positions in the event times.
        self.first = np.searchsorted(self.times, self.entry, side="right")
        self.last = np.searchsorted(self.times, self.time, side="right")

    def at_risk(self, values: Array) -> Array:
        """Sums over the rows at risk at each event time."""
        present = _tails(values[self.by_time])[self.leaving]
        absent = _tails(values[self.by_entry])[self.entering]
        sums: Array = present - absent
        return sums

    def risk(self, beta: Array) -> tuple[Array, Array]:
        """Weighted hazard ratios of the rows, and their sums over the risk sets."""
        ratio = self.weight * np.exp(_bounded(self.columns @ beta))
        return ratio, np.maximum(self.at_risk(ratio), np.finfo(float).tiny)

    def log_likelihood(self, beta: Array) -> float:
        _, total = self.risk(beta)
        gained = self.weight[self.event] @ _bounded(self.columns[self.event] @ beta)
        return float(gained - self.deaths @ np.log(total))

    def breslow(self, beta: Array) -> Array:
        """Cumulative baseline hazard at the event times."""
        _, total = self.risk(beta)
        hazard: Array = np.cumsum(self.deaths / total)
        return hazard

    def fit(self, ridge: float) -> Array:
        """Coefficients of largest penalised likelihood, by Newton's method with steps that are halved if needed."""
        beta = np.zeros(self.columns.shape[1])
        value = self.log_likelihood(beta)
        for _ in range(MOST_STEPS):
            gradient, information = self._derivatives(beta)
            gradient -= ridge * beta
            information[np.diag_indices_from(information)] += ridge
            step = cho_solve(cho_factor(information), gradient)
            for _halving in range(20):
                new = self.log_likelihood(beta + step) - 0.5 * ridge * ((beta + step) ** 2).sum()
                if new >= value - 1e-9 * abs(value):
                    break
                step = 0.5 * step
            beta, value = beta + step, new
            if np.abs(step).max(initial=0.0) < PRECISION:
                break
        return beta

    def _derivatives(self, beta: Array) -> tuple[Array, Array]:
        """Gradient and information; sums over risk sets are sums over rows, of the hazard that they lived through."""
        ratio, total = self.risk(beta)
        mean = self.at_risk(ratio[:, None] * self.columns) / total[:, None]
        hazard = np.concatenate([[0.0], np.cumsum(self.deaths / total)])
        lived = ratio * (hazard[self.last] - hazard[self.first])
        gradient = self.weight[self.event] @ self.columns[self.event] - lived @ self.columns
        information = (self.columns * lived[:, None]).T @ self.columns - (mean * self.deaths[:, None]).T @ mean
        return gradient, information


def _tails(values: Array) -> Array:
    """Sums of all values from each position on."""
    sums = np.cumsum(values[::-1], axis=0)[::-1]
    return np.concatenate([sums, np.zeros_like(sums[:1])])


def _bounded(log_ratio: Array) -> Array:
    return np.clip(log_ratio, -LARGEST_LOG, LARGEST_LOG)


def _dense(encoded: Any) -> Array:
    return np.asarray(encoded.toarray() if scipy.sparse.issparse(encoded) else encoded, dtype=np.float64)


def _raw_columns(encoded: Any, categories: dict[int, int], indicators: Indices) -> Array:
    """Numbers as they are, a column for each category, and columns for what is missing."""
    dense = _dense(encoded)
    numeric = [i for i in range(dense.shape[1]) if i not in categories]
    ones = [np.where(np.isnan(dense[:, i]), np.nan, dense[:, i] == k) for i, n in categories.items() for k in range(n)]
    missing = np.isnan(dense[:, indicators]).astype(np.float64)
    return np.column_stack([dense[:, numeric], *ones, missing])
