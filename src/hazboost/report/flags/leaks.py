"""Features that say too much about the outcome, and subjects that are in training and in the evaluation."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from hazboost.data.duplicates import copies, row_hashes
from hazboost.data.target import Target, join_targets, number_by_appearance
from hazboost.metrics.concordance import harrell
from hazboost.report.evidence import Evidence, Rows
from hazboost.report.flags.flag import Check, Finding, NotAssessedError
from hazboost.report.words import count, fixed, percent
from hazboost.utils.arrays import Array, Mask

#: A single feature that ranks subjects so well knows the outcome. In the 57 sets of SurvSet with at most 300 features,
#: the best single feature reaches 0.82, except for a count that goes on until the event, with 0.92.
CONCORDANCE = 0.9
#: The same for telling events from censorings (area under the curve), which no feature knows in advance; the largest in
#: these sets is 0.90, of age in a study of decades.
TELLS_EVENTS = 0.95
#: Rank correlation with the observed time, of events and censorings alike: the length of follow-up is no feature. The
#: largest of a baseline feature in these sets is 0.73, of the year in which follow-up began.
KNOWS_TIME = 0.8
#: Rows of the evaluation that are also in training: so many, and this share of the evaluation.
SHARED_ROWS, SERIOUS_SHARE = 3, 0.05
#: Rows with the same features are the same subjects where there are so many times more pairs of them than features that
#: are independent of one another would have by chance.
TIMES_CHANCE = 1_000.0
#: Values of categories are ordered by their outcomes in one half of the rows, and judged in the other.
HALVES = 2


def leak(evidence: Evidence) -> Finding | None:
    """A feature that alone predicts the outcome."""
    rows = evidence.known
    if rows.target.interval.any() or rows.target.has_several_rows:
        rows = evidence.judged
    target, details = rows.target, []
    for position, name in enumerate(evidence.names):
        column = rows.encoded[:, position]
        found = [_too_good(target, column, categorical=position in evidence.categories)]
        if np.isnan(column).any():
            what = _too_good(target, np.isnan(column).astype(np.float64), categorical=False)
            found.append(what and f"whether it is missing: {what}")
        details += [(name, text) for text in found if text]
    if not details:
        return None
    return Finding("serious", "A single feature predicts the outcome almost alone.", tuple(details))


def _too_good(target: Target, column: Array, *, categorical: bool) -> str | None:
    """What a feature knows that it should not know."""
    known = ~np.isnan(column)
    if known.sum() < 20 or np.ptp(column[known]) == 0.0:
        return None
    target, values = target[known], column[known]
    if categorical:
        values, target = _ordered_by_outcome(target, values)
        if not target.event.any() or np.ptp(values) == 0.0:
            return None
    concordance = harrell(target, values)
    if max(concordance, 1.0 - concordance) > CONCORDANCE:
        return f"concordance index of {fixed(max(concordance, 1.0 - concordance))} alone"
    rank = rankdata(values)
    with_event, without = rank[target.event], rank[~target.event]
    if len(with_event) >= 10 and len(without) >= 10:
        area = (with_event.mean() - (len(with_event) + 1) / 2.0) / len(without)
        if max(area, 1.0 - area) > TELLS_EVENTS:
            return f"tells events from censorings with an area under the curve of {fixed(max(area, 1.0 - area))}"
    correlation = float(np.corrcoef(rank, rankdata(target.lower))[0, 1]) if np.ptp(target.lower) > 0.0 else 0.0
    if not categorical and abs(correlation) > KNOWS_TIME:
        return f"rank correlation of {fixed(correlation)} with the observed time"
    return None


def _ordered_by_outcome(target: Target, codes: Array) -> tuple[Array, Target]:
    """Rates of events of the categories, learned from every other row, for the rows in between."""
    learn = np.arange(len(codes)) % HALVES == 0
    number = codes.astype(np.intp)
    size = int(number.max()) + 1
    events = np.bincount(number[learn], target.event[learn], minlength=size)
    exposure = np.bincount(number[learn], (target.lower - target.entry)[learn], minlength=size)
    rate = (target.event[learn].sum() + 1e-12) / max(float(exposure.sum()), np.finfo(float).tiny)
    # One event at the rate of all, so that a category of few rows is not extreme.
    smooth = (events + 1.0) / (exposure + 1.0 / rate)
    return smooth[number[~learn]], target[~learn]


def shared_subjects(evidence: Evidence) -> Finding | None:
    """Rows of the evaluation that are also in training."""
    if evidence.train is None:
        raise NotAssessedError("the training rows were not given (X_train and y_train)")
    train, test = evidence.train, evidence.test
    same = _copied(train, test)
    alike = _alike(train.encoded, test.encoded)
    rows = same | alike
    total, share = int(rows.sum()), float(rows.mean())
    if total < SHARED_ROWS:
        return None
    first = ", ".join(str(row) for row in np.flatnonzero(rows)[:5].tolist())
    details = [("rows of the evaluation data", f"{first}{', …' if total > 5 else ''} (counted from 0)")]
    if same.sum():
        details.append(("the same features and outcome", count(same.sum(), "row")))
    if (alike & ~same).sum():
        details.append(("the same features, another outcome", count((alike & ~same).sum(), "row")))
    return Finding(
        "serious" if share >= SERIOUS_SHARE else "caution",
        f"{count(total, 'row')} of the evaluation data ({percent(share)}) are also in the training data. The model may "
        "have learned them by heart.",
        tuple(details),
    )


def _copied(train: Rows, test: Rows) -> Mask:
    """Test rows with a training row of the same features and outcome, beyond what happens by chance."""
    original = copies(np.concatenate([train.encoded, test.encoded]), join_targets([train.target, test.target]))
    if original is None:
        return np.zeros(len(test), dtype=bool)
    found: Mask = np.isin(original[len(train) :], original[: len(train)])
    return found


def _alike(train: Array, test: Array) -> Mask:
    """Test rows with a training row of the same features, where that cannot be by chance."""
    hashes, others = row_hashes(train), row_hashes(test)
    found: Mask = np.isin(others, hashes)
    if not found.any():
        return found
    values, times = np.unique(hashes, return_counts=True)
    pairs = times[np.searchsorted(values, others[found])].sum()
    by_chance = len(train) * len(test) * float(np.prod([_collision(column) for column in train.T]))
    return found if pairs > TIMES_CHANCE * by_chance else np.zeros(len(test), dtype=bool)


def _collision(column: Array) -> float:
    """Probability that two rows have the same value."""
    number = number_by_appearance(np.where(np.isnan(column), np.inf, column))
    shares = np.bincount(number) / len(column)
    # Two rows of which each value occurs once would never agree; one pair more is what chance allows.
    return float(max((shares**2).sum() - 1.0 / len(column), 1.0 / len(column) ** 2))


def repeated_rows(evidence: Evidence) -> Finding | None:
    """Copies of rows within the evaluation data, which make intervals too narrow."""
    original = copies(evidence.test.encoded, evidence.test.target)
    if original is None:
        return None
    repeated = len(original) - len(np.unique(original))
    if repeated < max(SHARED_ROWS, SERIOUS_SHARE * len(original)):
        return None
    return Finding(
        "caution",
        f"{count(repeated, 'row')} of the evaluation data ({percent(repeated / len(original))}) are copies of others. "
        "Intervals are too narrow, as if there were more subjects.",
    )


CHECKS = (
    Check(
        "leak",
        "A feature that alone predicts the outcome",
        "Ask when and how it is measured. If it is known only after the event, or is made from the outcome, leave it "
        "out and fit again: the scores on this page mean nothing until then.",
        leak,
    ),
    Check(
        "shared_subjects",
        "Subjects in training and evaluation",
        "Divide the data by subject, and not by row; then fit and evaluate again.",
        shared_subjects,
    ),
    Check(
        "repeated_rows",
        "Copies of rows in the evaluation data",
        "Keep one row of each subject.",
        repeated_rows,
    ),
)
