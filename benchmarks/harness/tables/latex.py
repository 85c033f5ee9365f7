r"""Tables as LaTeX with booktabs: one file to ``\input`` for each, and a document with all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from benchmarks.harness.tables.table import Entry, Row, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "−": "$-$",
    "—": "---",
    "→": r"$\to$",
    "α": r"$\alpha$",
}
_EMPHASIS = ((re.compile(r"\*\*(.+?)\*\*"), r"\\textbf{\1}"), (re.compile(r"`(.+?)`"), r"\\texttt{\1}"),
             (re.compile(r"\*(.+?)\*"), r"\\emph{\1}"))  # fmt: skip
_PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[a3paper,landscape,margin=1.5cm]{geometry}
\usepackage{booktabs}
\begin{document}
"""


def to_latex(table: Table) -> str:
    r"""A ``table*`` with caption and label; it needs booktabs and nothing else.

    Published numbers stand in a smaller line of their own under each model.
    """
    if not table.rows:
        return f"\\paragraph{{{escape(table.title)}}} {' '.join(map(prose, table.notes))}\n"
    legend = table.legend("**Best**", r"*second* underlined", "*published*")
    notes = " ".join(map(prose, (*table.notes, *legend)))
    columns = rf"*{{{len(table.columns)}}}{{c}}" if not table.is_text else "l" * (len(table.columns) - 1) + "p{9cm}"
    lines = [
        r"\begin{table*}[htbp]",
        rf"\caption{{{escape(table.title)}. {notes}}}",
        rf"\label{{tab:{table.name.replace('_', '-')}}}",
        r"\medskip\centering\small",
        rf"\begin{{tabular}}{{@{{}}l{columns}@{{}}}}",
        r"\toprule",
        _line([table.corner, *table.columns]),
        r"\midrule",
        *(line for row in table.rows for line in _row(row, len(table.columns))),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def document(names: Iterable[str]) -> str:
    r"""A document with every table, read by ``\input`` from the files of these names."""
    body = "".join(f"\\input{{{name}}}\n\\clearpage\n" for name in names)
    return f"{_PREAMBLE}{body}\\end{{document}}\n"


def escape(text: str) -> str:
    r"""Text in which no character has a meaning for LaTeX, or is unknown to it.

    Examples
    --------
    >>> print(escape("95 % of x_0"))
    95 \% of x\_0
    """
    return "".join(_SPECIAL.get(each, each if each.isascii() else "?") for each in text)


def prose(note: str) -> str:
    """A note of a table, with its bold, emphasised and typewriter words."""
    text = escape(note)
    for pattern, replacement in _EMPHASIS:
        text = pattern.sub(replacement, text)
    return text


def _row(row: Row, columns: int) -> list[str]:
    lines = [r"\midrule"] if row.rule else []
    if not row.entries:
        return [*lines, rf"\multicolumn{{{columns + 1}}}{{@{{}}l}}{{\emph{{{escape(row.label)}}}}} \\"]
    lines.append(" & ".join([escape(row.label), *map(_cell, row.entries)]) + r" \\")
    if any(entry.published for entry in row.entries):
        printed = [rf"{{\scriptsize {escape(entry.printed())}}}" if entry.published else "" for entry in row.entries]
        lines.append(" & ".join([r"{\scriptsize\quad published}", *printed]) + r" \\")
    return lines


def _cell(entry: Entry) -> str:
    if entry.text:
        return escape(entry.text)
    number = entry.number().replace("±", r"\pm")
    if entry.value is None:
        return "---"
    cell = {1: rf"$\mathbf{{{number}}}$", 2: rf"\underline{{${number}$}}"}.get(entry.rank, f"${number}$")
    return rf"{cell} {{\scriptsize({escape(entry.coverage)})}}" if entry.coverage else cell


def _line(cells: Iterable[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"
