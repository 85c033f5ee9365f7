"""The writers of tables: what each of them makes of the same table."""

from __future__ import annotations

import csv
import io

import pytest

from benchmarks.harness.tables.delimited import to_csv
from benchmarks.harness.tables.latex import escape, to_latex
from benchmarks.harness.tables.markdown import fill, to_markdown
from benchmarks.harness.tables.page import Picture, to_html
from benchmarks.harness.tables.table import Entry, Published, Row, Table
from benchmarks.harness.tables.text import to_text


def test_rows_must_fit():
    with pytest.raises(ValueError, match="row 'a' of table 't' must have 2 entries"):
        Table("t", "T", "", ("x", "y"), (Row("a", (Entry(1.0),)),))


BESIDE = Entry(70.04, 0.26, rank=1, coverage="28/30", published=Published(84.8, 0.1))
MADE = Table(
    "made-up",
    "A & B (↑)",
    "Model",
    ("S_1", "100 %"),
    (
        Row("heading"),
        Row("a|b", (BESIDE, Entry(note="x < y"))),
        Row("c", (Entry(-1.0, signed=True, rank=2), Entry(text="why_not")), rule=True),
    ),
    ("Without `x_0` and **so** on.",),
)


def test_markdown():
    lines = to_markdown(MADE).splitlines()
    assert lines[2] == "| Model | S_1 | 100 % |"
    assert lines[4] == "| *heading* |  |  |"
    assert lines[5] == "| a\\|b | **70.0 ± 0.3** (28/30)<br><sub>84.8 ± 0.1</sub> | — |"
    assert lines[6] == "| c | <ins>-1.0</ins> | why_not |"


def test_latex():
    text = to_latex(MADE)
    assert r"A \& B ($\uparrow$)" in text
    assert r"$\mathbf{70.0 \pm 0.3}$ {\scriptsize(28/30)} & --- \\" in text
    assert r"{\scriptsize\quad published} & {\scriptsize 84.8 $\pm$ 0.1} &  \\" in text
    assert r"\texttt{x\_0} and \textbf{so}" in text
    assert text.index(r"\midrule" + "\nc &") > 0


def test_latex_is_balanced(check_latex):
    check_latex(MADE)


def test_escape_leaves_no_special_character():
    assert escape("50 % of $x_0^2$ & more #1") == r"50 \% of \$x\_0\textasciicircum{}2\$ \& more \#1"
    assert escape("naïve \N{SNOWMAN}") == "na?ve ?"


def test_csv_is_unrounded_and_tidy():
    found = list(csv.DictReader(io.StringIO(to_csv([MADE]))))
    assert found[0]["value"] == "70.0400"
    assert (found[0]["row"], found[0]["published"], found[0]["rank"]) == ("heading: a|b", "84.8", "1")
    assert (found[1]["value"], found[1]["note"]) == ("", "x < y")
    assert found[3]["value"] == "why_not"


def test_html_is_whole_and_needs_nothing_from_elsewhere(read_html):
    text = to_html([MADE], [Picture("a.svg", "b.svg", "Curves")], "Title", "Heading & more", "Hello *you*.")
    outline = read_html(text)
    assert outline.open == []
    assert outline.rows == [3, 3, 3, 3]
    assert outline.ids == ["made-up"]
    assert outline.addresses == ["#made-up", "b.svg", "a.svg"]
    assert "<title>Title</title>" in text
    assert "<h1>Heading &amp; more</h1>" in text
    assert "http" not in text
    assert 'title="x &lt; y"' in text


def test_text_is_aligned():
    lines = to_text(MADE).splitlines()
    assert lines[2].split() == ["Model", "S_1", "100", "%"]
    assert "70.0 ± 0.3 (28/30) *" in lines[5]


def test_fill_renders_between_marks_and_only_there():
    page = "Before\n<!-- table: made-up -->\nold\n<!-- end of table -->\nAfter\n"
    once = fill(page, [MADE])
    assert "old" not in once
    assert once.startswith("Before\n<!-- table: made-up -->\n\n**A & B")
    assert once.endswith("<!-- end of table -->\nAfter\n")
    assert fill(once, [MADE]) == once


def test_fill_names_an_unknown_table():
    with pytest.raises(ValueError, match="asks for the table 'nope'; there are made-up"):
        fill("<!-- table: nope -->\n<!-- end of table -->", [MADE])
