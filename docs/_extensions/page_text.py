"""The text of pages that are read in the repository and on the site: what works in both.

Markdown files link to one another, to figures and to sources by relative paths. On the site,

- a link to a file that a page includes leads to that page;
- a link to any other file or folder of the repository leads to a page that shows it;
- HTML that GitHub understands and Sphinx does not (pictures for dark screens, diagrams) becomes something that both do;
- code of another package and the same with hazboost, one below the other, stand side by side.

A path that does not exist is left as it is, and Sphinx warns of it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
IMAGES = {".png", ".svg"}
#: Marks links to files that have a page which shows them.
SCHEME = "source:"

LINK = re.compile(r"(\]\(|src=\"|srcset=\")([^)\s\"#:<>]+)(#[^)\s\"]*)?(?=[)\"])")
INCLUDE = re.compile(r"^```\{include\} (\S+)$", re.MULTILINE)
PICTURE = re.compile(
    r'<picture>\s*<source [^>]*srcset="(?P<dark>[^"]+)">\s*'
    r'<img alt="(?P<alt>[^"]*)" src="(?P<light>[^"]+)">\s*</picture>'
)
CENTRED = re.compile(r'<p align="center">\s*<img (.*?)>\s*</p>', re.DOTALL)
#: Code of another package and ours, each with its name above it.
PAIR = re.compile(
    r"^(\*\*[^*\n]+\*\*\n\n```(?:py|r)\n.*?^```)\n\n(\*\*hazboost\*\*\n\n```python\n.*?^```)$", re.MULTILINE | re.DOTALL
)
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


def translate(text: str) -> str:
    """Replace what only GitHub draws, or what the site can show better."""
    text = PICTURE.sub(lambda match: image(match, "light") + image(match, "dark"), text)
    text = CENTRED.sub(r'<img align="center" \1>', text)
    text = PAIR.sub(lambda match: side_by_side(*match.groups()), text)
    return DIAGRAM.sub(lambda match: arrows_as_table(match[1]), text)


def image(match: re.Match[str], theme: str) -> str:
    """A picture that is shown on light or on dark screens only."""
    return f"```{{image}} {match[theme]}\n:alt: {match['alt']}\n:class: only-{theme} dark-light\n```\n"


def side_by_side(*texts: str) -> str:
    """Texts in columns, one below the other on narrow screens."""
    columns = "".join(f":::{{grid-item}}\n{text}\n:::\n" for text in texts)
    return f"::::{{grid}} 1 1 2 2\n:gutter: 2\n:class-container: side-by-side\n\n{columns}::::"


def arrows_as_table(diagram: str) -> str:
    """The arrows of a diagram, one row for each beginning."""
    arrows = re.findall(r"^ *(\S+) --> (.+)$", diagram, re.MULTILINE)
    rows = [f"| `{start}` | {', '.join(f'`{end}`' for end in ends.split(' & '))} |" for start, ends in arrows]
    return "\n".join(["| from | → to |", "|---|---|", *rows]) + "\n"
