"""Three subjects of low, middle and high risk, and what their features contribute."""

from __future__ import annotations

import numpy as np

from hazboost.explain import contributions
from hazboost.plots import ContributionsDisplay, SurvivalDisplay
from hazboost.report.evidence import Evidence, take_rows
from hazboost.report.figures import WIDE, Figures
from hazboost.report.html import Html, join, name, paragraph, section, table, tag
from hazboost.report.words import number, percent
from hazboost.utils.arrays import Array, Indices

#: Where the three are in the order of risks.
PLACES = {"low risk": 0.1, "middle risk": 0.5, "high risk": 0.9}
#: Features that are listed: those that contribute most to any of the three.
MOST_FEATURES = 12


def subjects_section(evidence: Evidence, figures: Figures) -> Html:
    """The section."""
    order = np.argsort(evidence.risk, kind="stable")
    rows = np.array([order[int(place * (len(order) - 1))] for place in PLACES.values()])
    X = take_rows(evidence.judged.X, rows)
    return section(
        "subjects",
        "Three subjects",
        paragraph(
            "Three rows of the evaluation data: at one tenth, at the middle and at nine tenths of the predicted risks. "
            "Leave this section out where rows of the data are confidential (",
            tag("code", "examples=False"),
            ").",
        ),
        figures.draw(
            "Predicted survival of the three.",
            "Three survival curves; that of the subject of low risk is the highest.",
            lambda: _curves(evidence, X),
            WIDE,
        ),
        _predictions(evidence, rows),
        *_contributions(evidence, figures, rows),
    )


def _curves(evidence: Evidence, X: object) -> SurvivalDisplay:
    groups = np.array(list(PLACES), dtype=object)
    return SurvivalDisplay.from_estimator(evidence.model, X, groups=groups)


def _predictions(evidence: Evidence, rows: Indices) -> Html:
    distribution = evidence.distribution[rows]
    times = np.quantile(evidence.grid, [0.25, 0.5, 1.0])
    lines = [
        (f"survival at time {number(time)}", *(percent(float(one)) for one in column))
        for time, column in zip(times, distribution.survival(times).T, strict=True)
    ]
    for cause in evidence.causes:
        if cause is not None:
            values = distribution.cumulative_incidence(times[-1:], cause)[:, 0]
            lines.append(
                (f"incidence of cause {cause} at time {number(times[-1])}", *(percent(float(v)) for v in values))
            )
    median = distribution.quantile(np.array([0.5]))[:, 0]
    longest = evidence.model.model_.longest
    lines.append(("median time", *(number(float(v)) if v <= longest else f"after {number(longest)}" for v in median)))
    target = evidence.judged.target
    seen = [f"{'event' if target.event[i] else 'censored'} at {number(float(target.lower[i]))}" for i in rows.tolist()]
    lines.append(("what was observed", *seen))
    return table("Predictions for the three", ("", *PLACES), lines)


def _contributions(evidence: Evidence, figures: Figures, rows: Indices) -> list[Html]:
    X = take_rows(evidence.judged.X, rows)
    try:
        found = contributions(evidence.model, X, "survival", [evidence.moment])
    except (NotImplementedError, ValueError) as reason:
        return [paragraph(f"Contributions are not shown: {reason}", class_="note")]
    values: Array = found.values[:, 0, :]
    order = np.argsort(-np.abs(values).max(axis=0), kind="stable")
    lines: list[tuple[str, ...]] = []
    for i in order[:MOST_FEATURES].tolist():
        cells = [
            join([_shown(evidence, i, float(evidence.judged.encoded[row, i])), " ", _points(float(values[k, i]))])
            for k, row in enumerate(rows.tolist())
        ]
        lines.append((name(evidence.names[i]), *cells))
    rest = order[MOST_FEATURES:]
    if len(rest):
        lines.append((f"{len(rest)} others", *(_points(float(values[k, rest].sum())) for k in range(len(rows)))))
    lines.append(("subject at the base", *(percent(float(found.base[0])) for _ in rows)))
    lines.append(("prediction", *(percent(float(one)) for one in found.prediction[:, 0])))
    caption = (
        f"Values of the features, and by how many percentage points each moves the survival at time "
        f"{number(evidence.moment)}"
    )
    shown = [
        figures.draw(
            f"What the features contribute to the survival of the subject of {title} over time.",
            f"Curves of contributions over time, {title}.",
            lambda k=k: ContributionsDisplay.from_estimator(evidence.model, take_rows(X, np.array([k]))),  # type: ignore[misc]
        )
        for k, title in enumerate(PLACES)
    ]
    return [table(caption, ("feature", *PLACES), lines), tag("div", *shown, class_="three")]


def _points(value: float) -> Html:
    sign = "+" if value >= 0.0 else "−"
    return tag("span", f"{sign}{100.0 * abs(value):.1f}", class_="good" if value >= 0.0 else "bad")


def _shown(evidence: Evidence, position: int, value: float) -> Html:
    if np.isnan(value):
        return join(["missing"])
    categories = evidence.categories.get(position)
    return join([number(value)]) if categories is None else name(str(categories[int(value)]))
