"""Sections of a summary as text and as HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from textwrap import wrap
from typing import Any

from hazboost.summary.words import Section

#: Columns of the text, and of the names in it at most.
WIDTH, NAMES = 100, 28
#: Size of the plot in pixels.
PLOT_WIDTH, PLOT_HEIGHT = 260, 110
#: Colours that can be told apart by everybody, on white and on black.
OBSERVED, EXPECTED = "#8a8a8a", "#3b8fd4"
#: Grey that is faint on white and on black.
FAINT = "rgba(128,128,128,0.35)"


def as_text(title: str, sections: Sequence[Section]) -> str:
    """Text for a terminal."""
    indent = 4 + max(min(len(name), NAMES) for section in sections for name in section.lines)
    lines = [title, "=" * len(title)]
    for section in sections:
        lines += ["", section.title + (f" ({section.note})" if section.note else "")]
        for name, value in section.lines.items():
            lines += wrap(f"  {_short(name):{indent - 4}}  {value}", WIDTH, subsequent_indent=" " * indent)
    return "\n".join(lines)


def _short(name: str) -> str:
    return name if len(name) <= NAMES else name[: NAMES - 1] + "…"


def as_html(title: str, sections: Sequence[Section], curves: Mapping[str, Any]) -> str:
    """HTML for a notebook. Styles are inline, because many viewers remove style sheets; colours are inherited."""
    tables = "".join(map(_table, sections))
    return (
        '<div style="font:13px/1.45 sans-serif;margin:8px 2px;max-width:860px">'
        f'<div style="font-weight:600;font-size:15px">{escape(title)}</div>'
        f'<table style="border-collapse:collapse;font:inherit;color:inherit;width:100%">{tables}</table>'
        f"{_plot(curves)}</div>"
    )


def _table(section: Section) -> str:
    note = f' <span style="font-weight:400;opacity:0.7">({escape(section.note)})</span>' if section.note else ""
    heading = (
        '<tr style="background:none"><th colspan="2" style="text-align:left;padding:9px 0 2px;'
        f'border-bottom:1px solid {FAINT}">{escape(section.title)}{note}</th></tr>'
    )
    cell = "text-align:left;vertical-align:top;padding:1px 14px 1px 0"
    rows = (
        f'<tr style="background:none"><td style="{cell};white-space:nowrap;opacity:0.75">{escape(_short(name))}</td>'
        f'<td style="{cell};width:100%">{escape(value)}</td></tr>'
        for name, value in section.lines.items()
    )
    return heading + "".join(rows)


def _plot(curves: Mapping[str, Any]) -> str:
    """Cumulative incidences over time, observed and predicted, as a small SVG made by hand."""
    longest = curves["times"][-1]

    def line(values: Sequence[float | None], colour: str, steps: bool) -> str:
        points, before = [], 0.0
        for time, value in zip(curves["times"], values, strict=True):
            if value is None:
                return ""
            places = [before, value] if steps else [value]  # the curve of the observed events is one of steps
            points += [f"{time / longest * PLOT_WIDTH:.1f},{(1.0 - one) * PLOT_HEIGHT + 2:.1f}" for one in places]
            before = value
        return f'<polyline fill="none" stroke="{colour}" stroke-width="1.6" points="{" ".join(points)}"/>'

    lines = "".join(line(values, OBSERVED, steps=True) for values in curves["observed"])
    lines += "".join(line(values, EXPECTED, steps=False) for values in curves["expected"])
    return (
        f'<div style="margin-top:10px"><svg width="{PLOT_WIDTH}" height="{PLOT_HEIGHT + 4}" role="img" '
        f'aria-label="cumulative incidence over time" style="border-left:1px solid {FAINT};'
        f'border-bottom:1px solid {FAINT}">{lines}</svg>'
        '<div style="font-size:11px;opacity:0.85">cumulative incidence over time: '
        f'<span style="color:{OBSERVED}">observed</span> &nbsp; '
        f'<span style="color:{EXPECTED}">predicted</span></div></div>'
    )
