"""The page: all sections in one file, with its style."""

from __future__ import annotations

from importlib.resources import files
from string import Template

from hazboost.calculator.page import policy_hash
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


def make_page(evidence: Judged, title: str, *, examples: bool) -> str:
    """The whole page as text."""
    figures, calculator = Figures(), make_calculator(evidence.model)
    flags, passed, unchecked = raise_flags(evidence)
    sections = {
        "flags": flags_section(flags, passed, unchecked),
        "data": data_section(evidence, figures),
        "training": training_section(evidence, figures),
        "performance": performance_section(evidence, figures),
        "heads": heads_section(evidence, figures),
        "features": features_section(evidence, figures),
        "subjects": subjects_section(evidence, figures) if examples else None,
        "calculator": calculator.section,
        "checklist": checklist_section(evidence),
        "making": making_section(evidence),
    }
    shown = {anchor: part for anchor, part in sections.items() if part is not None}
    script = _asset("frame.js")
    return Template(_asset("page.html")).substitute(
        title=join([title]),
        style=_asset("style.css"),
        scripts=" ".join(f"'{one}'" for one in [policy_hash(script), *calculator.scripts]),
        contents=_contents(list(shown)),
        overview=overview(evidence, flags, len(passed)),
        sections=join(shown.values()),
        script=script,
    )


def _asset(name: str) -> str:
    return (files("hazboost.report") / name).read_text(encoding="utf-8")


def _contents(anchors: list[str]) -> Html:
    return tag("ul", *(tag("li", tag("a", CONTENTS[one], href=f"#{one}")) for one in anchors))
