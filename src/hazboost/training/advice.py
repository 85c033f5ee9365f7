"""Errors about data that training cannot use and warnings about poor fits; each says what to do."""

from __future__ import annotations

from math import ceil

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from hazboost.data.surv import RANDOM_TIMES
from hazboost.data.target import Target
from hazboost.data.ties import are_coarse, count_times, typical_jump
from hazboost.training.diagnostics import SMALL_ERROR, STANDARD_ERRORS, Diagnostics
from hazboost.utils.warn import warn_caller

#: A loss that rose by less, relative to its size, counts as unchanged: sampled rows make it fluctuate.
WORSE = 1e-3
#: Ties among so many rows, or a few more, say enough about those of all.
ENOUGH_ROWS = 200_000
#: Expected and observed events that differ by less than this share are no sign of a poor fit.
SMALL_DIFFERENCE = 0.2


def check_can_stop(metric: str, target: Target) -> None:
    """Refuse to stop on a metric that the validation data do not define."""
    from hazboost.metrics.concordance import harrell

    if metric != "concordance":
        return
    advice = "use stopping_metric='likelihood'"
    if target.interval.any() or target.has_several_rows:
        what = "intervals" if target.interval.any() else "several rows of one subject"
        raise ValueError(
            f"stopping_metric='concordance': the C-index needs one time for each subject, and y has {what}; {advice}."
        )
    if np.isnan(harrell(target, target.lower)):
        raise ValueError(
            "stopping_metric='concordance': the validation data have no comparable pair of subjects, so the C-index is "
            f"not defined on them; give a larger validation_fraction or eval_set, or {advice}."
        )


def advise_on_size(total: float, min_child_weight: float) -> None:
    """Warn where there are too few subjects for any split."""
    if total < 2.0 * min_child_weight:
        warn_caller(
            f"min_child_weight={min_child_weight:g}: no tree can be split, because each side of a split needs as many "
            f"subjects, and there are {total:.4g}; use a lower min_child_weight.",
            ConvergenceWarning,
        )


def advise_on_course(losses: list[float], rounds: int, kept: int, patience: int | None) -> bool:
    """Warn where training went the wrong way, or not far enough; return whether it did.

    Parameters
    ----------
    losses : list of float
        Training loss; the first is that of the start.
    rounds, kept : int
        Rounds that were allowed, and that were kept.
    patience : int or None
        Rounds without improvement after which training was to stop.
    """
    rise = losses[kept] - losses[0]  # the same in every unit of time
    if rise > WORSE * max(1.0, abs(losses[0])):
        warn_caller(
            f"training made the loss worse: the mean negative log-likelihood rose by {rise:.4g}; use a lower "
            "learning_rate.",
            ConvergenceWarning,
        )
        return True
    if patience is not None and kept == rounds > patience:
        warn_caller(
            f"the validation metric was still improving after all {rounds} rounds; use a larger n_estimators.",
            ConvergenceWarning,
        )
        return True
    return False


def advise_on_ties(target: Target) -> None:
    """Warn where many events share few recorded times, which the likelihood would take for exact ones."""
    target = target[:: ceil(len(target) / ENOUGH_ROWS)]
    if not are_coarse(target):
        return
    events, times, jump = int(target.event.sum()), count_times(target), typical_jump(target)
    if target.has_several_rows:
        advice = "Record finer times, or draw each at random within its period, after the start of its row."
    elif target.n_causes > 1:
        advice = f"Record finer times, or draw each at random within its period: y = {RANDOM_TIMES}."
    else:
        entry = ", entry=entry" if target.entry.any() else ""
        advice = (
            f'Use y = Surv.rounded(event, time, to="visit"{entry}) if events were found at visits, to="up" if times '
            'are the ends of periods, to="down" if they are completed periods, and to="nearest" if they were rounded.'
        )
    warn_caller(
        f"y: {events} events share only {times} distinct time{'s' * (times > 1)}. Taken as exact, they make the "
        f"predicted survival wrong by up to about {jump:.1g}. {advice}",
        UserWarning,
    )


def advise_on_fit(diagnostics: Diagnostics, target: Target, *, fitted_start: bool) -> None:
    """Warn where a model does not describe the data that it was fitted to.

    Parameters
    ----------
    diagnostics : dict
        From `hazboost.training.diagnostics.diagnose`.
    target : Target
        What was observed, in the user's unit of time.
    fitted_start : bool
        Whether the start was a fit; if not, training may just have been too short.
    """
    found = describe_poor_fit(diagnostics)
    if found is None:
        return
    if not fitted_start:
        warn_caller(
            f"training has not converged: {found}. Use a larger n_estimators or learning_rate, or begin with a "
            "fit, init='linear'.",
            ConvergenceWarning,
        )
        return
    bounds = "".join(f"; {text}" for text in diagnostics["at_bounds"])
    warn_caller(
        f"the fitted curves are poor: {found}. Check for outlying times (median event time "
        f"{target.event_quantile(0.5):.4g}, longest follow-up {target.longest:.4g}{bounds}), and try other heads, such "
        "as heads={'bounded': 2}; diagnostics_ has the numbers. If nothing helps, rely on the ranking of "
        "subjects and not on their curves.",
        ConvergenceWarning,
    )


def describe_poor_fit(diagnostics: Diagnostics) -> str | None:
    """What is wrong, if anything."""
    error, noise = diagnostics["survival_error"], STANDARD_ERRORS * diagnostics["standard_error"]
    if error > max(SMALL_ERROR, noise):  # False where the error is NaN
        return (
            f"at time {diagnostics['survival_error_time']:.4g} a survival of {diagnostics['expected_survival']:.2f} is "
            f"expected, and Kaplan-Meier is {diagnostics['kaplan_meier']:.2f}"
        )
    expected, observed = diagnostics["expected_events"], diagnostics["observed_events"]
    if abs(expected - observed) > max(SMALL_DIFFERENCE * observed, STANDARD_ERRORS * np.sqrt(max(observed, expected))):
        subjects = f"{diagnostics['subjects_compared']:,} subjects"
        return f"{expected:.4g} events of {subjects} are expected, and {observed:.4g} were observed"
    return None
