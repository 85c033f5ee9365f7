"""Which features matter, and how the prediction changes with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.explain import importance, interactions
from hazboost.plots import DependenceDisplay, ImportanceDisplay
from hazboost.report.evidence import Evidence
from hazboost.report.figures import Figures
from hazboost.report.html import Html, join, name, paragraph, section, subsection, table, tag
from hazboost.report.words import count, number, percent

#: Rows over which contributions are averaged, and rows whose predictions are drawn.
MOST_ROWS, MOST_CURVES = 1_000, 200
#: Features in the table, and with a figure of their own.
IN_TABLE, WITH_FIGURE = 12, 4
#: Pairs of more features are not compared.
MOST_FOR_PAIRS = 30


def features_section(evidence: Evidence, figures: Figures) -> Html:
    """The section; what cannot be explained is said."""
    title = "Which features matter, and how"
    rows = evidence.judged.take(np.arange(min(len(evidence.judged), MOST_ROWS)))
    try:
        found = importance(evidence.model, rows.X)
    except (NotImplementedError, ValueError) as reason:
        return section("features", title, paragraph(f"Features are not explained: {reason}", class_="note"))
    overall = np.asarray(found["overall"], dtype=float)
    order = np.argsort(-overall, kind="stable")
    chosen = [int(i) for i in order[:WITH_FIGURE] if overall[i] > 0.0]
    return section(
        "features",
        title,
        paragraph(
            "Contributions describe the model, not causes in the world. Features that say nearly the same share what "
            "they say."
        ),
        subsection(
            "Importance",
            figures.draw(
                "Importance: mean size of the contribution of each feature to the survival time, restricted to time "
                f"{number(evidence.model.model_.horizon)}, in units of time.",
                "Bars of importance; the most important feature is " + evidence.names[int(order[0])] + ".",
                lambda: ImportanceDisplay.from_estimator(evidence.model, rows.X),
            ),
            _table(evidence, found, order[:IN_TABLE].tolist()),
            _pairs(evidence),
        ),
        subsection("Dependence", _dependence(evidence, figures, chosen)),
    )


def _dependence(evidence: Evidence, figures: Figures, chosen: list[int]) -> Html:
    """A figure for each feature; one without any value has no range over which it could be drawn."""
    few = evidence.judged.take(np.arange(min(len(evidence.judged), MOST_CURVES)))
    left_out = [i for i in chosen if i not in evidence.categories and np.isnan(few.encoded[:, i]).all()]
    drawn = [
        figures.draw(
            f"Predicted survival at time {number(evidence.moment)} if the feature “{evidence.names[i]}” of everybody "
            "were changed: mean, and single subjects.",
            f"Survival against {evidence.names[i]}.",
            lambda i=i: DependenceDisplay.from_estimator(evidence.model, few.X, i, time=evidence.moment),  # type: ignore[misc]
        )
        for i in chosen
        if i not in left_out
    ]
    parts = [tag("div", *drawn, class_="pair")] if drawn else []
    if left_out:
        words = "Left out, because the values are missing in all rows that are drawn here: "
        parts.append(paragraph(words, _listed([name(evidence.names[i]) for i in left_out]), "."))
    return join(parts)


def _listed(parts: list[Html]) -> Html:
    """The parts with commas between them."""
    return join([one for part in parts for one in (part, ", ")][:-1])


def _table(evidence: Evidence, found: Any, order: list[int]) -> Html:
    columns = {key: np.asarray(found[key], dtype=float) for key in ("overall", "level", "scale", "shape", "share")}
    total = max(float(columns["overall"].sum()), np.finfo(float).tiny)
    course = np.nansum([columns[key] for key in ("scale", "shape", "share")], axis=0)
    rows = [
        (
            name(evidence.names[i]),
            number(float(columns["overall"][i])),
            percent(float(columns["overall"][i]) / total),
            number(float(columns["level"][i]), 2),
            number(float(course[i]), 2),
        )
        for i in order
    ]
    rest = len(evidence.names) - len(order)
    header = ("feature", "survival time", "share", "level of the hazard", "course over time")
    parts = [table("Mean sizes of contributions", header, rows)]
    if rest:
        parts.append(paragraph(f"{count(rest, 'less important feature')} are not listed.", class_="small"))
    return join(parts)


def _pairs(evidence: Evidence) -> Html:
    """The pairs of features that act together most."""
    if not 2 <= len(evidence.names) <= MOST_FOR_PAIRS:
        return join([])
    few = evidence.judged.take(np.arange(min(len(evidence.judged), MOST_CURVES)))
    found = interactions(evidence.model, few.X)
    first, other, value = (np.asarray(found[key]) for key in ("feature", "other", "strength"))
    strong = [k for k in range(min(3, len(value))) if float(value[k]) > 1e-9]
    if not strong:
        return paragraph("No two features act together: what one adds to the scores does not depend on another.")
    listed = [
        join([name(str(first[k])), " with ", name(str(other[k])), f" ({number(float(value[k]), 2)})"]) for k in strong
    ]
    return paragraph(
        "Features that act together most, by the mean size of what a pair adds to the level of the hazard: ",
        _listed(listed),
        ".",
    )
