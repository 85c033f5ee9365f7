"""Where the scores start: one value for each score, the same for every subject.

Every start gives every subject a positive hazard: parameters and weights are drawn, fitted or bounded away from
zero. (The paper's text draws ``k ~ N(0, 2)``; with ReLU, half of the heads would start at zero, without a gradient.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq, least_squares

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.observed import Observed
from hazboost.data.condense import as_if_only, condense, events_by_cause
from hazboost.data.nonparametric import kaplan_meier
from hazboost.data.target import Target
from hazboost.hazards.heads import Head
from hazboost.hazards.heads.base import VALUE
from hazboost.hazards.mixture import SMALLEST_TIME, Mixture, log_time
from hazboost.training.marginal import ENOUGH_TIMES, equal_weights, for_all, guess, lay_out, marginal_start
from hazboost.utils.arrays import Array

#: The smallest shape and weight that a random draw may give.
SMALLEST_DRAW = 1e-3
#: Range of the log-parameters in a fit to a curve, by role.
CURVE_RANGES = {"scale": (-25.0, 25.0), "shape": (-3.0, 3.0)}
#: Points of that of the scales between which a number of expected events is searched: steps of a factor e.
ROOT_POINTS = 51
#: Random values of the authors' code, from uniform draws on (0, 1), by role.
DRAWS: dict[str, Callable[[Array], Array]] = {
    "scale": lambda draw: draw + 0.5,
    "shape": lambda draw: np.maximum(2.0 * draw, SMALLEST_DRAW),
}


def random_start(mixture: Mixture, target: Target, rng: np.random.Generator) -> Array:
    """Draw ``eta ~ U(0.5, 1.5)``, ``k ~ U(0, 2)`` and the weights' scores ``~ U(0, 1)``, as the authors' code does.

    The draws are made in the authors' order, so that the same seed gives the same start.
    """
    draws = [rng.random(mixture.n_heads) for _ in range(max(len(block.head.parameters) for block in mixture.blocks))]
    # One draw for each head even where weights have fewer scores, as in the authors' code.
    weights = np.maximum(rng.random(max(mixture.n_heads, mixture.n_weight_scores)), SMALLEST_DRAW)
    logs = [
        [np.log(DRAWS[one.role](draw[block.heads])) for one, draw in zip(block.head.parameters, draws, strict=False)]
        for block in mixture.blocks
    ]
    return lay_out(mixture, logs, weights)


def kaplan_meier_start(mixture: Mixture, target: Target, rng: np.random.Generator) -> Array:
    """Fit each family to the Kaplan-Meier curve and spread its heads around: ``N(eta, eta/10)``, ``N(k, k/10)``.

    The heads have equal weights, so that together they follow the curve. Each cause has a curve of its own, for which
    events of the others are censoring. An event in an interval counts at its middle.
    """
    curves = [_curve(target, cause, mixture.n_causes) for cause in range(1, mixture.n_causes + 1)]
    logs = []
    for block in mixture.blocks:
        fitted = fit_to_curve(block.head, *curves[block.cause - 1])
        # Identical heads would have identical gradients and never differ.
        spreads = [np.maximum(1.0 + 0.1 * rng.standard_normal(block.count), 0.1) for _ in fitted]
        logs.append([log_value + np.log(spread) for log_value, spread in zip(fitted, spreads, strict=True)])
    return lay_out(mixture, logs, equal_weights(mixture))


def _curve(target: Target, cause: int, n_causes: int) -> tuple[Array, Array]:
    """The Kaplan-Meier curve of one cause; one that falls by half an event in all where there was none."""
    only = as_if_only(target, cause, n_causes)
    time, survival = kaplan_meier(only)
    if len(time):
        return time, survival
    longest = np.array([target.longest])
    return longest, np.exp(-0.5 * longest / only.exposure)


def fit_to_curve(head: Head, time: Array, survival: Array) -> Array:
    """Log-parameters of the head whose survival curve is closest, in least squares, to the given one."""
    log_t = log_time(time)

    def residual(log_parameters: Array) -> Array:
        return np.exp(-head.evaluate(log_t, *log_parameters).cumulative) - survival

    def slopes(log_parameters: Array) -> Array:
        at = head.evaluate(log_t, *log_parameters)
        return np.stack([-np.exp(-at.cumulative) * slope for slope in at.cumulative_slopes], axis=1)

    # Least squares on survival, not on H, because H of the Kaplan-Meier curve is infinite after the last event.
    bounds = np.array([CURVE_RANGES[parameter.role] for parameter in head.parameters]).T
    fitted: Array = least_squares(residual, np.zeros(len(head.parameters)), jac=slopes, bounds=bounds).x
    return fitted


def with_background_hazard(mixture: Mixture, scores: Array, target: Target) -> Array:
    """Scores in which every cause without an event has the hazard of `half_an_event`."""
    absent = absent_causes(mixture, target)
    if not any(absent):
        return scores
    calm, parts = half_an_event(mixture.one_cause, target), zip(mixture.by_cause(scores), absent, strict=True)
    return mixture.join_causes([calm if none else part for part, none in parts])


def absent_causes(mixture: Mixture, target: Target) -> list[bool]:
    """For each cause, whether it has no event."""
    if mixture.n_causes == 1:
        return [not target.has_events]
    return [events == 0.0 for events in events_by_cause(target, mixture.n_causes).tolist()]


def half_an_event(mixture: Mixture, target: Target) -> Array:
    """Scores of a single cause with which half an event is expected in all the follow-up, whatever the families.

    It is Jeffreys' estimate after no event, of which the likelihood would make a hazard of zero.
    """
    logs, without_events = mixture.with_log_link, np.full(len(target), np.inf)
    exposure = condense(Target.of(target.middle, without_events, target.weight, entry=target.entry), ENOUGH_TIMES)
    observed, rate = Observed.of(exposure, 1), np.array([0.5 / target.exposure])
    quiet = guess(mixture, rate, target)
    scales = mixture.of_role("scale")

    def too_many(shift: float) -> float:
        scores = for_all(quiet + shift * scales, len(exposure))
        expected = float(exposure.weight @ row_loss(logs, scores, observed, VALUE).value)
        return float(np.log(2.0 * max(expected, SMALLEST_TIME)))

    return mixture.scores_of_logs(quiet + _first_root(too_many, *CURVE_RANGES["scale"]) * scales)


def _first_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that rises from below zero first reaches it; where it is largest, if it never does.

    With heads of a bounded cumulative hazard, what is expected after a delayed entry rises with their scales and then
    falls, because all of it has come before.
    """
    points = np.linspace(low, high, ROOT_POINTS).tolist()
    above = next((point for point in points if function(point) >= 0.0), None)
    return max(points, key=function) if above is None else float(brentq(function, low, above))


StartRule = Callable[[Mixture, Target, np.random.Generator], Array]

STARTS: dict[str, StartRule] = {
    "random": random_start,
    "km": kaplan_meier_start,
    "marginal": marginal_start,
}
