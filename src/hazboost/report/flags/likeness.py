"""Rows of the evaluation that are unlike those of the training."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom, chi2

from hazboost.data.categories import read_categories
from hazboost.data.cohort import LEVELS
from hazboost.data.frames import column_names, is_table
from hazboost.data.nonparametric import aalen_johansen, evaluate_steps
from hazboost.report.evidence import Evidence
from hazboost.report.flags.flag import Check, Finding, need
from hazboost.report.words import count, fixed, number, percent
from hazboost.utils.arrays import Array

#: Share of the rows, of one feature, outside of the range in training, and how improbable it has to be by chance.
OUTSIDE, IMPROBABLE = 0.03, 1e-4
#: Share of rows with a category that is unknown to the model.
UNKNOWN = 0.01
#: Largest distance between the distributions of a feature (Kolmogorov and Smirnov), and its p-value.
DISTANCE, SERIOUS_DISTANCE, SIGNIFICANT = 0.2, 0.4, 1e-4
#: Difference of shares of missing values, and of probabilities of the outcome.
OF_MISSING, OF_OUTCOME = 0.15, 0.15


def outside_range(evidence: Evidence) -> Finding | None:
    """Values outside of the range in training, or categories that it did not have."""
    details, largest = [], 0.0
    n_train = max(evidence.cohort.subjects, 1)
    for position, name in enumerate(evidence.names):
        low, high = evidence.cohort.features[position].quantiles[[0, -1]]
        column = evidence.test.encoded[:, position]
        n = int((~np.isnan(column)).sum())
        if not n or np.isnan(low):
            continue
        outside = int(((column < low) | (column > high)).sum())
        by_chance = binom.sf(outside - 1, n, 2.0 / (n_train + 1.0))
        if outside / n > OUTSIDE and by_chance < IMPROBABLE:
            largest = max(largest, outside / n)
            span = f"{number(float(low))} to {number(float(high))} in training"
            details.append((name, f"{count(outside, 'row')} ({percent(outside / n)}) outside of {span}"))
    for name, rows in _unknown_categories(evidence).items():
        share = rows / len(evidence.test)
        if share > UNKNOWN:
            largest = max(largest, share)
            details.append((name, f"{count(rows, 'row')} ({percent(share)}) of categories that training did not have"))
    if not details:
        return None
    return Finding(
        "serious" if largest > 0.25 else "caution",
        "Values of the evaluation data lie outside of what the model has seen. Trees are flat there, and the linear "
        "start goes on as a line.",
        tuple(details),
    )


def _unknown_categories(evidence: Evidence) -> dict[str, int]:
    """Rows with a category that is unknown to the model, by feature."""
    X = evidence.test.X
    if not is_table(X):
        return {}
    found = {}
    for position, name in enumerate(column_names(X)):
        if position in evidence.categories:
            column = read_categories(X[name])
            if column is not None:  # else it has no value at all
                missing = int((column.codes < 0).sum())
                found[evidence.names[position]] = int(np.isnan(evidence.test.encoded[:, position]).sum()) - missing
    return found


def drift(evidence: Evidence) -> Finding | None:
    """Features are distributed in another way than in training."""
    n, n_train = len(evidence.test), evidence.cohort.subjects
    effective = n * n_train / (n + n_train)
    details, largest = [], 0.0
    for position, name in enumerate(evidence.names):
        column, known = evidence.test.encoded[:, position], evidence.cohort.features[position]
        gap = float(np.isnan(column).mean()) - known.missing
        error = np.sqrt(max(known.missing * (1.0 - known.missing), 1.0 / n) / effective)
        if abs(gap) > OF_MISSING and abs(gap) > 4.0 * error:
            largest = max(largest, abs(gap))
            now, then = percent(known.missing + gap), percent(known.missing)
            details.append((name, f"missing in {now} of the rows, and in {then} in training"))
        seen = column[~np.isnan(column)]
        if not len(seen):
            continue
        if position in evidence.categories:
            distance, p = _distance_of_categories(seen, known.counts)
        else:
            distance = _distance(seen, known.quantiles)
            p = 2.0 * float(np.exp(-2.0 * effective * distance**2))
        if distance > DISTANCE and p < SIGNIFICANT / len(evidence.names):
            largest = max(largest, distance)
            details.append((name, f"distance of the distributions {fixed(distance)} (0 is none, 1 the largest)"))
    if not details:
        return None
    return Finding(
        "serious" if largest > SERIOUS_DISTANCE else "caution",
        "Features are distributed in another way than in training.",
        tuple(details),
    )


def _distance(values: Array, quantiles: Array) -> float:
    """Largest distance from the empirical distribution in training, of which only some quantiles are known.

    At a quantile q of level p the distribution function of the training is at least p, and just before q at most p,
    however many values are the same.
    """
    ordered, levels = np.sort(values), np.array(LEVELS[1:-1])
    inner = quantiles[1:-1]
    until = np.searchsorted(ordered, inner, side="right") / len(ordered)
    before = np.searchsorted(ordered, inner, side="left") / len(ordered)
    return float(np.maximum(levels - until, before - levels).max(initial=0.0))


def _distance_of_categories(codes: Array, counts: Array) -> tuple[float, float]:
    """Half the sum of the differences of shares, and the p-value of a chi-squared test."""
    found = np.bincount(codes.astype(np.intp), minlength=len(counts)).astype(np.float64)
    both = np.array([found, counts[: len(found)]], dtype=np.float64)
    both = both[:, both.sum(axis=0) > 0.0]
    if both.shape[1] < 2 or not (both.sum(axis=1) > 0.0).all():
        return 0.0, 1.0
    shares = both / both.sum(axis=1, keepdims=True)
    expected = both.sum(axis=1, keepdims=True) * both.sum(axis=0) / both.sum()
    statistic = float(((both - expected) ** 2 / expected).sum())
    return 0.5 * float(np.abs(shares[0] - shares[1]).sum()), float(chi2.sf(statistic, both.shape[1] - 1))


def outcome_drift(evidence: Evidence) -> Finding | None:
    """Events are more or less frequent than in training."""
    cohort, moment = evidence.cohort, np.array([evidence.moment])
    need("the Kaplan-Meier estimate of the training data", float(cohort.observed.sum()))
    target, details = evidence.test.target, []
    at_risk = max(evidence.at_risk_at_moment, 1.0) * len(evidence.test) / len(evidence.judged)
    for cause in evidence.model.causes_.tolist():
        now = float(evaluate_steps(aalen_johansen(target, cause), moment, start=0.0)[0])
        then = float(evaluate_steps((cohort.times, cohort.observed[cause - 1]), moment, start=0.0)[0])
        error = np.sqrt(0.25 / at_risk + 0.25 / max(cohort.subjects * at_risk / len(evidence.test), 1.0))
        if abs(now - then) > OF_OUTCOME and abs(now - then) > 4.0 * error:
            which = f"cause {cause}" if len(evidence.causes) > 1 else "event"
            found = f"{percent(now)} until time {number(evidence.moment)}, and {percent(then)} in training"
            details.append((which, found))
    if not details:
        return None
    return Finding("caution", "Events are more or less frequent than in training.", tuple(details))


CHECKS = (
    Check(
        "outside_range",
        "Values outside of the training range",
        "Check units and coding. Do not use the model for such subjects, or fit again with some of them.",
        outside_range,
    ),
    Check(
        "drift",
        "Features drift between training and evaluation",
        "Find out whether measurements, coding or the people are others, and look at the calibration below; fit again "
        "or recalibrate if they are to stay so.",
        drift,
    ),
    Check(
        "outcome_drift",
        "Outcomes drift between training and evaluation",
        "Compare how events and follow-up were defined. If people differ for reasons that no feature knows, "
        "recalibrate.",
        outcome_drift,
    ),
)
