"""Scores of the model and of what it is compared with, with bootstrap intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hazboost.data.target import Target
from hazboost.metrics import (
    calibration_curve,
    concordance_index,
    concordance_index_ipcw,
    cumulative_dynamic_auc,
    d_calibration,
    integrated_brier_score,
    integrated_log_score,
)
from hazboost.metrics.weights import EmptyRiskSetError
from hazboost.report.evidence import Evidence, resampled
from hazboost.report.forecasts import SMALLEST, Forecast, make_forecasts
from hazboost.utils.arrays import Array, Indices

#: Bootstrap samples, and the ends of intervals.
SAMPLES, ENDS = 200, (0.025, 0.975)
#: Of more rows fewer samples are drawn, because intervals are narrow anyway.
MANY_ROWS, SAMPLES_OF_MANY = 3_000, 60
#: Groups of similar prediction in a calibration curve.
BINS = 10


@dataclass(frozen=True)
class Interval:
    """An estimate, and its values in bootstrap samples."""

    value: float
    samples: Array

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval."""
        return self._end(0)

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval."""
        return self._end(1)

    def _end(self, which: int) -> float:
        known = self.samples[~np.isnan(self.samples)]
        return float(np.quantile(known, ENDS[which])) if len(known) else np.nan

    @property
    def known(self) -> bool:
        """Whether there is a number, and an interval."""
        return bool(np.isfinite([self.value, self.low, self.high]).all())

    def minus(self, other: Interval) -> Interval:
        """The difference to another score of the same samples."""
        return Interval(self.value - other.value, self.samples - other.samples)


@dataclass(frozen=True)
class Scores:
    """All scores of one model: name of the score to its interval."""

    title: str
    by_name: dict[str, Interval]

    def __getitem__(self, name: str) -> Interval:
        return self.by_name[name]


Measure = Callable[[Forecast, Target, Target, Indices], float]


def score_all(evidence: Evidence, cause: int | None) -> list[Scores]:
    """Scores of the model, of Kaplan-Meier and of Cox, in the same bootstrap samples."""
    forecasts, n = make_forecasts(evidence, cause), len(evidence.judged)
    measures = _measures(evidence, cause)
    target = evidence.judged.target
    weights_from = evidence.known.target if _gives_weights(evidence) else None
    rng = np.random.default_rng(evidence.seed)
    draws = [rng.integers(n, size=n) for _ in range(SAMPLES if n <= MANY_ROWS else SAMPLES_OF_MANY)]
    found = [np.full((len(measures), len(draws) + 1), np.nan) for _ in forecasts]
    with warnings.catch_warnings():
        # Times of a sample that lie beyond its follow-up, or a sample without a case, are part of the uncertainty.
        warnings.simplefilter("ignore", UserWarning)
        for k, rows in enumerate([np.arange(n), *draws]):
            sample = target if k == 0 else resampled(target, rows)
            train = sample if weights_from is None else weights_from
            for forecast, values in zip(forecasts, found, strict=True):
                values[:, k] = [_score(measure, forecast, train, sample, rows) for measure in measures.values()]
    return [
        Scores(
            forecast.title,
            {name: Interval(float(row[0]), row[1:]) for name, row in zip(measures, values, strict=True)},
        )
        for forecast, values in zip(forecasts, found, strict=True)
    ]


def _score(measure: Measure, forecast: Forecast, train: Target, sample: Target, rows: Indices) -> float:
    """A score, NaN where it is not defined: with delayed entry, a sample may have nobody at risk for a while."""
    try:
        return measure(forecast, train, sample, rows)
    except EmptyRiskSetError:
        return np.nan


def _gives_weights(evidence: Evidence) -> bool:
    """Whether the probability of censoring can be estimated from training rows."""
    rows = evidence.known.target
    return evidence.train is not None and not (rows.interval.any() or rows.has_several_rows)


def _measures(evidence: Evidence, cause: int | None) -> dict[str, Measure]:
    grid, moment = evidence.grid, evidence.moment

    def ranked(measure: Measure) -> Measure:
        """The same, without any work where everybody has the same risk."""
        return lambda f, train, test, rows: measure(f, train, test, rows) if np.ptp(f.risk) > 0.0 else 0.5

    return {
        "concordance": ranked(lambda f, _, test, rows: concordance_index(test, f.risk[rows], cause=cause)),
        "concordance_ipcw": ranked(
            lambda f, train, test, rows: concordance_index_ipcw(
                train, test, f.risk[rows], tau=float(grid[-1]), cause=cause
            )
        ),
        "auc": ranked(
            lambda f, train, test, rows: float(
                cumulative_dynamic_auc(train, test, f.risk[rows], [moment], cause=cause)[0][0]
            )
        ),
        "integrated_brier": lambda f, train, test, rows: integrated_brier_score(
            train, test, f.probability[rows], grid, cause=cause
        ),
        "integrated_log": lambda f, train, test, rows: integrated_log_score(
            train, test, f.probability[rows], grid, cause=cause
        ),
        "ratio": lambda f, _, test, rows: observed_to_expected(test, f.expected[rows], cause),
        "slope": lambda f, _, test, rows: calibration_slope(test, f.expected[rows], f.log_level[rows], cause),
    }


def observed_to_expected(target: Target, expected: Array, cause: int | None) -> float:
    """Observed events, divided by those that were expected while the rows were under observation."""
    event = target.event if cause is None else target.cause == cause
    total = float(expected.sum())
    return float(event.sum()) / total if total > 0.0 else np.nan


def calibration_slope(target: Target, expected: Array, log_level: Array, cause: int | None) -> float:
    r"""By what differences between subjects have to be multiplied to fit the observations; 1 is right.

    The slope :math:`b` of a Poisson regression of the events, whose means are
    :math:`\mu_i = e^a H_i \exp((b - 1) \log H_i(\tau))` with the predicted cumulative hazards :math:`H_i` until the
    time of the row and :math:`H_i(\tau)` until a common time. Less than 1 means that predictions are too extreme.
    """
    if np.ptp(log_level) < 1e-9 or not np.isfinite(expected).all():
        return np.nan
    event = (target.event if cause is None else target.cause == cause).astype(np.float64)
    if not event.any():
        return np.nan
    mean, spread = float(log_level.mean()), float(log_level.std())
    design = np.column_stack([np.ones(len(event)), (log_level - mean) / spread])
    offset, beta = np.log(np.maximum(expected, SMALLEST)), np.zeros(2)
    beta[0] = np.log(event.sum() / np.exp(offset).sum())
    for _ in range(30):
        rate = np.exp(np.clip(offset + design @ beta, -50.0, 50.0))
        information = (design * rate[:, None]).T @ design + 1e-9 * np.eye(2)
        step = np.clip(np.linalg.solve(information, design.T @ (event - rate)), -2.0, 2.0)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    return float(1.0 + beta[1] / spread)


def calibration_error(target: Target, predicted: Array, moment: float, cause: int | None) -> float:
    """Mean distance of predicted from observed probabilities at one time, over groups of similar prediction."""
    groups = max(2, min(BINS, len(target) // 25))
    curve = calibration_curve(target, np.clip(predicted, 0.0, 1.0), moment, n_bins=groups, cause=cause)
    known = ~np.isnan(curve.observed)
    if not known.any():
        return np.nan
    return float(np.average(np.abs(curve.predicted - curve.observed)[known], weights=curve.size[known]))


def d_calibration_of(evidence: Evidence) -> tuple[float, Array]:
    """P-value of the test of D-calibration of the model, and the shares of its bins."""
    target = evidence.judged.target
    own = evidence.after_entry.survival(target.lower[:, None])[:, 0]
    found = d_calibration(resampled(target, np.arange(len(target))), own)
    return found.p_value, found.counts / found.counts.sum()
