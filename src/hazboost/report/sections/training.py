"""How the model was trained, and what was selected."""

from __future__ import annotations

from typing import Any

import numpy as np

from hazboost.plots import HistoryDisplay, plot_selection
from hazboost.plots.heads import TITLES
from hazboost.report.evidence import Evidence
from hazboost.report.figures import WIDE, Figures
from hazboost.report.html import Html, bullets, join, paragraph, section, subsection, table
from hazboost.report.words import count, fixed, number, percent
from hazboost.utils.describe import describe

#: What is compared by losses of held-out subjects, by the name of the losses.
COMPARED = {"ridge_loss": "each ridge", "round_loss": "each number of rounds"}


def training_section(evidence: Evidence, figures: Figures) -> Html:
    """The section."""
    return section(
        "training",
        "How it was trained, and what was selected",
        paragraph(_in_words(evidence)),
        subsection("Choices", _choices(evidence), _selection(evidence, figures)),
        subsection("Settings", _settings(evidence)),
        subsection("Fit to the training data", _fit(evidence)),
    )


def _in_words(evidence: Evidence) -> str:
    model, fitted = evidence.model, evidence.model.model_
    trees, models = count(fitted.n_trees, "tree"), fitted.mixture.n_models
    averaged = f" It is the mean of the hazards of {models} models, each of other training rows." if models > 1 else ""
    return (
        f"FPBoost predicts the hazard of every subject over time as a weighted sum of {describe_heads(evidence)}. "
        "Their weights and parameters depend on the features, by "
        f"{'a penalised regression and ' if model.ridge_ is not None else ''}{trees} of depth {model.max_depth_}, "
        f"grown in {count(model.n_estimators_, 'round')}. It was fitted by maximum likelihood to "
        f"{count(evidence.cohort.subjects, 'subject')}.{averaged}"
    )


def describe_heads(evidence: Evidence) -> str:
    """The heads in words: ``1 Weibull head and 1 log-logistic head``."""
    heads = [
        f"{n} {TITLES.get(family, family)} head{'' if n == 1 else 's'}" for family, n in evidence.model.heads_.items()
    ]
    listed = heads[0] if len(heads) == 1 else f"{', '.join(heads[:-1])} and {heads[-1]}"
    return f"{listed} for each cause" if len(evidence.causes) > 1 else listed


def _choices(evidence: Evidence) -> Html:
    model, results = evidence.model, evidence.model.cv_results_
    chosen, auto = "chosen by held-out likelihood", model.n_estimators == "auto"
    given = "as given" if model.patience is None else "kept by early stopping"
    usual = chosen if auto else "the default"
    rows = [
        ("heads", ", ".join(f"{n} {TITLES.get(one, one)}" for one, n in model.heads_.items()), "families of hazards"),
        ("rounds", f"{model.n_estimators_:,}", chosen if auto else given),
        ("depth of the trees", str(model.max_depth_), usual if model.max_depth == "auto" else "as given"),
    ]
    if model.ridge_ is not None:
        rows.append(("ridge of the linear start", number(float(model.ridge_)), chosen))
        if model.adaptive_ridge_ is not None:
            rows.append(("adaptive ridge", number(model.adaptive_ridge_), "smaller for features that matter more"))
        effect = {"hazard": "proportional hazards", "time": "accelerated failure time"}[model.linear_effect_]
        rows.append(("linear start", effect, chosen))
    for label, key, meaning in (
        ("shrinkage of the trees", "shrinkage", "what trees add to each score is multiplied by this"),
        ("shift of the scores", "shift", "what is added to each score, as the validation likelihood favours"),
    ):
        if key in results:
            values = ", ".join(fixed(float(one)) for one in np.atleast_1d(results[key]))
            rows.append((label, values, meaning))
    return table("What was selected", ("", "value", "how"), rows, numbers=False)


def _selection(evidence: Evidence, figures: Figures) -> Html:
    model = evidence.model
    compared = [words for name, words in COMPARED.items() if name in model.cv_results_]
    if compared:
        return figures.draw(
            f"Loss of held-out subjects for {' and '.join(compared)}; lower is better, and what was chosen is marked.",
            f"Held-out loss for {' and '.join(compared)}, with a mark at what was chosen.",
            lambda: plot_selection(model),
            WIDE,
        )
    return figures.draw(
        "Loss by boosting round.",
        "Curve of the training loss, which falls with the rounds.",
        lambda: HistoryDisplay.from_estimator(model),
    )


def _settings(evidence: Evidence) -> Html:
    given = changed_settings(evidence.model)
    if not given:
        return paragraph("All settings are the defaults of FPBoost.")
    rows = [(key, describe(value), describe(default)) for key, (value, default) in given.items()]
    return join(
        [
            paragraph("Settings that are not the defaults of FPBoost:"),
            table("Settings", ("setting", "value", "default"), rows, numbers=False),
        ]
    )


def changed_settings(model: Any) -> dict[str, tuple[Any, Any]]:
    """Settings that are not the defaults, with the defaults."""
    defaults, without = model._defaults(), ("verbose", "n_jobs")
    return {
        key: (value, defaults[key])
        for key, value in model._settings().items()
        if key not in without and not _equal(value, defaults[key])
    }


def _equal(value: Any, other: Any) -> bool:
    return type(value) is type(other) and bool(np.all(value == other))


def _fit(evidence: Evidence) -> Html:
    found, subjects = evidence.model.diagnostics_, evidence.cohort.subjects
    compared = found.get("subjects_compared", subjects)  # which files of earlier versions do not have
    drawn = f", of {compared:,} of the {subjects:,} subjects, drawn at random" if compared < subjects else ""
    facts = [
        (
            f"Expected events: {number(float(found['expected_events']), 4)}; observed: "
            f"{number(float(found['observed_events']), 4)}{drawn}."
        )
    ]
    if np.isfinite(found["survival_error"]):
        facts.append(
            f"Largest distance of the expected survival from Kaplan-Meier: {percent(found['survival_error'], 1)}, at "
            f"time {number(found['survival_error_time'])} (standard error of Kaplan-Meier: "
            f"{percent(found['standard_error'], 1)}){drawn}."
        )
    facts += [f"{text[0].upper()}{text[1:]}." for text in found["at_bounds"]]
    return bullets(facts)
