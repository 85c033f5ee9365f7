"""HTML that is safe by construction: text is escaped unless it was made here.

Names of columns and categories come from the user, and may hold anything. Whatever is not `Html` is text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


class Html(str):
    """Markup that may be put into a page as it is."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: str | None) -> Html:
    """An element; children that are no `Html` are escaped, and so are attributes, of which None are left out.

    Underscores in the names of attributes stand for hyphens, and a trailing one is dropped: ``class_``, ``aria_label``.

    Examples
    --------
    >>> tag("p", "a < b", tag("b", "!"), class_="note")
    '<p class="note">a &lt; b<b>!</b></p>'
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{given}>{join(children)}</{name}>")


def join(parts: Iterable[str]) -> Html:
    """Parts one after the other; those that are no `Html` are escaped."""
    return Html("".join(part if isinstance(part, Html) else escape(part) for part in parts))


def paragraph(*children: str, class_: str | None = None) -> Html:
    """A paragraph."""
    return tag("p", *children, class_=class_)


def name(text: str) -> Html:
    """A name that the user gave: whatever its direction of writing, it does not change that of the words around it."""
    return tag("bdi", text, class_="name")


def bullets(items: Iterable[str]) -> Html:
    """A list."""
    return tag("ul", *(tag("li", item) for item in items))


def table(caption: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = True) -> Html:
    """A table with a caption, a header, and the name of each row in its first column.

    All other columns are numbers, which are aligned, unless ``numbers`` is false.
    """
    kind = "number" if numbers else None
    corner = tag("th", header[0], scope="col") if header[0] else tag("td")  # a header without words is none
    head = tag("tr", corner, *(tag("th", text, scope="col", class_=kind) for text in header[1:]))
    body = [
        tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell, class_=kind) for cell in row[1:])) for row in rows
    ]
    whole = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *body))
    # A wide table is scrolled by itself, by keyboard too, and not the page with it.
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def section(anchor: str, title: str, *children: str) -> Html:
    """A section with a heading."""
    heading = f"{anchor}-title"
    return tag("section", tag("h2", title, id=heading), *children, id=anchor, aria_labelledby=heading)


def subsection(title: str, *children: str) -> Html:
    """A part of a section."""
    return tag("div", tag("h3", title), *children, class_="part")
