"""Follow-up that depends on the features, or that is too short."""

from __future__ import annotations

import numpy as np

from hazboost.data.nonparametric import start_of_risk
from hazboost.data.target import Target
from hazboost.metrics.concordance import harrell
from hazboost.metrics.weights import FollowUp
from hazboost.report.cox import fit_cox
from hazboost.report.evidence import ENOUGH_AT_RISK, MOST_COLUMNS, Evidence, resampled
from hazboost.report.flags.flag import Check, Finding, NotAssessedError, need
from hazboost.report.words import count, fixed, number, percent
from hazboost.utils.arrays import Array

#: Concordance of features with the time of censoring, in rows that were not used to fit; and by how many standard
#: errors it has to exceed one half.
CONCORDANCE, SERIOUS_CONCORDANCE, STANDARD_ERRORS = 0.65, 0.75, 4.0
#: Fewer censorings say nothing about what they depend on.
ENOUGH_CENSORED = 30
#: Rows that are compared, and bootstrap samples for the standard error.
MOST_ROWS, SAMPLES = 5_000, 50
#: Probability of being uncensored at the end of the evaluation, below which weights are unstable.
SMALLEST_UNCENSORED = 0.05
#: Share of rows that were followed longer than anybody in training.
LONGER = 0.05


def informative_follow_up(evidence: Evidence) -> Finding | None:
    """Features predict who is censored when."""
    rows = evidence.known
    if rows.target.interval.any() or rows.target.has_several_rows:
        rows = evidence.judged
    if len(rows) > MOST_ROWS:
        rows = rows.take(np.arange(MOST_ROWS))
    censored = ~rows.target.event
    if censored.sum() < ENOUGH_CENSORED:
        return None
    if rows.encoded.shape[1] + sum(evidence.sizes.values()) > MOST_COLUMNS:
        raise NotAssessedError(f"there are more than {MOST_COLUMNS} columns")
    # Whoever is censored at the very end was followed as long as the study lasted.
    ends = rows.target.lower >= rows.target.lower.max() * (1.0 - 1e-9)
    as_events = resampled(rows.target, np.arange(len(rows)))
    event = censored & ~ends
    if event.sum() < ENOUGH_CENSORED:
        return None
    fold, risk = np.arange(len(rows)) % 2, np.empty(len(rows))
    for k in (0, 1):
        part = fold != k
        cox = fit_cox(rows.encoded[part], rows.target[part], event[part], evidence.sizes, evidence.seed)
        risk[~part] = cox.log_ratio(rows.encoded[~part])
    reverse = _with_events(as_events.lower, as_events.entry, event)
    found = harrell(reverse, risk)
    need("the concordance index of the time of censoring", found)
    rng = np.random.default_rng(evidence.seed)
    draws = [rng.integers(len(rows), size=len(rows)) for _ in range(SAMPLES)]
    error = float(np.nanstd([harrell(resampled(reverse, one), risk[one]) for one in draws]))
    if found < CONCORDANCE or found - 0.5 < STANDARD_ERRORS * error:
        return None
    return Finding(
        "serious" if found >= SERIOUS_CONCORDANCE else "caution",
        f"The features predict the time of censoring with a concordance index of {fixed(found)} (one half is chance), "
        "in rows that were not used to find out how.",
    )


def _with_events(time: Array, entry: Array, event: Array) -> Target:
    return Target.of(time, np.where(event, time, np.inf), entry=entry)


def short_follow_up(evidence: Evidence) -> Finding | None:
    """Hardly anybody is still under observation at the end of the evaluation."""
    target, last = evidence.judged.target, evidence.grid[-1:]
    uncensored = _share_uncensored(target, last)
    horizon = evidence.model.model_.horizon
    if horizon > evidence.grid[-1] * 1.25:
        return Finding(
            "caution",
            f"Predictions are compared up to time {number(horizon)}, but the follow-up of the evaluation data, with at "
            f"least {ENOUGH_AT_RISK} subjects at risk, ends at {number(float(last[0]))}. What lies between was not "
            "evaluated.",
        )
    if uncensored >= SMALLEST_UNCENSORED:
        return None
    return Finding(
        "caution",
        f"At time {number(float(last[0]))}, the end of the evaluation, only {percent(uncensored, 1)} of the subjects "
        "would not have been censored. Scores rest on few subjects with large weights.",
    )


def _share_uncensored(target: Target, time: Array) -> float:
    """Mean probability of not being censored by a time, of the subjects whom the Brier score judges then."""
    follow_up, entry = FollowUp(target), target.entry[start_of_risk(target) < time]
    probability = follow_up.probability(follow_up.since_entry(time, entry))
    return float(probability.sum() / max((probability > 0.0).sum(), 1))


def beyond_follow_up(evidence: Evidence) -> Finding | None:
    """Subjects of the evaluation were followed longer than anybody in training."""
    longest = evidence.model.model_.longest
    later = evidence.test.target.lower > longest * (1.0 + 1e-9)
    if later.mean() < LONGER:
        return None
    return Finding(
        "caution",
        f"{count(later.sum(), 'row')} of the evaluation data ({percent(later.mean())}) were followed beyond "
        f"{number(longest)}, the longest follow-up in training; the longest is {number(evidence.test.target.longest)}. "
        "Predictions beyond are extrapolated by the shape of the heads.",
    )


CHECKS = (
    Check(
        "informative_follow_up",
        "Follow-up that depends on the features",
        "Find out why subjects leave. The likelihood by which the model is fitted allows that censoring depends on its "
        "features; Kaplan-Meier, Brier scores and AUC on this page assume that it does not.",
        informative_follow_up,
    ),
    Check(
        "short_follow_up",
        "Follow-up of the evaluation data is short",
        "Predict for earlier times only, or evaluate with longer follow-up.",
        short_follow_up,
    ),
    Check(
        "beyond_follow_up",
        "Horizon beyond the follow-up in training",
        "Do not use predictions beyond the follow-up of the training data, or fit again with longer follow-up.",
        beyond_follow_up,
    ),
)
