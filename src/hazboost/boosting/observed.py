"""What was observed, as the likelihood needs it: computed once for all rounds, in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hazboost.data.target import Target
from hazboost.hazards.mixture import log_time
from hazboost.utils.arrays import Array, Indices, Mask
from hazboost.utils.memory import keep_freed_memory


class Kind(NamedTuple):
    """Rows of which the same was observed, with one number for each row in every column.

    Attributes
    ----------
    late, between : bool
        Whether they enter after time zero, and whether their event lies in an interval.
    rows : array of int
        Their positions.
    columns : mapping of str to array
        The fields of `Observed`; ``event_1`` and so on for the causes.
    """

    late: bool
    between: bool
    rows: Indices
    columns: Mapping[str, Array | Mask]


@dataclass(frozen=True)
class Observed:
    """Logarithms of times, and which rows need more than the hazard until ``lower``.

    Attributes
    ----------
    log_lower : array of shape (n,)
        Logarithm of the last time without event.
    ends_at_zero : array of bool of shape (n,), or None
        Rows that end at time zero, where ``H(0) = 0``; None without such rows.
    event : tuple of arrays of shape (n,)
        For each cause 1.0 where its event was observed, and 0.0 elsewhere.
    exposure : array of shape (n,)
        Time at risk.
    late : array of int
        Rows that enter after time zero; ``log_entry`` has the logarithms of their entries.
    between : array of int
        Rows whose event lies in an interval; ``log_upper`` has the logarithms of the ends and ``length`` the lengths of
        the intervals, and ``from_zero`` says which of them begin at zero.
    weight : array of shape (n,), or None
        Weights of the rows; None where all are 1.
    portion : array of shape (n,)
        The row's part of its subject.
    """

    log_lower: Array
    ends_at_zero: Mask | None
    event: tuple[Array, ...]
    exposure: Array
    late: Indices
    log_entry: Array
    between: Indices
    log_upper: Array
    length: Array
    from_zero: Mask
    weight: Array | None
    portion: Array

    @classmethod
    def of(cls, target: Target, n_causes: int) -> Observed:
        """Prepare the rows of a target, in the mixture's unit of time."""
        keep_freed_memory()  # of which likelihoods make much
        seen = target.lower > 0.0
        late, between = np.flatnonzero(target.entry > 0.0), np.flatnonzero(target.interval)
        return cls(
            log_lower=log_time(target.lower),
            ends_at_zero=None if seen.all() else ~seen,
            event=tuple(((target.cause == cause) & seen).astype(np.float64) for cause in range(1, n_causes + 1)),
            exposure=target.lower - target.entry,
            late=late,
            log_entry=log_time(target.entry[late]),
            between=between,
            log_upper=log_time(target.upper[between]),
            length=(target.upper - target.lower)[between],
            from_zero=target.lower[between] == 0.0,
            weight=None if (target.weight == 1.0).all() else target.weight,
            portion=target.portion,
        )

    def __len__(self) -> int:
        return len(self.log_lower)

    @cached_property
    def kinds(self) -> tuple[Kind, ...]:
        """The rows by what was observed of them."""
        n = len(self)
        late, between = np.isin(np.arange(n), self.late), np.isin(np.arange(n), self.between)
        groups = ((x, y, np.flatnonzero((late == x) & (between == y))) for x in (False, True) for y in (False, True))
        return tuple(Kind(x, y, rows, self._columns(x, y, rows)) for x, y, rows in groups if len(rows))

    def _columns(self, late: bool, between: bool, rows: Indices) -> dict[str, Array | Mask]:
        """Columns of some rows, of one kind."""
        everywhere = {
            "log_lower": self.log_lower,
            "ends_at_zero": np.zeros(len(self), dtype=bool) if self.ends_at_zero is None else self.ends_at_zero,
            "exposure": self.exposure,
            "weight": np.ones(len(self)) if self.weight is None else self.weight,
            **{f"event_{cause}": event for cause, event in enumerate(self.event, start=1)},
        }
        columns = everywhere if len(rows) == len(self) else {name: one[rows] for name, one in everywhere.items()}
        if late:
            columns["log_entry"] = self.log_entry[np.searchsorted(self.late, rows)]
        if between:
            place = np.searchsorted(self.between, rows)
            columns |= {name: getattr(self, name)[place] for name in ("log_upper", "length", "from_zero")}
        return columns

    def total(self, loss: Array) -> float:
        """Weighted sum over the rows."""
        return float(loss.sum() if self.weight is None else self.weight @ loss)


@dataclass(frozen=True)
class Observations:
    """The rows of a target in blocks.

    Attributes
    ----------
    blocks : tuple of pairs (slice, Observed)
        The rows of each block, and what was observed of them.
    mass : float
        The weighted number of subjects.
    """

    blocks: tuple[tuple[slice, Observed], ...]
    mass: float

    @classmethod
    def of(cls, target: Target, n_causes: int, size: int) -> Observations:
        """Blocks of ``size`` rows."""
        return cls(tuple(_blocks(target, n_causes, size)), float(target.mass.sum()))

    def __len__(self) -> int:
        return sum(len(observed) for _, observed in self.blocks)


def _blocks(target: Target, n_causes: int, size: int) -> Iterator[tuple[slice, Observed]]:
    """At least one block, so that no rows give an empty result."""
    for first in range(0, max(len(target), 1), size):
        rows = slice(first, first + size)
        yield rows, Observed.of(target[rows], n_causes)
