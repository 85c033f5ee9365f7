"""Writes what the code of docs/tutorial.md prints and draws into the page: ``make tutorial``.

The blocks of Python code run one after the other in one namespace, as a reader would paste them. A block of text after
one is what it prints; an image after it is a figure that it draws. A test runs the page, too, and compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

PAGE = Path(__file__).resolve().parent / "tutorial.md"
CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```text\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
IMAGE = re.compile(r"^!\[[^\]]*\]\((figures/[^)]+)\)", re.MULTILINE)
STYLE = {"figure.figsize": (6.4, 3.8), "savefig.dpi": 130, "figure.constrained_layout.use": True}


@dataclass
class Step:
    """A block of code, with what the page shows and what it does when it runs.

    Attributes
    ----------
    code, after : str
        The block, and the page from there to the next block.
    printed : str
        What it prints.
    figures : list of Figure
        What it draws.
    """

    code: str
    after: str
    printed: str = ""
    figures: list[Figure] = field(default_factory=list)

    @property
    def shown(self) -> str:
        """What the page says that it prints."""
        return "".join(OUTPUT.findall(self.after))

    @property
    def images(self) -> list[str]:
        """What the page says that it draws."""
        return IMAGE.findall(self.after)


def run_page(text: str) -> Iterator[Step]:
    """Run the code of the page, block by block."""
    parts, names = CODE.split(text)[1:], dict[str, Any]()
    mpl.use("Agg")
    with TemporaryDirectory() as folder, chdir(folder), mpl.rc_context(STYLE):
        for code, after in zip(parts[::2], parts[1::2], strict=True):
            plt.close("all")
            with redirect_stdout(StringIO()) as printed:
                exec(compile(code, PAGE.name, "exec"), names)  # noqa: S102
            yield Step(code, after, printed.getvalue(), [plt.figure(number) for number in plt.get_fignums()])
        plt.close("all")


def main() -> None:
    """Run the page, and write it and its figures anew."""
    text = PAGE.read_text(encoding="utf-8")
    pieces = [CODE.split(text)[0]]
    for step in run_page(text):
        after = OUTPUT.sub(lambda _, printed=step.printed: f"```text\n{printed}```\n", step.after)
        pieces.append(f"```python\n{step.code}```\n{after}")
        for figure, image in zip(step.figures, step.images, strict=True):
            path = PAGE.parent / image
            path.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(path)
    PAGE.write_text("".join(pieces), encoding="utf-8")


if __name__ == "__main__":
    main()
