"""What a measurement would take, from smaller numbers of rows; and why it is not made."""

from __future__ import annotations

from dataclasses import replace
from math import log

from benchmarks.studies.speed.cells import Cell, Lines, is_measured, median_of
from benchmarks.studies.speed.process import Limits

#: Seconds of a fit that is measured once, whatever the number of repeats.
LONG = 120.0
#: GiB of an interpreter with its packages, which do not grow with the rows.
PACKAGES = 0.2


def reason_to_skip(cell: Cell, lines: Lines, limits: Limits) -> str | None:
    """Why a cell is not measured: it would exceed the limits, or fewer rows have done so already."""
    if failed := _failed_below(cell, lines):
        return failed
    seconds = extrapolate(_known(cell, lines, "fit_seconds"), cell.rows)
    if seconds is not None and seconds > limits.seconds:
        return f"would take about {seconds / 60:.0f} minutes"
    memory = extrapolate({n: max(gib - PACKAGES, 0.0) for n, gib in _known(cell, lines, "peak_gib").items()}, cell.rows)
    if memory is not None and memory + PACKAGES > limits.memory:
        return f"would take about {memory + PACKAGES:.0f} GiB"
    return None


def is_long(cell: Cell, lines: Lines) -> bool:
    """Whether an earlier repeat of the cell took so long that there is no other."""
    earlier = [replace(cell, repeat=repeat) for repeat in range(cell.repeat)]
    return any(lines[one].get("fit_seconds", 0.0) > LONG for one in earlier if one in lines)


def extrapolate(known: dict[int, float], rows: int) -> float | None:
    """Continue the power law through the two largest numbers of rows; at least in proportion to the rows.

    Examples
    --------
    >>> extrapolate({1_000: 1.0}, 10_000), extrapolate({1_000: 1.0, 10_000: 100.0}, 20_000), extrapolate({}, 100)
    (10.0, 400.0, None)
    """
    if not known:
        return None
    largest = max(known)
    exponent = 1.0
    smaller = max((n for n in known if n < largest and known[n] > 0.0), default=None)
    if smaller is not None and known[largest] > 0.0:
        exponent = max(1.0, log(known[largest] / known[smaller]) / log(largest / smaller))
    return round(known[largest] * float((rows / largest) ** exponent), 4)


def _known(cell: Cell, lines: Lines, field: str) -> dict[int, float]:
    """Medians of a field for fewer rows."""
    found = {n: median_of(lines, replace(cell, rows=n), field) for n in _fewer_rows(cell, lines)}
    return {n: value for n, value in found.items() if value is not None}


def _failed_below(cell: Cell, lines: Lines) -> str | None:
    for n in _fewer_rows(cell, lines):
        line = lines.get(replace(cell, rows=n, repeat=0))
        if line is not None and not is_measured(line):
            return f"{n:,} rows: {line.get('skipped') or line['error'].strip().splitlines()[-1]}"
    return None


def _fewer_rows(cell: Cell, lines: Lines) -> list[int]:
    return sorted({other.rows for other in lines if other.rows < cell.rows and _is_alike(other, cell)})


def _is_alike(one: Cell, other: Cell) -> bool:
    return replace(one, rows=0, repeat=0) == replace(other, rows=0, repeat=0)
