"""How many rows are done, on standard error."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self


class Rows:
    """Counts rows, and shows their number where standard error is a terminal."""

    def __init__(self) -> None:
        self.done, self.draw = 0, sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.draw and self.done:
            sys.stderr.write("\n")

    def advance(self, rows: int) -> None:
        """Count further rows."""
        self.done += rows
        if self.draw:
            sys.stderr.write(f"\r{self.done} rows")
            sys.stderr.flush()
