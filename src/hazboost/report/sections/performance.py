"""How good the predictions are: discrimination, calibration and proper scores, next to Kaplan-Meier and Cox."""

from __future__ import annotations

import numpy as np

from hazboost.data.nonparametric import evaluate_steps, kaplan_meier
from hazboost.metrics.concordance import harrell
from hazboost.plots import CalibrationDisplay, DCalibrationDisplay, ScoresDisplay, SurvivalDisplay
from hazboost.report.evidence import resampled
from hazboost.report.figures import WIDE, Figures
from hazboost.report.html import Html, join, name, paragraph, section, subsection, table, tag
from hazboost.report.judged import Judged
from hazboost.report.scores import Interval, Scores, calibration_error, d_calibration_of
from hazboost.report.strata import strata
from hazboost.report.words import count, fixed, number, p_value, percent

#: Groups of risk in the figure of curves.
RISK_GROUPS = ("lowest quarter of risk", "second quarter", "third quarter", "highest quarter of risk")
#: Groups with fewer events have no scores of their own.
ENOUGH_EVENTS = 10
#: Scores in the order of the table: name, title, which says what is best, and decimals.
DISCRIMINATION = (
    ("concordance", "C-index", 3),
    ("concordance_ipcw", "C-index, weighted for censoring", 3),
    ("auc", "AUC at time {moment}", 3),
)
PROPER = (
    ("integrated_brier", "integrated Brier score (lower is better)", 4),
    ("integrated_log", "integrated log score (lower is better)", 4),
)
CALIBRATION = (
    ("ratio", "observed ÷ expected events (1 is best)", 2),
    ("slope", "calibration slope (1 is best)", 2),
)


def performance_section(evidence: Judged, figures: Figures) -> Html:
    """The section."""
    parts: list[str] = [_drawn(evidence)]
    for cause, scores in zip(evidence.causes, evidence.scores, strict=True):
        parts.append(_of_cause(evidence, figures, cause, scores))
    parts.append(subsection("Predicted and observed survival", *_curves(evidence, figures)))
    parts.append(subsection("Groups", _groups(evidence)))
    return section("performance", "How good its predictions are", *parts)


def _drawn(evidence: Judged) -> Html:
    if len(evidence.judged) == len(evidence.test):
        return join([])
    return paragraph(
        f"This section is about {count(len(evidence.judged), 'row')}, drawn at random from the {len(evidence.test):,} "
        "rows of the evaluation data.",
        class_="note",
    )


def _of_cause(evidence: Judged, figures: Figures, cause: int | None, scores: list[Scores]) -> Html:
    title = "Scores" if cause is None else f"Scores for cause {cause}"
    return subsection(
        title,
        paragraph(in_words(scores)) if len(evidence.causes) > 1 else join([]),
        _score_table(evidence, cause, scores),
        _remarks(evidence, scores),
        _calibration(evidence, figures, cause),
        _over_time(evidence, figures, cause),
    )


def in_words(scores: list[Scores]) -> str:
    """The scores in plain words."""
    own, same = scores[0], scores[1]
    concordance = own["concordance"]
    gain, ratio = skill(own, same), own["ratio"]
    said = []
    if concordance.known:
        said.append(
            "Of two subjects, the one with the higher predicted risk has the event first in "
            f"{percent(concordance.value)} of the pairs that can be compared ({percent(concordance.low)} to "
            f"{percent(concordance.high)}; 50 % is chance)."
        )
    if gain.known:
        better = "lower" if gain.value >= 0.0 else "higher, which is worse,"
        said.append(
            f"The integrated Brier score is {percent(abs(gain.value))} {better} than that of {same.title}, which "
            f"predicts the same for everybody ({percent(gain.low)} to {percent(gain.high)})."
        )
    if ratio.known:
        more = "more" if ratio.value > 1.0 else "fewer"
        said.append(f"There were {percent(abs(ratio.value - 1.0))} {more} events than expected.")
    named = {"concordance index": concordance, "integrated Brier score": gain, "observed ÷ expected events": ratio}
    unknown = ", ".join(title for title, score in named.items() if not score.known)
    return " ".join([*said, f"Could not be computed: {unknown}."] if unknown else said)


