"""The flags, what was checked without finding anything, and what could not be checked."""

from __future__ import annotations

from hazboost.report.flags import Check, Flag, Unchecked
from hazboost.report.html import Html, bullets, name, paragraph, section, subsection, table, tag
from hazboost.report.words import count

#: Places that are listed for one flag.
MOST_DETAILS = 12
LABELS = {"serious": "Serious", "caution": "Caution"}


def flags_section(flags: list[Flag], passed: list[Check], unchecked: list[Unchecked]) -> Html:
    """The section."""
    parts: list[Html] = [_flag(flag) for flag in flags] or [paragraph("None of the checks found anything wrong.")]
    if passed:
        titles = [f"{check.title[0].upper()}{check.title[1:]}" for check in passed]
        parts.append(
            subsection("Checked, and nothing found", tag("ul", *(tag("li", t) for t in titles), class_="columns"))
        )
    if unchecked:
        parts.append(subsection("Not checked", bullets(f"{one.title}: {one.reason}." for one in unchecked)))
    return section("flags", "Flags", *parts)


def _flag(flag: Flag) -> Html:
    parts: list[Html] = [
        tag("h3", tag("span", LABELS[flag.severity], class_="badge"), " ", flag.title),
        paragraph(flag.evidence),
    ]
    if flag.details:
        rows = [(name(place), found) for place, found in flag.details[:MOST_DETAILS]]
        parts.append(table("Where, and what was found", ("where", "found"), rows, numbers=False))
    if len(flag.details) > MOST_DETAILS:
        parts.append(paragraph(f"{count(len(flag.details) - MOST_DETAILS, 'more place')} are not listed."))
    parts.append(paragraph(tag("b", "What to do: "), flag.advice))
    return tag("article", *parts, class_=f"flag {flag.severity}")
