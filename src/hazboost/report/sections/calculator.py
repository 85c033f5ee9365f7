"""The calculator, a page of its own inside of the page."""

from __future__ import annotations

import re
from typing import NamedTuple

from hazboost.calculator import calculator_page
from hazboost.prediction.predictor import Predictor
from hazboost.report.html import Html, paragraph, section, tag


class Calculator(NamedTuple):
    """The section, and the scripts that the policy of the page has to allow for it, by their hashes."""

    section: Html
    scripts: list[str]


def make_calculator(model: Predictor) -> Calculator:
    """The section; of a model that the calculator does not know, the reason is said."""
    title = "Calculator"
    try:
        page = calculator_page(model)
    except (NotImplementedError, TypeError, ValueError) as reason:
        why = paragraph(f"There is no calculator for this model: {reason}", class_="note")
        return Calculator(section("calculator", title, why), [])
    framed = section(
        "calculator",
        title,
        paragraph("Predictions for values of your own. They are computed in this page, and nothing leaves it."),
        tag("iframe", title="Calculator", srcdoc=page, class_="calculator"),
    )
    # What is inside of a frame also has to obey the page around it.
    policy = re.search(r"script-src ([^;]*)", page)
    return Calculator(framed, re.findall(r"sha256-[A-Za-z0-9+/=]+", policy[1]) if policy else [])
