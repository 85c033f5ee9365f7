"""Predictions that are wrong, useless, or much worse for some."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from scipy.stats import norm, rankdata

from hazboost.data.target import Target
from hazboost.hazards.distribution import Distribution
from hazboost.metrics.concordance import harrell
from hazboost.report.evidence import as_trained, resampled
from hazboost.report.flags.flag import Check, Finding, NotAssessedError, need
from hazboost.report.forecasts import SMALLEST
from hazboost.report.judged import Judged
from hazboost.report.scores import d_calibration_of
from hazboost.report.strata import Stratum, strata
from hazboost.report.words import count, fixed, p_value, percent
from hazboost.utils.arrays import Array, Indices

#: Ratio of observed to expected events, or its inverse, and how many standard errors it has to be away from 1.
RATIO, SERIOUS_RATIO, STANDARD_ERRORS = 1.25, 1.5, 3.0
#: Slopes between these are no sign of predictions that are too extreme, or too cautious.
SLOPES = (0.6, 1.6)
#: P-value of D-calibration, and the largest distance of the share of a bin from one tenth.
D_P_VALUE, D_DISTANCE = 1e-3, 0.02
#: Groups with fewer events are not judged.
ENOUGH_EVENTS = 20
#: By how much the concordance index of a group is smaller than that of all others, beyond what is due to how different
#: its subjects are from one another; ratio of events in a group.
WORSE, GROUP_RATIO = 0.1, 1.5
#: Probability of a false flag for a group, over all groups together.
LEVEL = 0.005
#: Concordance index in training minus that in the evaluation.
OPTIMISM = 0.15
#: Distance of the expected survival from Kaplan-Meier in training, and how many standard errors it has to be: those of
#: the warning that a fit gives.
POOR_FIT, POOR_FIT_ERRORS = 0.05, 3.0
#: Rank correlation of two features.
CORRELATED = 0.95
#: Rows that are compared with one another, and rows of which all pairs are.
MOST_ROWS, MOST_PAIRED = 5_000, 500


def poor_calibration(evidence: Judged) -> Finding | None:
    """Predicted and observed probabilities differ for all subjects together."""
    details, serious = [], False
    for cause, scores in zip(evidence.causes, evidence.scores, strict=True):
        prefix = "" if cause is None else f"cause {cause}: "
        ratio, slope = scores[0]["ratio"], scores[0]["slope"]
        error = float(np.nanstd(np.log(np.maximum(ratio.samples, SMALLEST))))
        away = abs(np.log(max(ratio.value, SMALLEST)))
        if away > np.log(RATIO) and away > STANDARD_ERRORS * error:
            serious |= bool(away > np.log(SERIOUS_RATIO))
            details.append(
                (f"{prefix}calibration in the large", f"{fixed(ratio.value)} times as many events as expected")
            )
        outside = slope.value < SLOPES[0] or slope.value > SLOPES[1]
        if outside and abs(slope.value - 1.0) > STANDARD_ERRORS * float(np.nanstd(slope.samples)):
            extreme = "too extreme" if slope.value < 1.0 else "too cautious"
            details.append((f"{prefix}calibration slope", f"{fixed(slope.value)}: predictions are {extreme}"))
    p, shares = d_calibration_of(evidence)
    if p < D_P_VALUE and np.abs(shares - 1.0 / len(shares)).max() > D_DISTANCE:
        details.append(
            ("D-calibration", f"p {p_value(p)}; bins hold {percent(shares.min())} to {percent(shares.max())}")
        )
    if not details:
        # A slope is not known where everybody is predicted the same, and then it cannot be wrong.
        need("the ratio of observed to expected events", *(scores[0]["ratio"].value for scores in evidence.scores))
        return None
    return Finding(
        "serious" if serious else "caution", "Predicted probabilities are not those that were observed.", tuple(details)
    )


def worse_groups(evidence: Judged) -> Finding | None:
    """Groups with much worse scores than the others."""
    target = evidence.judged.target
    groups = [
        group
        for group in strata(evidence)
        if min(target.event[group.rows].sum(), target.event[~group.rows].sum()) >= ENOUGH_EVENTS
    ]
    if not groups:
        return None
    limit = float(norm.isf(LEVEL / (2 * len(groups))))
    expected = evidence.after_entry.cumulative_hazard(target.lower[:, None])[:, 0]
    details = []
    for group in groups:
        found = [_worse_ranking(evidence, group, limit), _worse_calibration(evidence, expected, group, limit)]
        details += [(f"{group.feature} = {group.value}", text) for text in found if text]
    if not details:
        return None
    return Finding("caution", "For some groups, predictions are much worse than for the others.", tuple(details))


def _worse_ranking(evidence: Judged, group: Stratum, limit: float) -> str | None:
    target, risk = evidence.judged.target, evidence.risk
    own, others = (harrell(target[rows], risk[rows]) for rows in (group.rows, ~group.rows))
    # Where subjects are alike, nobody could tell them apart as well as elsewhere.
    level = np.log(np.maximum(evidence.distribution.cumulative_hazard(np.array([evidence.moment]))[:, 0], SMALLEST))
    alike = expected_concordance(level[~group.rows]) - expected_concordance(level[group.rows])
    worse = others - own - max(alike, 0.0)
    if not worse > WORSE:
        return None
    rng = np.random.default_rng(evidence.seed)
    errors = [_error_of_concordance(target, risk, np.flatnonzero(rows), rng) for rows in (group.rows, ~group.rows)]
    if worse < limit * float(np.hypot(errors[0], errors[1])):
        return None
    return f"concordance index {fixed(own)}, and {fixed(others)} of all others, beyond how alike they are"


def expected_concordance(log_level: Array) -> float:
    r"""Concordance index of subjects whose predictions are right: by how much they differ from one another.

    Of two subjects with proportional hazards, the one with the higher hazard has the event first with the probability
    :math:`1 / (1 + e^{-d})`, where :math:`d` is the difference of the logarithms (van Klaveren, Gönen, Steyerberg and
    Vergouwe, 2016).
    """
    some = log_level[:: max(1, len(log_level) // MOST_PAIRED)]
    return float(expit(np.abs(some[:, None] - some)).sum() - 0.5 * len(some)) / max(len(some) * (len(some) - 1), 1)


def _error_of_concordance(target: Target, risk: Array, rows: Indices, rng: np.random.Generator) -> float:
    draws = [rng.choice(rows, len(rows)) for _ in range(50)]
    return float(np.nanstd([harrell(resampled(target, one), risk[one]) for one in draws]))


def _worse_calibration(evidence: Judged, expected: Array, group: Stratum, limit: float) -> str | None:
    """Observed and expected events of the group, where those of all others do not explain the difference."""
    event = evidence.judged.target.event
    observed, others = float(event[group.rows].sum()), float(event[~group.rows].sum())
    ratio = observed / max(float(expected[group.rows].sum()), SMALLEST)
    overall = others / max(float(expected[~group.rows].sum()), SMALLEST)
    away = abs(np.log(ratio / overall))
    # What was expected is uncertain too, as it was learned from so many events.
    learned = 1.0 + (observed + others) / max(float(evidence.cohort.events.sum()), 1.0)
    error = np.sqrt(learned * (1.0 / observed + 1.0 / others))
    if away < np.log(GROUP_RATIO) or away < limit * error or abs(np.log(ratio)) < np.log(RATIO):
        return None
    return f"{fixed(ratio)} times as many events as expected, and {fixed(overall)} times for all others"


def useless(evidence: Judged) -> Finding | None:
    """The model is not better than without features."""
    details = []
    for cause, scores in zip(evidence.causes, evidence.scores, strict=True):
        own, same = scores[0], scores[1]
        gain = same["integrated_brier"].minus(own["integrated_brier"])
        if gain.value <= 0.0 or (own["concordance"].low < 0.5 and own["concordance"].value < 0.55):
            which = "any event" if cause is None else f"cause {cause}"
            text = (
                f"integrated Brier score {fixed(own['integrated_brier'].value, 3)}, and "
                f"{fixed(same['integrated_brier'].value, 3)} without features; concordance index "
                f"{fixed(own['concordance'].value)}"
            )
            details.append((which, text))
    if not details:
        for own, same, *_ in evidence.scores:
            need("the integrated Brier score", own["integrated_brier"].value, same["integrated_brier"].value)
            need("the concordance index", own["concordance"].value)
        return None
    worse = all(
        scores[1]["integrated_brier"].minus(scores[0]["integrated_brier"]).high < 0.0 for scores in evidence.scores
    )
    return Finding(
        "serious" if worse else "caution", "The features do not help to predict these outcomes.", tuple(details)
    )


def behind_cox(evidence: Judged) -> Finding | None:
    """A Cox regression predicts better."""
    details = []
    for cause, scores in zip(evidence.causes, evidence.scores, strict=True):
        if len(scores) < 3:
            raise NotAssessedError(f"there is no Cox regression: {evidence.cox}")
        difference = scores[0]["integrated_brier"].minus(scores[2]["integrated_brier"])
        if difference.low > 0.0 and difference.value > 0.02 * scores[2]["integrated_brier"].value:
            own, other = (fixed(scores[i]["integrated_brier"].value, 3) for i in (0, 2))
            details.append(("any event" if cause is None else f"cause {cause}", f"{own}, and {other} of Cox"))
    if not details:
        differences = (own["integrated_brier"].minus(cox["integrated_brier"]) for own, _, cox in evidence.scores)
        need("the integrated Brier score", *(one for each in differences for one in (each.value, each.low)))
        return None
    return Finding(
        "caution", "The integrated Brier score of a Cox regression is lower, which is better.", tuple(details)
    )


def optimism(evidence: Judged) -> Finding | None:
    """The model is much better in training than in the evaluation."""
    if evidence.train is None:
        raise NotAssessedError("the training rows were not given (X_train and y_train)")
    rows = evidence.known
    if rows.target.interval.any() or rows.target.has_several_rows:
        raise NotAssessedError("the training rows have events in intervals, or several rows of a subject")
    if len(rows) > MOST_ROWS:
        rows = rows.take(np.arange(MOST_ROWS))
    model = evidence.model.model_
    scores = model.scores(as_trained(evidence.model, rows.encoded))
    mean = Distribution(model.mixture, scores, model.unit).restricted_mean(model.horizon)
    inside = harrell(rows.target, -np.log(np.maximum(mean, SMALLEST)))
    outside = evidence.scores[0][0]["concordance"] if evidence.causes == [None] else None
    value = harrell(evidence.judged.target, evidence.risk)
    high = value if outside is None else outside.high
    need("the concordance index", inside, value, high)
    if inside - value < OPTIMISM or inside - high < OPTIMISM / 3.0:
        return None
    return Finding(
        "caution",
        f"The concordance index is {fixed(inside)} in training and {fixed(value)} in the evaluation.",
    )


def correlated_features(evidence: Judged) -> Finding | None:
    """Features that say nearly the same, so that none of them has an importance of its own."""
    numeric = np.array([i for i in range(len(evidence.names)) if i not in evidence.categories][:200], dtype=np.intp)
    dense = evidence.test.encoded[:MOST_ROWS, numeric]
    seen = ~np.isnan(dense).all(axis=0)
    numeric, dense = numeric[seen], dense[:, seen]
    if dense.shape[1] < 2 or len(dense) < 20:
        return None
    filled = np.where(np.isnan(dense), np.nanmedian(dense, axis=0), dense)
    # Equal values share a rank: in the order of the rows, columns that are mostly zero would look alike.
    ranks = rankdata(filled, axis=0)
    varies = np.ptp(filled, axis=0) > 0.0
    details = []
    correlation = np.corrcoef(ranks[:, varies].T) if varies.sum() > 1 else np.eye(1)
    places = numeric[varies]
    for i, j in zip(*np.nonzero(np.triu(np.abs(np.atleast_2d(correlation)) > CORRELATED, 1)), strict=True):
        pair = f"{evidence.names[places[i]]}, {evidence.names[places[j]]}"
        details.append((pair, f"rank correlation {fixed(float(correlation[i, j]))}"))
    if not details:
        return None
    return Finding(
        "caution",
        f"{count(len(details), 'pair')} of features say nearly the same, and share their importance.",
        tuple(details[:10]),
    )


def poor_fit(evidence: Judged) -> Finding | None:
    """The model does not describe the data on which it was trained."""
    found = evidence.model.diagnostics_
    error, spread = found["survival_error"], found["standard_error"]
    need("the distance of the expected survival from Kaplan-Meier in training", error, spread)
    if not error > max(POOR_FIT, POOR_FIT_ERRORS * spread):
        return None
    return Finding(
        "caution",
        f"In training, the survival that the model expects is {percent(found['expected_survival'])} where Kaplan-Meier "
        f"is {percent(found['kaplan_meier'])}.",
    )


CHECKS = (
    Check(
        "poor_calibration",
        "Poor calibration",
        "Do not read predictions as probabilities. Fit again with data like those of the evaluation, or recalibrate.",
        poor_calibration,
    ),
    Check(
        "worse_groups",
        "Groups with much worse predictions",
        "Ask whether the group was represented in training, and measured alike. Report its scores separately, and do "
        "not use the model for it until they are acceptable.",
        worse_groups,
    ),
    Check(
        "useless",
        "Not better than without features",
        "Do not use the model: the curve of all subjects together serves as well.",
        useless,
    ),
    Check(
        "behind_cox",
        "A Cox regression predicts better",
        "Consider to use the simpler model.",
        behind_cox,
    ),
    Check(
        "optimism",
        "Much better in training than in the evaluation",
        "Use the defaults of FPBoost, fewer rounds or a stronger regularisation; look for drift and shared subjects.",
        optimism,
    ),
    Check(
        "correlated_features",
        "Features that say nearly the same",
        "Read their importances and contributions together, or leave one of them out.",
        correlated_features,
    ),
    Check(
        "poor_fit",
        "The model does not fit its training data",
        "Add heads, or use those that are chosen by default; see the warning of the fit.",
        poor_fit,
    ),
)
