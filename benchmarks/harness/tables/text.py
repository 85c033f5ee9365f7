"""Tables for a terminal: columns that stand under each other."""

from __future__ import annotations

import textwrap

from benchmarks.harness.tables.table import Entry, Table

_MARKS = {1: " *", 2: " +"}


def to_text(table: Table) -> str:
    """The title, the table, the notes; ``*`` is the best of a column and ``+`` the second."""
    lines = [[table.corner, *(f"{column}  " for column in table.columns)]]
    lines += [[row.label, *map(_cell, row.entries)] for row in table.rows]
    widths = [max(len(line[column]) for line in lines if column < len(line)) for column in range(len(lines[0]))]
    parts = ["  ".join([line[0].ljust(widths[0]), *_right(line[1:], widths[1:])]).rstrip() for line in lines]
    rule = "-" * max(map(len, parts))
    notes = textwrap.wrap(" ".join(table.notes), 110)
    legend = ["*: best, +: second."] if table.is_ranked else []
    return "\n".join([table.title, rule, parts[0], rule, *parts[1:], rule, *legend, *notes]) + "\n"


def _right(cells: list[str], widths: list[int]) -> list[str]:
    return [cell.rjust(width) for cell, width in zip(cells, widths, strict=False)]


def _cell(entry: Entry) -> str:
    coverage = f" ({entry.coverage})" if entry.coverage else ""
    return f"{entry.number()}{coverage}{_MARKS.get(entry.rank, '  ')}"
