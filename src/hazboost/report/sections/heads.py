"""What the heads mean, in plain words."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.plots import HeadsDisplay, ParametersDisplay
from hazboost.plots.heads import TITLES
from hazboost.report.evidence import Evidence, take_rows
from hazboost.report.figures import Figures
from hazboost.report.html import Html, bullets, join, paragraph, section, subsection, tag
from hazboost.report.words import number, percent
from hazboost.utils.arrays import Array

#: Rows over which medians and shares are taken.
MOST_ROWS = 1_000
#: Size of the figure of parameters, in inches.
FLAT = (7.4, 2.2)
#: Shapes that differ less from 1 are constant hazards.
NEARLY_ONE = 0.1
#: How the hazard of a family changes over time, where no shape decides it.
COURSES = {
    "exponential": "a risk that stays the same over time",
    "gompertz": "a risk that grows by the same percentage in each unit of time",
    "bounded": "a risk that comes and goes around one time, and spares some for ever",
    "lognormal": "a risk that rises, and falls later",
    "exponentiated_weibull": "a risk whose course depends on two shapes",
}
#: What the scale of a family means, by name; ``{scale}`` is its median time scale.
SCALES = {
    "weibull": "alone it would leave 37 % without event at time {scale}",
    "exponential": "alone it would leave 37 % without event at time {scale}",
    "gompertz": "alone it would leave 37 % without event at time {scale}",
    "loglogistic": "alone it would leave half without event at time {scale}",
    "lognormal": "alone it would leave half without event at time {scale}",
    "bounded": "half of its risk has come by time {scale}",
    "exponentiated_weibull": "its time scale is {scale}",
}


def heads_section(evidence: Evidence, figures: Figures) -> Html:
    """The section."""
    rows = evidence.judged.take(np.arange(min(len(evidence.judged), MOST_ROWS)))
    parameters = evidence.model.predict_parameters(rows.X)
    middle = int(np.argsort(evidence.risk[: len(rows)], kind="stable")[len(rows) // 2])
    return section(
        "heads",
        "What the heads mean",
        paragraph(
            "The hazard is the rate at which events happen to those who have had none yet. Here it is a sum of a few "
            "simple hazards, the heads. Each has a scale, a time; most have a shape, which says how its risk changes "
            "over "
            "time; and a weight, which says how much it counts. All of them depend on the features, so that curves of "
            "different subjects may differ in level and in course, and may cross."
        ),
        subsection("The heads of this model", bullets(_in_words(evidence, parameters, rows.X))),
        tag(
            "div",
            figures.draw(
                "The hazard of a subject of middle risk as a sum of its heads.",
                "Stacked areas of the heads, whose sum is the hazard over time.",
                lambda: HeadsDisplay.from_estimator(evidence.model, take_rows(rows.X, np.array([middle]))),
            ),
            figures.draw(
                "Weights, scales and shapes of the heads over subjects: median, half of the subjects (thick), and 90 % "
                "(thin).",
                "Ranges of the parameters of the heads.",
                lambda: ParametersDisplay.from_estimator(evidence.model, rows.X),
                FLAT,
            ),
        ),
    )


def _in_words(evidence: Evidence, parameters: Any, X: Any) -> list[Html]:
    """A sentence for each head."""
    heads = np.array([str(one) for one in parameters["head"]])
    several = len(evidence.causes) > 1
    causes = np.asarray(parameters["cause"]) if several else np.ones(len(heads), dtype=int)
    keys = list(dict.fromkeys(zip(causes.tolist(), heads.tolist(), strict=True)))
    times = evidence.grid[[0, -1]]
    shares = _shares(evidence, X, times)
    sentences = []
    for i, (cause, head) in enumerate(keys):
        mine = (heads == head) & (causes == cause)
        family = head.rsplit("_", 1)[0]
        title = TITLES.get(family, family)
        scale = float(np.nanmedian(np.asarray(parameters["scale"], dtype=float)[mine]))
        early, late = shares[:, i]
        of = f" of cause {cause}" if several else ""
        text = (
            f": {_course(family, parameters, mine)}; "
            f"{SCALES.get(family, 'its time scale is {scale}').format(scale=number(scale))} "
            f"(with weight 1, for a median subject). It makes up {percent(early)} of the hazard at time "
            f"{number(times[0])} "
            f"and {percent(late)} at time {number(times[1])}, on average."
        )
        sentences.append(join([tag("b", f"{title} head{of}"), text]))
    return sentences


def _shares(evidence: Evidence, X: Any, times: Array) -> Array:
    """Mean share of each head in the hazard of all causes at some times, of shape (times, heads)."""
    table_of_shares = evidence.model.head_contributions(X, times)
    values = np.asarray(table_of_shares["share"], dtype=float)
    n_heads = len(values) // (len(times) * len(np.unique(np.asarray(table_of_shares["subject"]))))
    means: Array = np.nanmean(values.reshape(-1, len(times), n_heads), axis=0)
    return means


def _course(family: str, parameters: Any, mine: Any) -> str:
    """How the hazard of a head changes over time."""
    names = parameters.dtype.names if isinstance(parameters, np.ndarray) else list(parameters.columns)
    shapes = np.asarray(parameters["k"], dtype=float)[mine] if "k" in names else np.array([np.nan])
    if family in COURSES or not np.isfinite(shapes).any():
        return COURSES.get(family, "a risk whose course depends on two shapes")
    shape = float(np.nanmedian(shapes))
    if family == "loglogistic":
        course = "rises, and falls later" if shape > 1.0 else "falls from the beginning"
    elif abs(shape - 1.0) < NEARLY_ONE:
        course = "hardly changes over time"
    else:
        course = "rises over time" if shape > 1.0 else "falls over time"
    return f"a risk that {course} (shape {number(shape, 2)})"
