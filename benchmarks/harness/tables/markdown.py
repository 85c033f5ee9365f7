"""Tables as Markdown, and a page whose marked parts they fill."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from benchmarks.harness.tables.table import Entry, Table

#: A part of a page that is rendered: ``<!-- table: NAME -->`` ... ``<!-- end of table -->``.
_MARKED = re.compile(r"(<!-- table: (?P<name>\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def to_markdown(table: Table) -> str:
    """The title in bold, the table with published numbers under ours, the notes."""
    lines = [f"**{table.title}**", ""]
    if table.rows:
        rows = [
            [_escape(row.label), *map(_cell, row.entries)]
            if row.entries
            else [f"*{_escape(row.label)}*", *[""] * len(table.columns)]
            for row in table.rows
        ]
        lines += grid([table.corner, *table.columns], rows, words=len(table.columns) + 1 if table.is_text else 1)
    notes = [*table.notes, *table.legend("**Best**", "<ins>second</ins>", "<sub>small</sub>")]
    if notes:
        lines += ["", " ".join(notes)]
    return "\n".join(lines) + "\n"


def grid(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> list[str]:
    """The lines of a table; the first columns, as many as `words`, are aligned to the left, the others to the right.

    Examples
    --------
    >>> grid(["model", "C"], [["cox", "0.7"]])
    ['| model | C |', '| --- | ---: |', '| cox | 0.7 |']
    """
    rule = ["---" if column < words else "---:" for column in range(len(head))]
    return [_line(line) for line in (head, rule, *rows)]


def fill(page: str, tables: Iterable[Table]) -> str:
    """The page with the tables between their marks; a mark with a name that no table has is an error."""
    known = {table.name: table for table in tables}

    def render(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in known:
            raise ValueError(f"the page asks for the table {name!r}; there are {', '.join(sorted(known))}.")
        return f"{match[1]}\n{to_markdown(known[name])}\n{match[3]}"

    return _MARKED.sub(render, page)


def _cell(entry: Entry) -> str:
    number = _escape(entry.number())
    number = {1: f"**{number}**", 2: f"<ins>{number}</ins>"}.get(entry.rank, number)
    if entry.coverage:
        number += f" ({entry.coverage})"
    return f"{number}<br><sub>{entry.printed()}</sub>" if entry.published else number


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
