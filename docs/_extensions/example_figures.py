"""How the gallery runs the examples: from the command line, as readers do, and with the figures that they write."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path
from typing import Any

from sphinx_gallery.scrapers import figure_rst

#: Where examples write their figures if they are not told otherwise, beside the example; ignored by git.
FOLDER = "demo"
#: The first of the gallery; others follow by name.
FIRST = ["demo.py", "displays.py", "selection.py"]


class Order:
    """Sort key of the examples."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, file: str) -> tuple[int, str]:
        """First those of ``FIRST``."""
        return FIRST.index(file) if file in FIRST else len(FIRST), file

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def arguments(settings: dict[str, Any], example: dict[str, Any]) -> list[str]:
    """Arguments of an example: none. It gets its docstring back, and figures of an earlier run are removed."""
    file = Path(example["src_file"])
    example["example_globals"]["__doc__"] = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    shutil.rmtree(file.parent / FOLDER, ignore_errors=True)
    return []


def collect(block: Any, example: dict[str, Any], settings: dict[str, Any]) -> str:
    """Move the figures that an example has written into the site."""
    folder = Path(example["src_file"]).parent / FOLDER
    images = [(figure, next(example["image_path_iterator"])) for figure in sorted(folder.rglob("*.png"))]
    for figure, image in images:
        shutil.move(figure, image)
    shutil.rmtree(folder, ignore_errors=True)
    return str(figure_rst([image for _, image in images], settings["src_dir"]))