def skill(own: Scores, same: Scores) -> Interval:
    """By what share the integrated Brier score is lower than without features."""
    one, other = own["integrated_brier"], same["integrated_brier"]
    return Interval(1.0 - one.value / other.value, 1.0 - one.samples / other.samples)


def _score_table(evidence: Judged, cause: int | None, scores: list[Scores]) -> Html:
    rows: list[tuple[str, ...]] = []
    for key, label, decimals in (*DISCRIMINATION, *PROPER, *CALIBRATION):
        cells = [_cell(one[key], decimals) for one in scores]
        rows.append((label.format(moment=number(evidence.moment)), *cells))
        if key == "integrated_brier":
            gains = [_percent_cell(skill(one, scores[1])) for one in scores]
            rows.append(("gain over " + scores[1].title, *gains))
    distribution = evidence.distribution
    moment = np.array([evidence.moment])
    own = distribution.survival(moment) if cause is None else distribution.cumulative_incidence(moment, cause)
    error = calibration_error(evidence.judged.target, own[:, 0], evidence.moment, cause)
    empty = ["–"] * (len(scores) - 1)
    rows.append((f"mean calibration error at time {number(evidence.moment)}", percent(error, 1), *empty))
    if cause is None:
        rows.append(("D-calibration, p-value", p_value(d_calibration_of(evidence)[0]), *empty))
    caption = "Scores in the evaluation data, with 95 % intervals of the bootstrap"
    return table(caption, ("", *(one.title for one in scores)), rows)


def _cell(interval: Interval, decimals: int) -> Html:
    if not np.isfinite(interval.value):
        return Html("–")
    if not interval.known or interval.high - interval.low < 1e-12:
        return join([fixed(interval.value, decimals)])
    around = f"{fixed(interval.low, decimals)} to {fixed(interval.high, decimals)}"
    return join([fixed(interval.value, decimals), " ", tag("span", around, class_="interval")])


def _percent_cell(interval: Interval) -> Html:
    if not interval.known or abs(interval.value) < 1e-12:
        return Html("–")
    around = f"{percent(interval.low)} to {percent(interval.high)}"
    return join([percent(interval.value), " ", tag("span", around, class_="interval")])


def _remarks(evidence: Judged, scores: list[Scores]) -> Html:
    target = evidence.judged.target
    weights = "training" if evidence.train is not None else "evaluation"
    which = (
        "from a tenth to nine tenths of the events while at least 10 subjects are at risk"
        if evidence.spans_time
        else "the second half since the first entry, because events are close together or few subjects are at risk"
    )
    remarks = [
        (
            f"Integrated scores are means over times {number(evidence.grid[0])} to {number(evidence.grid[-1])}, "
            f"{which}; {count(evidence.at_risk_at_moment, 'subject')} of {len(target):,} are at risk at time "
            f"{number(evidence.moment)}. Weights for censoring are estimated from the {weights} data. Intervals come "
            "from drawing the subjects of the evaluation data with replacement; models were not fitted again."
        )
    ]
    if len(scores) < 3:
        remarks.append(f"There is no comparison with a Cox regression, because {evidence.cox}.")
    else:
        difference = scores[2]["integrated_brier"].minus(scores[0]["integrated_brier"])
        remarks.append(
            "Cox is a proportional hazards regression with a ridge chosen by cross-validation, on the same features "
            "(missing values at the mean, with a column of their own), fitted to the training data."
        )
        if difference.known:
            remarks.append(
                f"Its integrated Brier score minus that of FPBoost is {fixed(difference.value, 4)} "
                f"({fixed(difference.low, 4)} to {fixed(difference.high, 4)}); above 0, FPBoost is better."
            )
    return paragraph(" ".join(remarks), class_="small")


