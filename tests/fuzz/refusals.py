"""Reasons for which data without a deliberate flaw may be refused."""

from __future__ import annotations

import re

import numpy as np

from tests.fuzz.extras import make_weight
from tests.fuzz.outcomes import observe
from tests.fuzz.tables import make_raw


def has_empty_column(case):
    """A column without values, possibly after rows of weight zero are left out."""
    weight = make_weight(case.weights, case.features.rows, case.features.seed)
    heavy = np.ones(case.features.rows, dtype=bool) if weight is None else np.asarray(weight) > 0.0
    return any(np.isnan(column[heavy]).all() for column in make_raw(case.features).columns)


def has_weightless_rows(case):
    return "zero" in case.weights


def is_divided(case):
    """Whether a part of the data is set aside, so that the other part may lack something."""
    return case.settings.get("patience") is not None or chooses(case)


def chooses(case):
    return case.settings.get("init", "linear") == "linear" or case.settings.get("n_estimators", "auto") == "auto"


def has_events_at_zero_only(case):
    columns = observe(case.outcome, case.features.rows)
    times = [columns[name] for name in ("time", "upper", "lower") if name in columns]
    return bool(times) and not any((values[np.isfinite(values)] > 0.0).any() for values in times)


def has_kind(kind):
    """Whether a column is of some kind."""
    return lambda case: any(column.kind == kind for column in case.features.columns)


def has_setting(name):
    return lambda case: name in case.settings


def looks_exchanged(case):
    """Causes and times without names, and all times are 0 or 1, or will be after a change of unit."""
    return case.outcome.kind == "right" and case.outcome.causes > 1 and case.outcome.times != "spread"


#: Pattern of the message -> when it is right.
EXPECTED = {
    r"every value is missing": has_empty_column,
    r"sample_weight is zero for every subject": has_weightless_rows,
    r"no event": lambda case: has_weightless_rows(case) or is_divided(case),
    r"times are 0": lambda case: has_events_at_zero_only(case) or has_weightless_rows(case) or is_divided(case),
    r"look exchanged": looks_exchanged,
    r"n_causes=.*, but no event of y has a known cause": has_setting("n_causes"),
    r"eval_set: y has events of cause": lambda case: case.watched and has_weightless_rows(case),
    r"cannot be divided into .* folds|all events are in one fold": chooses,
    r"validation_fraction=.* cannot divide|no comparable pair|C-index needs one time": is_divided,
    r"takes no categorical features|monotone_constraints: feature .* has categories": has_kind("category"),
    r"monotone_constraints: .*_activation=": has_setting("monotone_constraints"),
    r"interaction_constraints: with parameter_activation=": has_setting("interaction_constraints"),
    r"has no meaning with n_estimators='auto'": has_setting("patience"),
}


def is_expected(case, message):
    """Whether the message states something that is true of the case."""
    return any(re.search(pattern, message, re.DOTALL) and when(case) for pattern, when in EXPECTED.items())
