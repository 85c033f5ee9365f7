"""How far a study is, and how long it will still take."""

from __future__ import annotations

import sys
import time as clock
from datetime import timedelta
from typing import TextIO

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

    def advance(self, name: str, outcome: str, spent: float, left: float, *, failed: bool = False) -> None:
        """Report a cell.

        Parameters
        ----------
        name, outcome : str
            The cell and its result in a few words.
        spent, left : float
            Seconds of this cell, and expected seconds of the cells to come.
        failed : bool
            Whether it ended with an error.
        """
        self.count += 1
        self.spent += spent
        self.errors += failed
        elapsed = clock.monotonic() - self.began
        pace = elapsed / self.spent if self.spent > 0.0 else 0.0
        times = f"{_hours(elapsed)} gone, {_hours(pace * left)} left"
        errors = f", {self.errors} errors" if self.errors else ""
        if self.stream.isatty():
            filled = round(WIDTH * self.count / self.total)
            bar = "█" * filled + "░" * (WIDTH - filled)
            self.stream.write(f"\r{bar} {self.count}/{self.total}  {times}{errors}  {name}\x1b[K")
        else:
            self.stream.write(f"{self.count}/{self.total}  {name:40}  {outcome}  {times}{errors}\n")
        self.stream.flush()

    def close(self) -> None:
        """End the line of the bar."""
        if self.count and self.stream.isatty():
            self.stream.write("\n")


def _hours(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
