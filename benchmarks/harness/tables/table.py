"""The model of a table: rows of entries. Every writer reads the same structure."""

from __future__ import annotations

from dataclasses import dataclass, field

DASH = "—"


@dataclass(frozen=True)
class Published:
    """A printed number, x100, with half of its 95 % confidence interval where one is printed."""

    mean: float
    half_width: float | None = None


@dataclass(frozen=True)
class Entry:
    """One place of a table.

    Attributes
    ----------
    value : float or None
        The number; None where there is none, and then `note` says why.
    half_width : float or None
        Half of the 95 % confidence interval.
    rank : int
        1 for the best of its column, 2 for the second; 0 for all others.
    coverage : str
        What the number rests on where that is less than planned, such as ``"28/30"``.
    published : Published or None
        The number of the paper.
    note : str
        Why there is no number.
    signed : bool
        Whether it is a difference, written with its sign.
    text : str
        Words instead of a number.
    """

    value: float | None = None
    half_width: float | None = None
    rank: int = 0
    coverage: str = ""
    published: Published | None = None
    note: str = ""
    signed: bool = False
    text: str = ""

    def number(self) -> str:
        """The number and its interval, with one decimal as in the paper.

        Examples
        --------
        >>> Entry(69.31, 0.25).number(), Entry(1.55, signed=True).number(), Entry(note="not run").number()
        ('69.3 ± 0.2', '+1.6', '—')
        """
        if self.text:
            return self.text
        if self.value is None:
            return DASH
        return _format(self.value, self.half_width, self.signed)

    def printed(self) -> str:
        """The paper's number in the same form; empty where it has none."""
        return "" if self.published is None else _format(self.published.mean, self.published.half_width, self.signed)


def _format(value: float, half_width: float | None, signed: bool) -> str:
    number = f"{value:+.1f}" if signed else f"{value:.1f}"
    return number if half_width is None else f"{number} ± {half_width:.1f}"


@dataclass(frozen=True)
class Row:
    """A line of a table. One without entries is a heading; `rule` draws a line above."""

    label: str
    entries: tuple[Entry, ...] = ()
    rule: bool = False


@dataclass(frozen=True)
class Table:
    """A table with what is said around it.

    Attributes
    ----------
    name : str
        Unique among the tables of a report: ``"paper-c_index"``.
    title : str
        What it shows.
    corner : str
        Head of the column of labels.
    columns : tuple of str
        Heads of the other columns.
    rows : tuple of Row
        Each with as many entries as there are columns, or none.
    notes : tuple of str
        Sentences to print below.
    """

    name: str
    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        for row in self.rows:
            if row.entries and len(row.entries) != len(self.columns):
                raise ValueError(
                    f"row {row.label!r} of table {self.name!r} must have {len(self.columns)} entries, one for each "
                    f"column; got {len(row.entries)}."
                )

    @property
    def is_ranked(self) -> bool:
        """Whether the best of a column are marked."""
        return any(entry.rank for row in self.rows for entry in row.entries)

    def legend(self, best: str, second: str, small: str) -> list[str]:
        """What the marks mean, in words that the writer has formatted as it formats the marks."""
        has_published = any(entry.published for row in self.rows for entry in row.entries)
        return [
            *([f"{best}, {second}."] if self.is_ranked else []),
            *([f"{small}: the paper's number."] if has_published else []),
        ]

    @property
    def is_text(self) -> bool:
        """Whether there are words in it instead of numbers."""
        return any(entry.text for row in self.rows for entry in row.entries)

    @property
    def has_headings(self) -> bool:
        """Whether some rows are headings, so that the order of rows means something."""
        return any(not row.entries for row in self.rows)
