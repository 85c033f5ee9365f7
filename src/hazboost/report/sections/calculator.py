"""The calculator, a page of its own inside of the page."""

from __future__ import annotations

from hazboost.calculator import calculator_page
from hazboost.prediction.predictor import Predictor
from hazboost.report.html import Html, paragraph, section, tag


def calculator_section(model: Predictor) -> Html:
    """The section; a model that the calculator does not know is named."""
    title = "Calculator"
    try:
        page = calculator_page(model)
    except (NotImplementedError, TypeError, ValueError) as reason:
        return section("calculator", title, paragraph(f"There is no calculator for this model: {reason}", class_="note"))
    return section(
        "calculator",
        title,
        paragraph("Predictions for values of your own. They are computed in this page, and nothing leaves it."),
        tag("iframe", title="Calculator", srcdoc=page, class_="calculator"),
    )
