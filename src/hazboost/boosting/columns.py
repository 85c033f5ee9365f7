"""The outcome of each row as columns that any engine can carry.

Objectives read the outcome from the engine's data only, never from a closure over arrays: the same objective then
works wherever the rows are.
"""

from __future__ import annotations

import numpy as np

from hazboost.data.target import Target
from hazboost.engines.base import Columns
from hazboost.utils.arrays import Array


def target_columns(target: Target) -> dict[str, Array]:
    """``lower``, ``upper`` and, only where they say something, ``weight``, ``entry`` and ``portion``.

    For an observed event ``upper`` equals ``lower``, so its place holds minus the cause instead. Engines may keep
    single precision, in which an interval must not collapse to a point. The weight is that of the row as a part of its
    subject, because engines also use it to count rows when they bin features.
    """
    upper = target.upper
    if target.interval.any():
        beyond = np.nextafter(target.lower.astype(np.float32), np.float32(np.inf))
        upper = np.where(target.interval, np.maximum(upper, beyond), upper)
    upper = np.where(target.event, -target.cause, upper)
    columns = {"lower": target.lower, "upper": upper}
    if not (target.mass == 1.0).all():
        columns["weight"] = target.mass
    if target.entry.any() or not (target.portion == 1.0).all():
        columns |= {"entry": target.entry, "portion": target.portion}
    return columns


def read_target(columns: Columns) -> Target:
    """The inverse of `target_columns`, up to the engine's precision; but every row is a subject of its own."""
    lower, upper = columns["lower"], columns["upper"]
    event, one = upper < 0.0, np.ones_like(lower)
    portion = columns.get("portion", one)
    return Target(
        lower,
        np.where(event, lower, upper),
        columns.get("weight", one) / portion,
        columns.get("entry", np.zeros_like(lower)),
        np.where(event, -upper, 0.0).astype(np.intp),
        np.arange(len(lower)),
        portion,
    )
