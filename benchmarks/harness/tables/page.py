"""All tables and figures on one HTML page: sortable, readable on a phone, light and dark, nothing from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.harness.tables.table import Entry, Row, Table

_EMPHASIS = ((re.compile(r"\*\*(.+?)\*\*"), r"<b>\1</b>"), (re.compile(r"`(.+?)`"), r"<code>\1</code>"),
             (re.compile(r"\*(.+?)\*"), r"<em>\1</em>"))  # fmt: skip
_RANKS = {1: "best", 2: "second"}


@dataclass(frozen=True)
class Picture:
    """A figure in two files, for light and dark pages, with what it shows."""

    light: str
    dark: str
    title: str


def to_html(tables: Sequence[Table], pictures: Sequence[Picture], title: str, heading: str, intro: str) -> str:
    """The page. Its style and script are in it; the pictures are files beside it."""
    style, script = (Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    links = "".join(f'<li><a href="#{table.name}">{escape(table.title)}</a></li>' for table in tables)
    body = "".join(map(_section, tables)) + "".join(map(_figure, pictures))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title, quote=False)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"<h1>{escape(heading, quote=False)}</h1>\n<p>{prose(intro)}</p>\n"
        f"<details><summary>All tables</summary><ul>{links}</ul></details>\n"
        f"{body}<script>\n{script}</script>\n</body>\n</html>\n"
    )


def prose(note: str) -> str:
    """A note of a table, with its bold, emphasised and typewriter words."""
    text = escape(note, quote=False)
    for pattern, replacement in _EMPHASIS:
        text = pattern.sub(replacement, text)
    return text


def _section(table: Table) -> str:
    legend = table.legend('<b class="best">Best</b>', '<span class="second">second</span>', "<small>small</small>")
    notes = " ".join([*map(prose, table.notes), *legend])
    grid = _grid(table) if table.rows else ""
    return (
        f'<section id="{table.name}">\n<h2>{escape(table.title)}</h2>\n{grid}<p class="notes">{notes}</p>\n</section>\n'
    )


def _grid(table: Table) -> str:
    classes = " ".join(["words"] * table.is_text + ["sortable"] * (not table.has_headings))
    heads = "".join(f'<th scope="col">{escape(head)}</th>' for head in (table.corner, *table.columns))
    rows = "".join(_row(row, len(table.columns)) for row in table.rows)
    return (
        f'<div class="scroll" tabindex="0"><table class="{classes}">\n<thead><tr>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody>\n</table></div>\n"
    )


def _row(row: Row, columns: int) -> str:
    rule = ' class="rule"' if row.rule else ""
    if not row.entries:
        return f'<tr{rule}><th scope="rowgroup" colspan="{columns + 1}" class="heading">{escape(row.label)}</th></tr>\n'
    return f'<tr{rule}><th scope="row">{escape(row.label)}</th>{"".join(map(_cell, row.entries))}</tr>\n'


def _cell(entry: Entry) -> str:
    attributes = "" if entry.value is None else f' data-value="{entry.value:.6f}"'
    if entry.text:
        return f'<td class="text">{escape(entry.text)}</td>'
    if entry.note:
        attributes += f' title="{escape(entry.note)}"'
    number = escape(entry.number())
    if entry.rank:
        number = f'<span class="{_RANKS[entry.rank]}">{number}</span>'
    if entry.coverage:
        number += f"<small>({escape(entry.coverage)})</small>"
    if entry.published:
        number += f"<small>{escape(entry.printed())}</small>"
    return f"<td{attributes}>{number}</td>"


def _figure(picture: Picture) -> str:
    title = escape(picture.title)
    return (
        f'<figure><h2>{title}</h2><div class="scroll"><picture>'
        f'<source srcset="{picture.dark}" media="(prefers-color-scheme: dark)">'
        f'<img src="{picture.light}" alt="{title}" loading="lazy"></picture></div></figure>\n'
    )
