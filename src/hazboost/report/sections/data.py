"""The data: events, follow-up, features, and what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.data.cohort import LEVELS
from hazboost.data.nonparametric import median_follow_up
from hazboost.data.target import Target
from hazboost.report.drawings import draw_follow_up
from hazboost.report.evidence import Evidence
from hazboost.report.figures import Figures
from hazboost.report.html import Html, join, name, paragraph, section, subsection, table
from hazboost.report.words import count, number, percent
from hazboost.utils.arrays import Array

#: Features, and categories of a feature, that are listed.
MOST_FEATURES, MOST_CATEGORIES = 60, 4


def data_section(evidence: Evidence, figures: Figures) -> Html:
    """The section."""
    return section(
        "data",
        "The data",
        subsection("Subjects and events", _counts(evidence), _follow_up(evidence, figures)),
        subsection("Features", _features(evidence)),
    )


def _counts(evidence: Evidence) -> Html:
    cohort, target = evidence.cohort, evidence.test.target
    rows = [
        ("subjects", f"{cohort.subjects:,}", f"{len(target):,}"),
        (
            "events",
            _with_share(float(cohort.events.sum()), cohort.subjects),
            _with_share(target.event.sum(), len(target)),
        ),
    ]
    if len(evidence.causes) > 1:
        for cause in evidence.model.causes_.tolist():
            trained, tested = float(cohort.events[cause - 1]), int((target.cause == cause).sum())
            rows.append(
                (f"events of cause {cause}", _with_share(trained, cohort.subjects), _with_share(tested, len(target)))
            )
    rows += [
        (
            "median follow-up since entry (reverse Kaplan-Meier)",
            number(cohort.follow_up),
            number(median_follow_up(target)),
        ),
        ("latest time under observation", number(evidence.model.model_.longest), number(target.longest)),
        ("features", str(len(evidence.names)), str(len(evidence.names))),
        ("missing values", percent(float(cohort.features.missing.mean())), percent(_missing(evidence.test.encoded))),
    ]
    if evidence.delayed:
        rows.append(("entered late", "–", percent(float((target.entry > 0.0).mean()))))
    return table(
        "Numbers of subjects and events, and how long they were followed", ("", "training", "evaluation"), rows
    )


def _missing(encoded: Array) -> float:
    return float(np.isnan(encoded).mean())


def _with_share(part: float, whole: float) -> str:
    return f"{part:,.0f} ({percent(part / max(whole, 1.0))})"


def _follow_up(evidence: Evidence, figures: Figures) -> Html:
    targets: dict[str, Target] = {"evaluation data": evidence.test.target}
    if evidence.train is not None and not evidence.train.target.interval.any():
        targets = {"training data": evidence.train.target, **targets}
    median = median_follow_up(evidence.test.target)
    half = (
        f"Half of the subjects would be followed for {number(median)} or longer if there were no events."
        if np.isfinite(median)
        else "More than half of the subjects would be followed to the end if there were no events."
    )
    return figures.draw(
        "Follow-up: the share of subjects who would still be under observation if nobody had the event (reverse "
        "Kaplan-Meier).",
        f"Falling curves of follow-up over the time since entry. {half}",
        lambda: draw_follow_up(targets),
        note=half,
    )


def _features(evidence: Evidence) -> Html:
    shown = range(min(len(evidence.names), MOST_FEATURES))
    rows = [_feature_row(evidence, position) for position in shown]
    parts = [
        table(
            "Of numbers the median, and the range from 5 % to 95 % of the subjects; of categories the most frequent.",
            ("feature", "training", "evaluation", "missing, training", "missing, evaluation"),
            rows,
        )
    ]
    if len(evidence.names) > MOST_FEATURES:
        parts.append(paragraph(f"{count(len(evidence.names) - MOST_FEATURES, 'more feature')} are not listed."))
    return join(parts)


def _feature_row(evidence: Evidence, position: int) -> tuple[str, ...]:
    known, column = evidence.cohort.features[position], evidence.test.encoded[:, position]
    seen = column[~np.isnan(column)]
    categories = evidence.categories.get(position)
    if categories is None:
        place = [LEVELS.index(level) for level in (0.5, 0.05, 0.95)]
        then = _spread(known.quantiles[place])
        now = _spread(np.quantile(seen, [0.5, 0.05, 0.95])) if len(seen) else "–"
    else:
        then = _shares(known.counts, categories)
        now = _shares(np.bincount(seen.astype(np.intp), minlength=len(categories)), categories)
    missing = percent(known.missing), percent(1.0 - len(seen) / max(len(column), 1))
    return (name(evidence.names[position]), then, now, *missing)


def _spread(quantiles: Array) -> str:
    middle, low, high = (number(float(one)) for one in quantiles)
    return f"{middle} ({low} to {high})"


def _shares(counts: Any, categories: list[Any]) -> Html:
    order = np.argsort(-np.asarray(counts), kind="stable")
    total = max(int(np.sum(counts)), 1)
    parts: list[str] = []
    for code in order[:MOST_CATEGORIES].tolist():
        parts += [name(str(categories[code])), f" {percent(counts[code] / total)}, "]
    rest = len(categories) - MOST_CATEGORIES
    parts[-1] = parts[-1].rstrip(", ")
    return join([*parts, f", {rest} more" if rest > 0 else ""])
