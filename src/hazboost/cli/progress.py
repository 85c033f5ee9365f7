"""How many rows are done, on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from hazboost.utils.progress import draw_line


class Rows:
    """Counts rows, and shows where standard error is a terminal how far it is: a bar if the end is known."""

    def __init__(self) -> None:
        self.done, self.draw = 0, sys.stderr.isatty()
        self.share: float | None = None
        self.began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.draw and self.done:
            sys.stderr.write("\n")

    def reach(self, share: float | None) -> None:
        """Take note of the share of the table that has been read; None if nobody knows."""
        self.share = share

    def advance(self, rows: int) -> None:
        """Count further rows."""
        self.done += rows
        if not self.draw:
            return
        if self.share is None:
            sys.stderr.write(f"\r{self.done} rows")
            sys.stderr.flush()
        else:
            draw_line(min(self.share, 1.0), f"{self.done} rows", time.monotonic() - self.began)