def _calibration(evidence: Judged, figures: Figures, cause: int | None) -> Html:
    rows = evidence.judged
    target = resampled(rows.target, np.arange(len(rows)))
    bins = max(2, min(10, len(rows) // 25))
    what = "survival" if cause is None else f"incidence of cause {cause}"
    parts = [
        figures.draw(
            f"Calibration at time {number(evidence.moment)}: observed against predicted {what}, in {bins} groups of "
            "similar prediction. On the dashed line they are the same.",
            f"Points of observed against predicted {what}, with the diagonal.",
            lambda: CalibrationDisplay.from_estimator(evidence.model, rows.X, target, evidence.moment, bins, cause),
        )
    ]
    if cause is None:
        parts.append(
            figures.draw(
                "D-calibration: shares of subjects by predicted survival at their event. If the predicted curves are "
                "right, all bars are as high as the dashed line, up to chance.",
                "Ten bars of shares of subjects.",
                lambda: DCalibrationDisplay.from_estimator(evidence.model, rows.X, target),
            )
        )
    return tag("div", *parts, class_="pair")


def _over_time(evidence: Judged, figures: Figures, cause: int | None) -> Html:
    if evidence.delayed:
        return paragraph("Scores over time are not drawn, because some subjects entered late.", class_="note")
    rows, times = evidence.judged, evidence.grid
    target = resampled(rows.target, np.arange(len(rows)))
    return figures.draw(
        "Brier score and AUC over time. The Brier score should be below the grey line of predicting the same for "
        "everybody, and the AUC above one half.",
        "Curves of the Brier score of model and Kaplan-Meier, and of the AUC, over time.",
        lambda: ScoresDisplay.from_estimator(evidence.model, rows.X, target, times=times, cause=cause),
        WIDE,
    )


def _curves(evidence: Judged, figures: Figures) -> list[Html]:
    order = np.argsort(evidence.risk, kind="stable")
    rows = evidence.judged.take(order)
    target = resampled(rows.target, np.arange(len(rows)))
    groups = np.array(RISK_GROUPS, dtype=object)[4 * np.arange(len(rows)) // len(rows)]
    return [
        figures.draw(
            "Survival of four groups of predicted risk: mean of the predictions (lines), and Kaplan-Meier estimates of "
            "the same subjects (steps, with 95 % intervals).",
            "Predicted curves of four groups of risk beside their Kaplan-Meier steps.",
            lambda: SurvivalDisplay.from_estimator(evidence.model, rows.X, target, groups=groups),
            WIDE,
        )
    ]


def _groups(evidence: Judged) -> Html:
    target, moment = evidence.judged.target, np.array([evidence.moment])
    expected = evidence.after_entry.cumulative_hazard(target.lower[:, None])[:, 0]
    survival = evidence.distribution.survival(moment)[:, 0]
    rows: list[tuple[str, ...]] = []
    for group in strata(evidence):
        mine = group.rows
        events = int(target.event[mine].sum())
        cells: tuple[str, ...] = (f"{int(mine.sum()):,}", f"{events:,}")
        if events >= ENOUGH_EVENTS:
            observed = float(evaluate_steps(kaplan_meier(target[mine]), moment, start=1.0)[0])
            cells += (
                percent(float(survival[mine].mean())),
                percent(observed),
                fixed(events / max(float(expected[mine].sum()), 1e-12)),
                fixed(harrell(target[mine], evidence.risk[mine])),
            )
        else:
            cells += ("–", "–", "–", "–")
        rows.append((join([name(group.feature), " = ", name(group.value)]), *cells))
    if not rows:
        return paragraph("There are no categories or features of few values to compare, and no groups were given.")
    at = f"at {number(evidence.moment)}"
    header = ("", "subjects", "events", f"predicted survival {at}", f"observed {at}", "observed ÷ expected", "C-index")
    return join(
        [
            table("Groups of the evaluation data", header, rows),
            paragraph(f"Groups with fewer than {ENOUGH_EVENTS} events have no scores of their own.", class_="small"),
        ]
    )
