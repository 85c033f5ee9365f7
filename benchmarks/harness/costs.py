"""Expected seconds of cells, from the cells that were run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from statistics import fmean
from typing import Any

#: Seconds per row before any cell was run.
FIRST_GUESS = 1e-3


class Costs:
    """Seconds that a cell will take.

    The mean over the cells of the same data and model; before there is one, the mean seconds per row of the model on
    other data, or of all models.

    Parameters
    ----------
    rows : mapping
        The ``data`` of a cell -> number of rows. Cells of other data are not learned from.
    """

    def __init__(self, rows: Mapping[Hashable, float]) -> None:
        self._rows = rows
        self._seconds: dict[tuple[Hashable, str], list[float]] = defaultdict(list)
        self._per_row: dict[str | None, list[float]] = defaultdict(list)

    def learn(self, cell: Any, seconds: float) -> None:
        """Take note of what a cell took."""
        if seconds > 0.0 and cell.data in self._rows:
            self._seconds[cell.data, cell.model].append(seconds)
            for model in (cell.model, None):
                self._per_row[model].append(seconds / self._rows[cell.data])

    def of(self, cell: Any) -> float:
        """Expected seconds of a cell."""
        if known := self._seconds.get((cell.data, cell.model)):
            return fmean(known)
        per_row = self._per_row.get(cell.model) or self._per_row.get(None) or [FIRST_GUESS]
        return fmean(per_row) * self._rows[cell.data]
