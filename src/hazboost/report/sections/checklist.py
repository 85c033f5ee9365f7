"""The checklist of TRIPOD+AI, filled in where the software knows the answer."""

from __future__ import annotations

from hazboost.report.html import Html, paragraph, section, table, tag
from hazboost.report.judged import Judged
from hazboost.report.sections.tripod import AUTHORS, answers
from hazboost.report.words import count


def checklist_section(evidence: Judged) -> Html:
    """The section."""
    items = answers(evidence)
    known = sum(item.answer != AUTHORS for item in items)
    rows = [
        (item.number, item.title, tag("span", item.answer, class_="missing") if item.answer == AUTHORS else item.answer)
        for item in items
    ]
    return section(
        "checklist",
        "TRIPOD+AI checklist",
        paragraph(
            "What a report on a prediction model should say, by the 27 items of TRIPOD+AI (Collins et al., BMJ 2024; "
            f"385:e078378), some of which have parts. {count(known, 'entry', 'entries')} of {len(items)} could be "
            "filled in, many of them in part; the others only the authors know."
        ),
        table("TRIPOD+AI", ("item", "topic", "answer"), rows, numbers=False),
    )
