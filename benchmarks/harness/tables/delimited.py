"""All tables as one CSV file: a line for each entry, unrounded, to be read by programs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from benchmarks.harness.tables.table import Entry, Table

_HEADER = (
    "table", "row", "column", "value", "half_width", "rank", "coverage", "published", "published_half_width", "note",
)  # fmt: skip


def to_csv(tables: Iterable[Table]) -> str:
    """The entries of all tables; a heading of a table stands before the labels below it, after a colon."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(_HEADER)
    for table in tables:
        heading = ""
        for row in table.rows:
            if not row.entries:
                heading = f"{row.label}: "
            for column, entry in zip(table.columns, row.entries, strict=False):
                writer.writerow([table.name, heading + row.label, column, *_values(entry)])
    return buffer.getvalue()


def _values(entry: Entry) -> list[str]:
    published = entry.published
    return [
        entry.text or _decimal(entry.value),
        _decimal(entry.half_width),
        str(entry.rank or ""),
        entry.coverage,
        "" if published is None else str(published.mean),
        "" if published is None or published.half_width is None else str(published.half_width),
        entry.note,
    ]


def _decimal(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
