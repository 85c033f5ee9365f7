"""The page: all sections in one file, with its style."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from string import Template

from hazboost.report.figures import Figures
from hazboost.report.flags import raise_flags
from hazboost.report.html import Html, join, tag
from hazboost.report.judged import Judged
from hazboost.report.sections.calculator import make_calculator
from hazboost.report.sections.checklist import checklist_section
from hazboost.report.sections.data import data_section
from hazboost.report.sections.features import features_section
from hazboost.report.sections.flags import flags_section
from hazboost.report.sections.heads import heads_section
from hazboost.report.sections.making import making_section
from hazboost.report.sections.overview import overview
from hazboost.report.sections.performance import performance_section
from hazboost.report.sections.subjects import subjects_section
from hazboost.report.sections.training import training_section

#: What is in the page, by the name of the section, for the contents.
CONTENTS = {
    "flags": "Flags",
    "data": "Data",
    "training": "Training",
    "performance": "Performance",
    "heads": "Heads",
    "features": "Features",
    "subjects": "Three subjects",
    "calculator": "Calculator",
    "checklist": "TRIPOD+AI",
    "making": "How it was made",
}


def make_page(judged: Judged, title: str, *, examples: bool) -> str:
    """The whole page as text."""
    figures, calculator = Figures(), make_calculator(judged.model)
    flags, passed, unchecked = raise_flags(judged)
    sections = {
        "flags": flags_section(flags, passed, unchecked),
        "data": data_section(judged, figures),
        "training": training_section(judged, figures),
        "performance": performance_section(judged, figures),
        "heads": heads_section(judged, figures),
        "features": features_section(judged, figures),
        "subjects": subjects_section(judged, figures) if examples else None,
        "calculator": calculator.section,
        "checklist": checklist_section(judged),
        "making": making_section(judged),
    }
    shown = {anchor: part for anchor, part in sections.items() if part is not None}
    script = _asset("frame.js")
    return Template(_asset("page.html")).substitute(
        title=join([title]),
        style=_asset("style.css"),
        scripts=" ".join(f"'{one}'" for one in [_hash(script), *calculator.scripts]),
        contents=_contents(list(shown)),
        overview=overview(judged, flags, len(passed)),
        sections=join(shown.values()),
        script=script,
    )


def _asset(name: str) -> str:
    return (files("hazboost.report") / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """What the policy of the page allows to run: this script and no other, whatever is in the data."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode('ascii')}"


def _contents(anchors: list[str]) -> Html:
    return tag("ul", *(tag("li", tag("a", CONTENTS[one], href=f"#{one}")) for one in anchors))
