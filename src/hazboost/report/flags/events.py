"""Too few events, in training or in the evaluation."""

from __future__ import annotations

import numpy as np

from hazboost.report.evidence import Evidence
from hazboost.report.flags.flag import Check, Finding, NotAssessedError
from hazboost.report.words import count, number, percent

#: Events of each cause for each column of features, of which a category fewer than there are count. Ten is the usual
#: rule; a model with a ridge and shrunken trees is calibrated with fewer, but not with fewer than these.
PER_FEATURE, SERIOUS_PER_FEATURE = 5.0, 2.0
#: Events in the evaluation data. Collins, Ogundimu and Altman (2016) recommend 100 and more; intervals show what fewer
#: mean, and with fewer than these they hardly exclude anything.
IN_EVALUATION, SERIOUS_IN_EVALUATION = 30, 10
#: A category of which so many events are expected by the rate of all subjects has none by chance in 5 % of the cases.
EXPECTED = 3.0
#: A feature that is missing in a larger share of the rows is mostly missing.
MOSTLY_MISSING = 0.5


def few_events(evidence: Evidence) -> Finding | None:
    """Few events for each column of features in training."""
    columns = sum(max(evidence.sizes.get(i, 2) - 1, 1) for i in range(len(evidence.names)))
    events = float(evidence.cohort.events.min())
    each = events / columns
    if each >= PER_FEATURE:
        return None
    rarest = " of the rarest cause" if len(evidence.causes) > 1 else ""
    return Finding(
        "serious" if each < SERIOUS_PER_FEATURE else "caution",
        f"{count(events, 'event')}{rarest} in training for {count(columns, 'column')} of features (a feature of k "
        f"categories has k − 1): {number(each, 2)} for each. Below {PER_FEATURE:g}, a model finds by chance what is "
        "not there.",
    )


def few_test_events(evidence: Evidence) -> Finding | None:
    """Few events in the rows on which the model is judged."""
    cause = evidence.test.target.cause
    events = min(int((cause == one).sum()) for one in evidence.model.causes_)
    if events >= IN_EVALUATION:
        return None
    return Finding(
        "serious" if events < SERIOUS_IN_EVALUATION else "caution",
        "The evaluation data have "
        f"{count(events, 'event')}{' of the rarest cause' if len(evidence.causes) > 1 else ''} "
        f"in {count(len(evidence.test), 'row')}. All scores on this page are uncertain; see their intervals.",
    )


def categories_without_events(evidence: Evidence) -> Finding | None:
    """Categories whose subjects have no event, although some would be expected."""
    if not evidence.categories:
        return None
    if evidence.train is None:
        raise NotAssessedError("the training rows were not given (X_train and y_train)")
    rows, target = evidence.train, evidence.train.target
    happened = target.event | target.interval
    exposure = target.middle - target.entry
    rate = happened.sum() / max(float(exposure.sum()), np.finfo(float).tiny)
    details = []
    for position, categories in evidence.categories.items():
        column = rows.encoded[:, position]
        for code, category in enumerate(categories):
            mine = column == code
            expected = rate * float(exposure[mine].sum())
            if mine.any() and not happened[mine].any() and expected >= EXPECTED:
                found = f"“{category}”: no event in {count(mine.sum(), 'row')}; {number(expected, 2)} would be usual"
                details.append((evidence.names[position], found))
    if not details:
        return None
    return Finding("caution", "In training, nobody of these categories had the event.", tuple(details))


def much_missing(evidence: Evidence) -> Finding | None:
    """Features that are missing in most rows."""
    if evidence.model.model_.schema.sparse:  # in which what is not stored is zero, not missing
        return None
    shares = np.maximum(evidence.cohort.features.missing, np.isnan(evidence.test.encoded).mean(axis=0))
    often = np.flatnonzero(shares > MOSTLY_MISSING)
    if not len(often):
        return None
    details = tuple((evidence.names[i], f"{percent(shares[i])} missing") for i in often.tolist())
    return Finding("caution", "These features are missing in most rows, of the training or of the evaluation.", details)


CHECKS = (
    Check(
        "few_events",
        "Few events for so many features",
        "Leave out features that cannot matter, decided without looking at the outcome, or collect more events.",
        few_events,
    ),
    Check(
        "few_test_events",
        "Few events in the evaluation data",
        "Evaluate on more subjects, or by repeated cross-validation.",
        few_test_events,
    ),
    Check(
        "categories_without_events",
        "Categories without events",
        "Merge them with similar categories, ask whether they can have the event at all, or say that the model must "
        "not be used for them.",
        categories_without_events,
    ),
    Check(
        "much_missing",
        "Features that are mostly missing",
        "Ask why they are missing, and whether they will be known when the model is used; else leave them out.",
        much_missing,
    ),
)
