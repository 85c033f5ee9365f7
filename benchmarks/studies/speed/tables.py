"""Tables of words, and numbers as words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.harness.tables.table import DASH, Entry, Row, Table


def text_table(
    name: str, title: str, corner: str, heads: Sequence[str], rows: Iterable[tuple[str, list[str]]]
) -> Table:
    """A table of words."""
    made = tuple(Row(label, tuple(Entry(text=each or " ") for each in entries)) for label, entries in rows)
    return Table(name, title, corner, tuple(heads), made)


def amount(value: float | None) -> str:
    """A number with three digits.

    Examples
    --------
    >>> amount(0.01234), amount(12.34), amount(1234.5), amount(None)
    ('0.0123', '12.3', '1,234', '—')
    """
    if value is None:
        return DASH
    return f"{value:,.0f}" if abs(value) >= 1e3 else f"{value:.3g}"


def times(ratio: float | None) -> str:
    """A ratio, as so many times.

    Examples
    --------
    >>> times(2.345), times(None)
    ('2.35×', '—')
    """
    return DASH if ratio is None else f"{amount(ratio)}×"


def percent(part: float | None, whole: float | None) -> str:
    """A share.

    Examples
    --------
    >>> percent(1.0, 8.0), percent(None, 1.0)
    ('12 %', '—')
    """
    return DASH if part is None or not whole else f"{100 * part / whole:.0f} %"
