"""What tests of the harness and of the studies share."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from benchmarks.harness.tables.latex import to_latex


class Outline(HTMLParser):
    """Tags that are open, rows of tables, and addresses."""

    def __init__(self):
        super().__init__()
        self.open, self.rows, self.addresses, self.ids = [], [], [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.addresses += [attributes[name] for name in ("src", "href", "srcset") if name in attributes]
        self.ids += [attributes["id"]] if "id" in attributes else []
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += int(attributes.get("colspan", 1))
        if tag not in ("meta", "source", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def read_html():
    """The outline of an HTML page."""

    def read(text):
        outline = Outline()
        outline.feed(text)
        return outline

    return read


@pytest.fixture
def check_latex():
    """Check that a table is balanced ASCII in LaTeX, with as many columns in every row."""

    def check(table):
        text = to_latex(table)
        assert text.isascii()
        assert re.findall(r"\\begin\{(.+?)\}", text) == re.findall(r"\\end\{(.+?)\}", text)[::-1]
        plain = re.sub(r"\\[\\{}$&%#_]", "", text)
        assert plain.count("{") == plain.count("}")
        assert plain.count("$") % 2 == 0
        rows = [each for each in text.splitlines() if each.endswith(r"\\") and "multicolumn" not in each]
        assert {len(re.findall(r"(?<!\\)&", each)) for each in rows} <= {len(table.columns)}

    return check
