"""Pages that are read in the repository and on the site: links that work in both.

Markdown files link to one another, to figures and to sources by relative paths. On the site,

- a link to a file that a page includes leads to that page;
- a link to any other file or folder of the repository leads to a page that shows it;
- HTML that GitHub understands and Sphinx does not (pictures for dark screens, diagrams) becomes something that both do.

A path that does not exist is left as it is, and Sphinx warns of it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
IMAGES = {".png", ".svg"}
#: Files that are too long to be shown, such as results, or of no use as text.
LARGEST = 200_000
SCHEME = "source:"

LINK = re.compile(r"(\]\(|src=\"|srcset=\")([^)\s\"#:<>]+)(#[^)\s\"]*)?(?=[)\"])")
INCLUDE = re.compile(r"^```\{include\} (\S+)$", re.MULTILINE)
PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)">\s*<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]+)">\s*</picture>'
)
CENTRED = re.compile(r'<p align="center">\s*<img (.*?)>\s*</p>', re.DOTALL)
DIAGRAM = re.compile(r"```mermaid\n(.*?)```", re.DOTALL)


def included_files() -> dict[Path, str]:
    """Files outside of the documentation that pages include, with the names of these pages."""
    pages = {ROOT / "README.md": "index"}
    for page in DOCS.rglob("*.md"):
        for path in INCLUDE.findall(page.read_text(encoding="utf-8")):
            pages[(page.parent / path).resolve()] = page.relative_to(DOCS).with_suffix("").as_posix()
    return pages


def redirect(text: str, file: Path, docname: str, pages: dict[Path, str]) -> str:
    """The text of a file with its links as the page ``docname`` needs them."""
    folder = (DOCS / docname).parent

    def new_link(match: re.Match[str]) -> str:
        before, path, anchor = match.groups(default="")
        target = (file.parent / path).resolve()
        if not target.exists() or not target.is_relative_to(ROOT):
            return match.group()
        if target in pages:
            return f"{before}{os.path.relpath(DOCS / pages[target], folder)}.md{anchor}"
        if target.suffix in IMAGES or (target.is_relative_to(DOCS) and target.suffix == ".md"):
            return f"{before}{os.path.relpath(target, folder)}{anchor}"
        return f"{before}{SCHEME}{target.relative_to(ROOT).as_posix()}"

    return LINK.sub(new_link, text)


def translate_html(text: str) -> str:
    """Replace what only GitHub draws."""
    text = PICTURE.sub(lambda match: image(match, "light") + image(match, "dark"), text)
    text = CENTRED.sub(r'<img align="center" \1>', text)
    return DIAGRAM.sub(lambda match: arrows_as_table(match[1]), text)


def image(match: re.Match[str], theme: str) -> str:
    """A picture that is shown on light or on dark screens only."""
    return f"```{{image}} {match[theme]}\n:alt: {match['alt']}\n:class: only-{theme} dark-light\n```\n"


def arrows_as_table(diagram: str) -> str:
    """The arrows of a diagram, one row for each beginning."""
    arrows = re.findall(r"^ *(\S+) --> (.+)$", diagram, re.MULTILINE)
    rows = [f"| `{start}` | {', '.join(f'`{end}`' for end in ends.split(' & '))} |" for start, ends in arrows]
    return "\n".join(["| from | → to |", "|---|---|", *rows]) + "\n"


def read_page(app: Any, docname: str, content: list[str]) -> None:
    """Sphinx reads a page."""
    file = Path(app.env.doc2path(docname))
    if file.suffix == ".md":
        content[0] = translate_html(redirect(content[0], file, docname, app.env.repository_pages))


def read_included(app: Any, path: Path, _parent: str, content: list[str]) -> None:
    """A page includes a file."""
    file = (DOCS / path).resolve()
    content[0] = translate_html(redirect(content[0], file, app.env.docname, app.env.repository_pages))


def find_pages(app: Any) -> None:
    """Before anything is read."""
    app.env.repository_pages = included_files()
    app.env.shown_files = set()


def resolve_sources(app: Any, doctree: nodes.document, docname: str) -> None:
    """Lead links to files of the repository to the pages that show them."""
    for link in doctree.findall(nodes.reference):
        if link.get("refuri", "").startswith(SCHEME):
            path = link["refuri"].removeprefix(SCHEME)
            app.env.shown_files.add(path)
            link["refuri"] = app.builder.get_relative_uri(docname, page_of(path))
            link["internal"] = True


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
        inside = sorted(one.relative_to(ROOT).as_posix() for one in file.iterdir() if is_shown(one)) if file.is_dir() else []
        todo += inside
        body = show_folder(app, path, inside) if file.is_dir() else show_file(file)
        yield page_of(path), {"title": path, "body": f"<h1>{escape(path)}</h1>\n{body}"}, "page.html"


def is_shown(file: Path) -> bool:
    """Whether something in a folder is worth a page."""
    if file.name.startswith((".", "__pycache__")):
        return False
    return file.is_dir() or (file.suffix in {".py", ".md", ".toml", ".txt"} and file.stat().st_size < LARGEST)


def show_folder(app: Any, path: str, inside: list[str]) -> str:
    """Links to what is in a folder."""
    link: Callable[[str], str] = lambda one: app.builder.get_relative_uri(page_of(path), page_of(one))  # noqa: E731
    rows = [f'<li><a href="{escape(link(one))}"><code>{escape(Path(one).name)}</code></a></li>' for one in inside]
    return f"<ul>{''.join(rows)}</ul>"


def show_file(file: Path) -> str:
    """The text of a file, in colours."""
    text = file.read_text(encoding="utf-8")
    try:
        lexer = get_lexer_for_filename(file.name)
    except ClassNotFound:
        lexer = TextLexer()
    return f'<div class="highlight">{highlight(text[:LARGEST], lexer, HtmlFormatter(nowrap=False))}</div>'


def setup(app: Any) -> dict[str, bool]:
    """Connect to what Sphinx does."""
    app.connect("builder-inited", find_pages)
    app.connect("source-read", read_page)
    app.connect("include-read", read_included)
    app.connect("doctree-resolved", resolve_sources)
    app.connect("html-collect-pages", show_files)
    return {"parallel_read_safe": False, "parallel_write_safe": False}
