"""Figures of the page: what the library's displays draw, as SVG inside of the page.

Text stays text, in the font of the page. What is black in a figure has the colour of the text of the page, so that the
same figure is seen on a light and on a dark background. Names of features are never read as formulas.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from itertools import count
from typing import Any

from hazboost.report.html import Html, paragraph, tag

#: Stands for the colour of text and axes, which the page decides.
INK = "#010203"
#: Width and height in inches; on a page one inch is 72 units, which are scaled to the width of the column.
SIZE, WIDE = (4.6, 3.2), (7.4, 3.2)
STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "hazboost",
    "text.parse_math": False,
    "font.size": 9.5,
    "font.family": ["DejaVu Sans"],
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.labelcolor": INK,
    "axes.titlecolor": INK,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


class Figures:
    """Draws figures, and numbers them; without matplotlib the page says what would be there."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self.possible = find_spec("matplotlib") is not None

    def draw(
        self, caption: str, alt: str, display: Callable[[], Any], size: tuple[float, float] = SIZE, note: str = ""
    ) -> Html:
        """A figure with its caption, and in words for those who do not see it.

        Parameters
        ----------
        caption : str
            What is drawn, and how to read it.
        alt : str
            What there is to see.
        display : callable
            Draws, and returns a display, an Axes or a list of Axes.
        size : pair of float
            Width and height in inches.
        note : str
            What else is to be said below.
        """
        if not self.possible:
            return paragraph(f"Figure left out: {caption} (matplotlib is not installed.)", class_="missing")
        number = next(self._numbers)
        drawing = _as_svg(display, size, f"f{number}", alt)
        words = tag("figcaption", tag("b", f"Figure {number}. "), caption, f" {note}" if note else "")
        # On a narrow screen a wide figure is scrolled by itself, by keyboard too.
        wide = size[0] > SIZE[0]
        return tag("figure", drawing, words, class_="wide" if wide else None, tabindex="0" if wide else None)


def _as_svg(display: Callable[[], Any], size: tuple[float, float], prefix: str, alt: str) -> Html:
    from matplotlib import pyplot as plt  # noqa: PLC0415
    from matplotlib import rc_context  # noqa: PLC0415

    style: Any = {**STYLE, "figure.figsize": size}
    with rc_context(style), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters that matplotlib's own font does not have
        before = set(plt.get_fignums())
        drawn = display()
        figure = getattr(drawn, "figure_", None) or (drawn[0] if isinstance(drawn, list) else drawn).figure
        _write_powers_as_numbers(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        for opened in set(plt.get_fignums()) - before:
            plt.close(opened)
    return _inline(buffer.getvalue(), prefix, alt)


def _write_powers_as_numbers(figure: Any) -> None:
    """Ticks of logarithmic axes are formulas, which are not read here."""
    from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: PLC0415

    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            if axis.get_scale() == "log":
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                axis.set_minor_formatter(NullFormatter())


def _inline(svg: str, prefix: str, alt: str) -> Html:
    """An SVG file as a part of a page: without its head, with names of its own, and colours that the page decides."""
    body = re.sub(
        r"<metadata>.*?</metadata>|<!--.*?-->|<style.*?</style>", "", svg[svg.index("<svg") :], flags=re.DOTALL
    )
    head = body[: body.index(">") + 1]
    content = body[len(head) : body.rindex("</svg>")]
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', content)) - {("", "")}
    names = {one or other for one, other in used}
    # Only tags are changed: what is between them is text, perhaps of the user.
    content = re.sub(r"<[^>]*>", lambda found: _adapt(found[0], names, prefix), content)
    content = re.sub(r">\s+<", "><", content)
    view = re.search(r'viewBox="([^"]+)"', head)
    shape = view[1] if view else "0 0 360 240"
    return Html(
        f'<svg viewBox="{shape}" role="img" xmlns="http://www.w3.org/2000/svg">{tag("title", alt)}{content}</svg>'
    )


def _adapt(element: str, names: set[str], prefix: str) -> str:
    """A tag of matplotlib's as it may stand in a page with other figures."""
    element = re.sub(r' id="([^"]+)"', lambda found: f' id="{prefix}-{found[1]}"' if found[1] in names else "", element)
    element = re.sub(r'(url\(|href=")#', rf"\1#{prefix}-", element)
    element = element.replace(INK, "currentColor").replace("xlink:href", "href")
    element = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", element)
    element = re.sub(r"font-family: [^;\"]*;? ?", "", element)
    element = re.sub(r"(\d+\.\d{2})\d+", r"\1", element)
    return re.sub(r"\s+", " ", element)
