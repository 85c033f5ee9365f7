"""Pages of the repository on the site: their text as `page_text` makes it, and pages that show files they link to."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from page_text import DOCS, ROOT, SCHEME, included_files, redirect, translate
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

#: Files that are longer, such as results, are cut.
LARGEST = 200_000
#: What has a page in a folder that is shown.
SHOWN = {".py", ".md", ".toml", ".txt"}


def read_page(app: Any, docname: str, content: list[str]) -> None:
    """Sphinx reads a page."""
    file = Path(app.env.doc2path(docname))
    if file.suffix == ".md":
        content[0] = translate(redirect(content[0], file, docname, app.env.repository_pages))


def read_included(app: Any, path: Path, _parent: str, content: list[str]) -> None:
    """A page includes a file."""
    file = (DOCS / path).resolve()
    content[0] = translate(redirect(content[0], file, app.env.docname, app.env.repository_pages))


def find_pages(app: Any) -> None:
    """Before anything is read."""
    app.env.repository_pages = included_files()
    app.env.shown_files = set()


def resolve_sources(app: Any, doctree: nodes.document, docname: str) -> None:
    """Lead links to files of the repository to the pages that show them."""
    if app.builder.format != "html":  # the check of links to other sites has no pages
        return
    for link in doctree.findall(nodes.reference):
        if link.get("refuri", "").startswith(SCHEME):
            path, hash_sign, line = link["refuri"].removeprefix(SCHEME).partition("#")
            app.env.shown_files.add(path)
            link["refuri"] = app.builder.get_relative_uri(docname, page_of(path)) + hash_sign + line
            link["internal"] = True


def locate(domain: str, name: dict[str, str]) -> str | None:
    """Where a documented object is defined, for the links of `sphinx.ext.linkcode`."""
    thing: Any = sys.modules.get(name["module"])
    for part in name["fullname"].split("."):
        thing = getattr(thing, part, None)
    try:
        file, line = inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1]
    except TypeError:  # an attribute or a property
        return None
    path = Path(str(file)).resolve()
    return f"{SCHEME}{path.relative_to(ROOT).as_posix()}#line-{line}" if path.is_relative_to(ROOT) else None


def page_of(path: str) -> str:
    """Name of the page that shows a file or folder."""
    return f"source/{path}"


def show_files(app: Any) -> Iterator[tuple[str, dict[str, str], str]]:
    """A page for each file or folder that is linked, and for all that is in such a folder."""
    todo, done = sorted(app.env.shown_files), set()
    while todo:
        path = todo.pop()
        if path in done:
            continue
        done.add(path)
        file = ROOT / path
        inside = (
            [one.relative_to(ROOT).as_posix() for one in sorted(file.iterdir()) if is_shown(one)]
            if file.is_dir()
            else []
        )
        todo += inside
        body = show_folder(app, path, inside) if file.is_dir() else show_file(file)
        yield page_of(path), {"title": path, "body": f"<h1>{escape(path)}</h1>\n{body}"}, "page.html"


def is_shown(file: Path) -> bool:
    """Whether something in a folder is worth a page."""
    if file.name.startswith((".", "__pycache__")):
        return False
    return file.is_dir() or file.suffix in SHOWN


def show_folder(app: Any, path: str, inside: list[str]) -> str:
    """Links to what is in a folder."""
    links = {Path(one).name: app.builder.get_relative_uri(page_of(path), page_of(one)) for one in inside}
    rows = [f'<li><a href="{escape(uri)}"><code>{escape(name)}</code></a></li>' for name, uri in links.items()]
    return f"<ul>{''.join(rows)}</ul>"


def show_file(file: Path) -> str:
    """The text of a file, in colours."""
    text = file.read_text(encoding="utf-8")
    try:
        lexer = get_lexer_for_filename(file.name)
    except ClassNotFound:
        lexer = TextLexer()
    return f'<div class="highlight">{highlight(text[:LARGEST], lexer, HtmlFormatter(lineanchors="line"))}</div>'


def setup(app: Any) -> dict[str, bool]:
    """Connect to what Sphinx does."""
    app.connect("builder-inited", find_pages)
    app.connect("source-read", read_page)
    app.connect("include-read", read_included)
    app.connect("doctree-resolved", resolve_sources)
    app.connect("html-collect-pages", show_files)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
