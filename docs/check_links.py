"""Checks the links of the built site: every relative link leads to a page, and to an anchor that is there.

Sphinx checks what it resolves itself. This looks at the pages as a browser does, those with raw HTML included.
``python docs/check_links.py build/site`` prints what is broken, and fails if anything is.
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Links(HTMLParser):
    """Where a page leads, and the anchors that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of links, images, scripts and anchors."""
        for name, value in attrs:
            if name in {"href", "src"} and value:
                self.targets.add(value)
            elif name in {"id", "name"} and value:
                self.anchors.add(value)


@cache
def read(page: Path) -> Links:
    """Links and anchors of a page."""
    links = Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def fault(page: Path, target: str, root: Path) -> str | None:
    """What is wrong with a link, or None."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return None
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not file.is_relative_to(root):
        return "leads out of the site"
    if not file.is_file():
        return "there is no such file"
    if parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in read(file).anchors:
        return "there is no such anchor"
    return None


def find_faults(root: Path) -> list[str]:
    """All broken links below a folder, one line for each."""
    pages = [page for page in sorted(root.rglob("*.html")) if "_static" not in page.parts]  # templates of the theme
    found = [(page, target, fault(page, target, root)) for page in pages for target in sorted(read(page).targets)]
    return [f"{page.relative_to(root)}: {target}: {reason}" for page, target, reason in found if reason]


def main() -> None:
    """Check the folder that is given."""
    root = Path(sys.argv[1]).resolve()
    faults = find_faults(root)
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
