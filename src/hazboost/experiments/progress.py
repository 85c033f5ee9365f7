"""How far a study is, and how long it will still take."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, TextIO

WIDTH = 24


class Progress:
    """A bar on a terminal, and a line for each cell elsewhere.

    Cells differ in what they cost by a factor of a thousand, so the time left is in proportion to the cost of the cells
    that are left, not to their number.

    Parameters
    ----------
    total : int
        Number of cells.
    stream : text stream
        Where to write; standard error if not given.
    """

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self.total = total
        self.stream = stream or sys.stderr
        self.began = clock.monotonic()
        self.count = self.errors = 0
        self.spent = 0.0

    def advance(self, line: Mapping[str, Any], spent: float, left: float) -> None:
        """Take note of the line of a cell, the seconds it has cost and those of the cells to come."""
        self.count += 1
        self.spent += spent
        self.errors += line["error"] is not None
        elapsed = clock.monotonic() - self.began
        pace = elapsed / self.spent if self.spent > 0.0 else 0.0
        times = f"{_hours(elapsed)} gone, {_hours(pace * left)} left"
        errors = f", {self.errors} errors" if self.errors else ""
        name = f"{line['dataset']} {line['variant']} {line['model']} {line['seed']}"
        if self.stream.isatty():
            filled = round(WIDTH * self.count / self.total)
            bar = "█" * filled + "░" * (WIDTH - filled)
            self.stream.write(f"\r{bar} {self.count}/{self.total}  {times}{errors}  {name}\x1b[K")
        else:
            self.stream.write(f"{self.count}/{self.total}  {name:40}  {_outcome(line)}  {times}{errors}\n")
        self.stream.flush()

    def close(self) -> None:
        """Leave the bar where it is."""
        if self.count and self.stream.isatty():
            self.stream.write("\n")


def _outcome(line: Mapping[str, Any]) -> str:
    if line["error"] is not None:
        return f"ERROR {line['error'].strip().splitlines()[-1]:.100}"
    return f"C {line['c_index']:.3f}  IBS {line['ibs']:.3f}  {line['seconds']:8.2f} s"


def _hours(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
