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
from hazboost.summary.words import course
from hazboost.utils.arrays import Array, Mask
from hazboost.utils.tables import table_columns

#: Rows over which medians and shares are taken.
MOST_ROWS = 1_000
#: Size of the figure of parameters, in inches.
FLAT = (7.4, 2.2)
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
            "over time; and a weight, which says how much it counts. All of them depend on the features, so that "
            "curves of different subjects may differ in level and in course, and may cross."
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
    names = [name for name in table_columns(parameters) if name not in ("subject", "cause", "head", "w")]
    times = evidence.grid[[0, -1]]
    shares = _shares(evidence, X, times)
    sentences = []
    for i, (cause, head) in enumerate(keys):
        mine = (heads == head) & (causes == cause)
        family = head.rsplit("_", 1)[0]
        title = TITLES.get(family, family)
        typical = {name: _median(parameters, name, mine) for name in names}
        scale = typical["scale"]
        early, late = shares[:, i]
        of = f" of cause {cause}" if several else ""
        known = {name: value for name, value in typical.items() if np.isfinite(value)}
        text = (
            f": its risk {course(family, known)}. For a median subject and with weight 1, "
            f"{SCALES.get(family, 'its time scale is {scale}').format(scale=number(scale))}. It makes up "
            f"{percent(early)} of the hazard at time {number(times[0])}, and {percent(late)} at time "
            f"{number(times[1])}, on average."
        )
        sentences.append(join([tag("b", f"{title[0].upper()}{title[1:]} head{of}"), text]))
    return sentences


def _shares(evidence: Evidence, X: Any, times: Array) -> Array:
    """Mean share of each head in the hazard of all causes at some times, of shape (times, heads)."""
    table_of_shares = evidence.model.head_contributions(X, times)
    values = np.asarray(table_of_shares["share"], dtype=float)
    n_heads = len(values) // (len(times) * len(np.unique(np.asarray(table_of_shares["subject"]))))
    means: Array = np.nanmean(values.reshape(-1, len(times), n_heads), axis=0)
    return means


def _median(parameters: Any, name: str, mine: Mask) -> float:
    """Median of a parameter over subjects; NaN if the head does not have it."""
    values = np.asarray(parameters[name], dtype=float)[mine]
    return float(np.nanmedian(values)) if np.isfinite(values).any() else np.nan
