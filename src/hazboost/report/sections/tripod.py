"""The items of TRIPOD+AI (Collins et al., 2024), and what the software knows about them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hazboost.data.nonparametric import median_follow_up
from hazboost.report.judged import Judged
from hazboost.report.sections.training import changed_settings, describe_heads
from hazboost.report.words import count, fixed, number, percent

#: Where the software does not know.
AUTHORS = "to be filled in by the authors"


ABSTRACT = "See the beginning of this page for numbers of subjects and events, and for scores with intervals."
MEASURES = (
    "Concordance indices, AUC, integrated Brier and logarithmic scores, observed by expected events, calibration slope "
    "and error, D-calibration, with calibration curves and scores over time; see “How good its predictions are”."
)
PREDICTED = "By the fitted model itself, in the software of “How this page was made”."
FAIRNESS = (
    f"Scores of groups are compared in “How good its predictions are”. Other approaches and their rationale: {AUTHORS}."
)
OUTPUT = (
    "Survival, hazard and, with competing causes, incidence over time; quantiles and means of the time to the event. "
    "No classes."
)
DIFFERENCES = (
    "Features and outcomes of both are in “The data”, and drift is checked in “Flags”. Setting and definitions: "
    f"{AUTHORS}."
)
CODE = f"The software is open source (MIT); versions are in “How this page was made”. Own code: {AUTHORS}."
CHARACTERISTICS = "The table of features in “The data”. Dates, treatments and what is no feature: " + AUTHORS + "."
COMPARISON = "The tables of “The data” have training and evaluation side by side."
POOR_INPUT = (
    "Missing values and unknown categories are accepted, and count as missing. What users should do about them: "
    f"{AUTHORS}."
)


class Item(NamedTuple):
    """An item, or a part of one."""

    number: str
    title: str
    answer: str


def answers(evidence: Judged) -> list[Item]:
    """All items in order."""
    return [Item(key, title, fill if isinstance(fill, str) else fill(evidence)) for key, title, fill in ITEMS]


def _outcome(evidence: Judged) -> str:
    causes = f" of {len(evidence.causes)} competing causes" if len(evidence.causes) > 1 else ""
    horizon = number(evidence.model.model_.horizon)
    return (
        f"Time to an event{causes}, with censoring. Predictions are possible for any time; risks are compared up to "
        f"{horizon}. Definition of the event: {AUTHORS}."
    )


def _predictors(evidence: Judged) -> str:
    features = count(len(evidence.names), "feature")
    return f"{features}, all of which the model may use; none was selected by the software."


def _sample_size(evidence: Judged) -> str:
    cohort = evidence.cohort
    columns = sum(max(evidence.sizes.get(i, 2) - 1, 1) for i in range(len(evidence.names)))
    each = float(cohort.events.min()) / columns
    return (
        f"{count(cohort.subjects, 'subject')} with {count(float(cohort.events.sum()), 'event')} in training: "
        f"{number(each, 2)} events for each column of features. How the size was arrived at: {AUTHORS}."
    )


def _missing(evidence: Judged) -> str:
    cohort = evidence.cohort.features.missing
    return (
        f"{percent(float(cohort.mean()))} of the values in training were missing, most in one feature: "
        f"{percent(float(cohort.max()))}. Nothing was imputed: trees learn a direction for missing values, the linear "
        "start has the mean in their place."
    )


def _partition(evidence: Judged) -> str:
    held = "folds of the training data" if evidence.model.cv_results_ else "nothing but given settings"
    return (
        f"Fitted to {count(evidence.cohort.subjects, 'subject')}, choices made by {held}; judged on "
        f"{count(len(evidence.test), 'row')} given as evaluation data. How these were separated: {AUTHORS}."
    )


def _handling(evidence: Judged) -> str:
    return (
        "Numbers as they are for the trees; standardised, with power transforms of skewed ones, for the linear start. "
        f"Categories ({count(len(evidence.categories), 'feature')}) are split by the trees as sets."
    )


def _model_type(evidence: Judged) -> str:
    changed = changed_settings(evidence.model)
    settings = "all settings at their defaults" if not changed else f"settings changed: {', '.join(changed)}"
    return (
        f"FPBoost (Archetti et al., 2025): a sum of {describe_heads(evidence)}, whose parameters are predicted by "
        f"boosted trees; {evidence.model.n_estimators_} rounds of depth {evidence.model.max_depth_}; {settings}. See "
        "“How it was trained”."
    )


def _imbalance(evidence: Judged) -> str:
    events = float(evidence.cohort.events.sum()) / max(evidence.cohort.subjects, 1)
    return (
        f"{percent(events)} of the training subjects had the event. Nothing was resampled; the likelihood accounts for "
        "censoring."
    )


def _flow(evidence: Judged) -> str:
    test, cohort = evidence.test.target, evidence.cohort
    followed = number(cohort.follow_up) if np.isfinite(cohort.follow_up) else "not reached"
    own = median_follow_up(test)
    return (
        f"Training: {count(cohort.subjects, 'subject')}, {count(float(cohort.events.sum()), 'event')}, median "
        f"follow-up {followed}. Evaluation: {count(len(test), 'subject')}, {count(int(test.event.sum()), 'event')}, "
        f"median follow-up {number(own) if np.isfinite(own) else 'not reached'}. Who was excluded: {AUTHORS}."
    )


def _analysed(evidence: Judged) -> str:
    return (
        f"Development: {count(evidence.cohort.subjects, 'subject')}, "
        f"{count(float(evidence.cohort.events.sum()), 'event')}. "
        f"Evaluation: {count(len(evidence.test), 'subject')}, {count(int(evidence.test.target.event.sum()), 'event')}."
    )


def _specification(evidence: Judged) -> str:
    return (
        f"{count(evidence.model.model_.n_trees, 'tree')}, which a formula cannot show. The model file (FPBoost.save) "
        "and the calculator hold all of it. See “What the heads mean” and “Which features matter”."
    )


def _performance(evidence: Judged) -> str:
    own = evidence.scores[0][0]["concordance"]
    index = f"Concordance index {fixed(own.value)} ({fixed(own.low)} to {fixed(own.high)}). " if own.known else ""
    return f"{index}All scores, with intervals and for groups, are in “How good its predictions are”."


def _heterogeneity(evidence: Judged) -> str:
    given = (
        "Scores of the groups that were given are"
        if evidence.groups is not None
        else "No groups were given; scores of categories are"
    )
    return f"{given} in “How good its predictions are”. Clusters such as hospitals: {AUTHORS}, or give groups=."


Fill = str | Callable[[Judged], str]

#: Number, topic in our words, and what the software knows.
ITEMS: tuple[tuple[str, str, Fill], ...] = (
    ("1", "Title: development or evaluation, target population, outcome", AUTHORS),
    ("2", "Abstract, structured", ABSTRACT),
    ("3a", "Background: medical context, rationale, existing models", AUTHORS),
    ("3b", "Background: target population, intended purpose and users", AUTHORS),
    ("3c", "Background: known health inequalities", AUTHORS),
    ("4", "Objectives", AUTHORS),
    ("5a", "Data: sources, rationale, representativeness", AUTHORS),
    ("5b", "Data: dates of accrual and end of follow-up", AUTHORS),
    ("6a", "Participants: setting, number and location of centres", AUTHORS),
    ("6b", "Participants: eligibility criteria", AUTHORS),
    ("6c", "Participants: treatments", AUTHORS),
    (
        "7",
        "Data preparation and quality checks",
        f"See “Flags”; preparation before the fit: {AUTHORS}.",
    ),
    ("8a", "Outcome: definition and time horizon", _outcome),
    ("8b", "Outcome: qualification of assessors, if subjective", AUTHORS),
    ("8c", "Outcome: blinding of its assessment", AUTHORS),
    ("9a", "Predictors: choice before modelling", _predictors),
    ("9b", "Predictors: definition and measurement", AUTHORS),
    ("9c", "Predictors: qualification of assessors, if subjective", AUTHORS),
    ("10", "Sample size", _sample_size),
    ("11", "Missing data", _missing),
    ("12a", "Methods: how data were used, partitioning", _partition),
    ("12b", "Methods: handling of predictors", _handling),
    ("12c", "Methods: type of model, building, tuning, internal validation", _model_type),
    ("12d", "Methods: heterogeneity across clusters", AUTHORS),
    ("12e", "Methods: measures of performance and plots", MEASURES),
    ("12f", "Methods: updating of the model", "None by the software."),
    ("12g", "Methods: how predictions were calculated", PREDICTED),
    ("13", "Class imbalance", _imbalance),
    ("14", "Fairness", FAIRNESS),
    ("15", "Output of the model", OUTPUT),
    ("16", "Training versus evaluation: differences", DIFFERENCES),
    ("17", "Ethical approval", AUTHORS),
    ("18a", "Open science: funding", AUTHORS),
    ("18b", "Open science: conflicts of interest", AUTHORS),
    ("18c", "Open science: protocol", AUTHORS),
    ("18d", "Open science: registration", AUTHORS),
    ("18e", "Open science: data sharing", AUTHORS),
    ("18f", "Open science: code sharing", CODE),
    ("19", "Involvement of patients and the public", AUTHORS),
    ("20a", "Participants: flow, events, follow-up", _flow),
    ("20b", "Participants: characteristics", CHARACTERISTICS),
    ("20c", "Participants: development and evaluation compared", COMPARISON),
    ("21", "Model development: subjects and events in each analysis", _analysed),
    ("22", "Full specification of the model", _specification),
    ("23a", "Performance with intervals, also of groups", _performance),
    ("23b", "Performance: heterogeneity across clusters", _heterogeneity),
    ("24", "Results of updating", "None: the model was not updated."),
    ("25", "Interpretation, fairness", AUTHORS),
    ("26", "Limitations", f"See “Flags”. Others: {AUTHORS}."),
    ("27a", "Usability: poor or unavailable input", POOR_INPUT),
    ("27b", "Usability: interaction and expertise of users", AUTHORS),
    ("27c", "Next steps, applicability and generalisability", AUTHORS),
)
