"""What was observed of each subject: one internal target, made at one door from every accepted ``y``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hazboost.arrays import Array, Mask, as_numbers

#: Sample weights outside would be lost in the trees' single precision.
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-15, 1e15


@dataclass(frozen=True)
class Target:
    """When the event happened: at some time in ``[lower, upper]``.

    Attributes
    ----------
    lower : array of shape (n,)
        Last time at which the subject is known to be without event.
    upper : array of shape (n,)
        Equal to ``lower`` where the event was seen, infinite where the subject was censored.
    weight : array of shape (n,)
        Weight of the row in the likelihood.
    """

    lower: Array
    upper: Array
    weight: Array

    @property
    def event(self) -> Mask:
        """Where the event was seen."""
        seen: Mask = self.lower == self.upper
        return seen

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, rows: Any) -> Target:
        return Target(self.lower[rows], self.upper[rows], self.weight[rows])

    def scaled(self, unit: float) -> Target:
        """The same observations with time measured in ``unit``."""
        return replace(self, lower=self.lower / unit, upper=self.upper / unit)

    def without_events_at_zero(self) -> Target:
        """Move events at time zero to half the smallest positive time.

        A hazard at zero is 0 or infinite for most families, so an event there has no likelihood. It was
        recorded at zero because time is counted in units, and the event came within the first one.
        A subject *censored* at zero tells nothing and stays: ``H(0) = 0``.
        """
        at_zero = self.event & (self.lower == 0.0)
        if not at_zero.any():
            return self
        moved = np.where(at_zero, 0.5 * self.lower[self.lower > 0.0].min(), self.lower)
        return replace(self, lower=moved, upper=np.where(self.event, moved, self.upper))


def condense(target: Target, size: int) -> Target:
    """Merge rows of nearly the same time until about ``size`` are left of each kind, events and censored.

    What is fitted without features sees times only, and a few thousand of them say as much as a million.
    """
    parts = [_merge(target[rows], size) for rows in (target.event, ~target.event) if rows.any()]
    return Target(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("lower", "upper", "weight")))


def _merge(target: Target, size: int) -> Target:
    """Replace runs of neighbouring times of one kind by their weighted means."""
    if len(target) <= size:
        return target
    ordered = target[np.argsort(target.lower, kind="stable")]
    first = np.linspace(0, len(target), size, endpoint=False).astype(np.intp)
    weight = np.add.reduceat(ordered.weight, first)
    lower = np.add.reduceat(ordered.weight * ordered.lower, first) / weight
    return Target(lower, np.where(np.isinf(ordered.upper[first]), np.inf, lower), weight)


def as_target(y: Any, sample_weight: Any = None, *, name: str = "y") -> Target:
    """Check ``y`` and turn it into a `Target`.

    Parameters
    ----------
    y : structured array, DataFrame, or pair of arrays
        A structured array as in scikit-survival, whose first field is the event and whose second field is
        the time, under any names; a DataFrame with the columns ``event`` and ``time``, or with two columns in
        that order; or a pair ``(event, time)``. A `Target`, such as the rows of one that was made here, is passed on.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows; one each, or those of a `Target`, by default.
    name : str
        What to call the argument in an error.
    """
    if isinstance(y, Target):
        return y if sample_weight is None else replace(y, weight=_check_weight(sample_weight, len(y)))
    event, time = _split(y, name)
    event, time = _check_event(event, name), _check_time(time, name)
    if len(event) != len(time):
        raise ValueError(f"{name}: {len(event)} events but {len(time)} times; both need one value per subject.")
    if len(time) == 0:
        raise ValueError(f"{name} is empty: at least one subject is needed.")
    return Target(time, np.where(event, time, np.inf), _check_weight(sample_weight, len(time)))


def check_informative(target: Target, name: str = "y") -> None:
    """Refuse a target from which no hazard can be learned."""
    if not target.weight.any():
        raise ValueError("sample_weight is zero for every subject; at least one must be positive.")
    if not (target.event & (target.weight > 0.0)).any():
        raise ValueError(
            f"{name} has no event: all {len(target)} subjects are censored (or have weight 0). At least one event is "
            "needed; check that the event indicator is the first field and True means that the event happened."
        )
    if not (target.lower > 0.0).any():
        raise ValueError(f"{name}: all observed times are 0; at least one must be positive.")


def _split(y: Any, name: str) -> tuple[Any, Any]:
    """Find the event and the time in any accepted form of ``y``."""
    expected = "a structured array (event, time), a DataFrame with columns event and time, or a pair (event, time)"
    fields = getattr(getattr(y, "dtype", None), "names", None)
    if fields is not None:
        if len(fields) != 2:
            raise ValueError(f"{name} must have two fields, event and time; got {len(fields)}: {', '.join(fields)}.")
        return y[fields[0]], y[fields[1]]
    if hasattr(y, "columns"):
        columns = list(y.columns)
        if {"event", "time"} <= set(columns):
            return y["event"], y["time"]
        if len(columns) != 2:
            raise ValueError(
                f"{name} must have the columns event and time, or two columns in that order; got {columns}."
            )
        return y[columns[0]], y[columns[1]]
    if isinstance(y, tuple | list) and len(y) == 2 and np.ndim(y[0]) == 1:
        return y[0], y[1]
    if y is None:
        raise ValueError(f"{name} must be {expected}; FPBoost requires y to be passed, but the target y is None.")
    shape = f" of shape {np.shape(y)}" if hasattr(y, "shape") else ""
    raise ValueError(f"{name} must be {expected}; got {type(y).__name__}{shape}.")


def _check_event(event: Any, name: str) -> Mask:
    values = np.asarray(event)
    if values.ndim != 1:
        raise ValueError(f"{name}: the event must be one-dimensional; got shape {values.shape}.")
    if values.dtype == bool:
        return values
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: the event must be boolean or 0/1; got values of type {values.dtype}.") from error
    wrong = ~np.isin(numbers, (0.0, 1.0))
    if wrong.any():
        raise ValueError(
            f"{name}: the event must be boolean or 0/1; got {_examples(values, wrong)}. "
            "The event comes first and the time second."
        )
    happened: Mask = numbers == 1.0
    return happened


def _check_time(time: Any, name: str) -> Array:
    kind = str(getattr(time, "dtype", ""))
    if kind.startswith(("datetime", "timedelta", "Date", "Duration", "Time")):
        raise ValueError(f"{name}: the time must be a number, in a unit of your choice; got dtype {kind}.")
    values = as_numbers(time, f"{name}: the time")
    if values.ndim != 1:
        raise ValueError(f"{name}: the time must be one-dimensional; got shape {values.shape}.")
    for wrong, what in ((~np.isfinite(values), "finite"), (values < 0.0, "non-negative")):
        if wrong.any():
            raise ValueError(f"{name}: every time must be {what}; got {_examples(values, wrong)}.")
    return values


def _check_weight(sample_weight: Any, n: int) -> Array:
    if sample_weight is None:
        return np.ones(n)
    weight = as_numbers(sample_weight, "sample_weight")
    if weight.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), one value per subject; got {weight.shape}.")
    wrong = ~np.isfinite(weight) | (weight < 0.0)
    if wrong.any():
        raise ValueError(f"sample_weight must be finite and non-negative; got {_examples(weight, wrong)}.")
    extreme = (weight > 0.0) & ((weight < SMALLEST_WEIGHT) | (weight > LARGEST_WEIGHT))
    if extreme.any():
        raise ValueError(
            f"sample_weight must be 0 or between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}; "
            f"got {_examples(weight, extreme)}."
        )
    return weight


def _examples(values: npt.NDArray[Any], wrong: Mask) -> str:
    """Name the first offenders: ``-1.0 (row 3), nan (row 7) and 2 more``."""
    rows = np.flatnonzero(wrong)
    named = ", ".join(f"{values[row]} (row {row})" for row in rows[:3])
    return named if len(rows) <= 3 else f"{named} and {len(rows) - 3} more"
