r"""Cumulative incidences of competing causes, as nodes of a graph.

:math:`\int_0^t S \, dH_c` has no closed form. `hazboost.hazards.distribution` halves panels until the integral is
accurate; a graph has a fixed number of operators. It moves a fixed number of points in log-time instead, twice, to
where S falls. Between two points the integral is that of a cause with a constant share of the hazard, which is exact
where it has one and bounded where not; panels of several widths remove most of the error that is left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add

import numpy as np

from hazboost.hazards.distribution import LOG_TIME_RANGE
from hazboost.onnx.tracing import TracedArray

#: Log-times before the one asked for at which the first points lie, and the number of points after each move.
SCOUTS = -np.append(np.geomspace(1400.0, 0.02, 80), 0.0)
MOVES = (65, 65)
#: Panels into which each interval between two points is cut.
PANELS = 4
#: Share of the points that is spread evenly over those before; the others follow S.
EVEN = 0.05

#: Cumulative hazards of each cause, of shape (n, times), at log-times of shape (n, times) or (1, times).
Hazards = Callable[[TracedArray], list[TracedArray]]


def cumulative_incidences(hazards: Hazards, log_t: TracedArray) -> list[TracedArray]:
    """Probabilities of an event of each cause, of shape (n, times), by log-times of shape (1, times)."""

    def at(points: TracedArray, count: int) -> list[TracedArray]:
        """Hazards at log-times of shape (n, times, points), or (1, times, points)."""
        return [one.reshape(0, -1, count) for one in hazards(points.reshape(0, -1))]

    points, count = np.clip(log_t[..., None] + SCOUTS, *LOG_TIME_RANGE), len(SCOUTS)
    for wanted in MOVES:
        points, count = _move(points, reduce(add, at(points, count)), count, wanted), wanted
    fine = points[..., :-1, None] + (points[..., 1:, None] - points[..., :-1, None]) * (np.arange(PANELS) / PANELS)
    fine = np.concatenate([fine.reshape(0, 0, (count - 1) * PANELS), points[..., -1:]], axis=-1)
    parts = at(fine, (count - 1) * PANELS + 1)
    total = reduce(add, parts)
    return [_early(total[..., 0], one[..., 0]) + _integral(total, one) for one in parts]


def _move(points: TracedArray, hazard: TracedArray, count: int, wanted: int) -> TracedArray:
    """So many points, close to one another where S falls.

    Fourth roots of what S has fallen, and of what it has still to fall, bring points also to its first and last falls.
    """
    fallen, left = -np.expm1(-hazard), np.exp(-hazard) - np.exp(-hazard[..., -1:])
    whole = np.maximum(fallen[..., -1:], np.finfo(float).tiny)
    roots = np.sqrt(np.sqrt(fallen / whole)) - np.sqrt(np.sqrt(np.maximum(left / whole, 0.0)))
    progress = 0.5 * (1.0 - EVEN) * (roots - roots[..., :1]) + EVEN * np.linspace(0.0, 1.0, count)
    points = points + np.zeros_like(progress)
    goal = progress[..., -1:] * np.linspace(0.0, 1.0, wanted)
    place = np.zeros_like(goal)
    for step in 2 ** np.arange(int(np.log2(count)), -1, -1):  # a search by halves in the progress, which rises
        next_place = np.minimum(place + float(step), count - 2.0)
        place = np.where(_take(progress, next_place) <= goal, next_place, place)
    begin, end = _take(progress, place), _take(progress, place + 1.0)
    share = np.clip((goal - begin) / (end - begin), 0.0, 1.0)
    before, after = _take(points, place), _take(points, place + 1.0)
    return before + (after - before) * share


def _take(values: TracedArray, place: TracedArray) -> TracedArray:
    """Values by their places on the last axis."""
    return values.node("GatherElements", place.astype(np.int64), axis=-1)


def _early(total: TracedArray, part: TracedArray) -> TracedArray:
    """Incidence by the first point, where S is practically 1: 1 - S is divided like the cumulative hazard."""
    some = total > 0.0
    return np.where(some, -np.expm1(-total) * (part / np.where(some, total, 1.0)), 0.0)


def _integral(total: TracedArray, part: TracedArray) -> TracedArray:
    """The integral over all panels, extrapolated from panels of three widths as by Romberg."""
    wide, middle, narrow = (_sum(total[..., ::step], part[..., ::step]) for step in (4, 2, 1))
    return np.maximum((64.0 * narrow - 20.0 * middle + wide) / 45.0, 0.0)


def _sum(total: TracedArray, part: TracedArray) -> TracedArray:
    """Sum over panels, in each of which the cause has its mean share of the fall of S."""
    rise = total[..., 1:] - total[..., :-1]
    some = rise > 0.0
    share = np.where(some, (part[..., 1:] - part[..., :-1]) / np.where(some, rise, 1.0), 0.0)
    fall = np.exp(-total[..., :-1]) * -np.expm1(-rise)
    return (share * fall).sum(-1)
