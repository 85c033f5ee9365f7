"""The head of the page: what it is about, and what to know before all else."""

from __future__ import annotations

from hazboost.report.flags import Flag
from hazboost.report.html import Html, join, paragraph, tag
from hazboost.report.judged import Judged
from hazboost.report.scores import Interval
from hazboost.report.sections.performance import in_words, skill
from hazboost.report.words import count, fixed, number, percent

#: In the place of an interval.
UNKNOWN = "could not be computed"


def overview(evidence: Judged, flags: list[Flag], checked: int) -> Html:
    """Verdict in one sentence, key figures, and the scores in words."""
    cause, scores = evidence.causes[0], evidence.scores[0]
    own = scores[0]
    which = "" if cause is None else f", cause {cause}"
    target, cohort = evidence.test.target, evidence.cohort
    cards = [
        _card("events in training", f"{cohort.events.sum():,.0f}", f"of {count(cohort.subjects, 'subject')}"),
        _card("events in evaluation", f"{target.event.sum():,}", f"of {count(len(target), 'subject')}"),
        _card(f"C-index{which}", fixed(own["concordance"].value), _ends(own["concordance"])),
        _card(f"Brier score, gain{which}", percent(skill(own, scores[1]).value), _gain_ends(skill(own, scores[1]))),
        _card(f"observed ÷ expected{which}", fixed(own["ratio"].value), _ends(own["ratio"])),
    ]
    return join(
        [
            tag("p", *_verdict(flags, checked), class_=f"verdict {_mood(flags)}"),
            tag("dl", *cards, class_="cards"),
            paragraph(in_words(scores)),
            paragraph(
                "Times are in the unit of the data. Predictions are compared up to time "
                f"{number(evidence.model.model_.horizon)}, when three quarters of the events in training had happened, "
                "unless another time is named.",
                class_="small",
            ),
        ]
    )


def _verdict(flags: list[Flag], checked: int) -> list[str]:
    serious = sum(flag.severity == "serious" for flag in flags)
    if not flags:
        return [
            f"No flags: {count(checked, 'check')} found nothing wrong with model or data. ",
            "That is no proof: what no data can show, such as how subjects were chosen, has to be judged by people.",
        ]
    first = f"{count(serious, 'serious flag')}" if serious else ""
    second = f"{count(len(flags) - serious, 'caution')}" if len(flags) > serious else ""
    both = " and ".join(one for one in (first, second) if one)
    return [
        f"{both}: ",
        tag("a", "read them first", href="#flags"),
        ". The scores below may be worthless until they are resolved." if serious else ".",
    ]


def _mood(flags: list[Flag]) -> str:
    if not flags:
        return "none"
    return "serious" if any(flag.severity == "serious" for flag in flags) else "caution"


def _card(title: str, value: str, around: str) -> Html:
    return tag("div", tag("dt", title), tag("dd", tag("b", value), " ", tag("span", around, class_="interval")))


def _ends(interval: Interval) -> str:
    return f"{fixed(interval.low)} to {fixed(interval.high)}" if interval.known else UNKNOWN


def _gain_ends(interval: Interval) -> str:
    return f"{percent(interval.low)} to {percent(interval.high)}" if interval.known else UNKNOWN
