"""Axes, colours and legends shared by the figures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: Colours of curves, of what was chosen, and of references in the background.
LINE, CHOSEN, QUIET = "#1f77b4", "#d62728", "#8c8c8c"
#: Those colours of Okabe and Ito that are seen on a white and on a black background; colour-blind readers can tell
#: them apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
#: Look of curves of many subjects, seen on both backgrounds as well.
MANY: dict[str, Any] = {"color": COLOURS[5], "alpha": 0.6, "linewidth": 0.7}
#: Line styles of the first, the second, ... curves of each colour.
DASHES = ("-", (0, (4, 1.5)))
#: Width of a letter and of the line before a label, in font sizes.
_LETTER, _HANDLE = 0.56, 4.5
#: Numbers from here on are written with an exponent.
LONG = 1e7
#: Figures that are narrower, in points, have legends in smaller letters.
NARROW = 320.0


def make_axes(panels: int, ax: Any, size: tuple[float, float] | None = (6.0, 2.8)) -> list[Any]:
    """Axes side by side in a new figure, or the given ones, checked to be as many as there are panels.

    Without a ``size`` in inches a new figure has that of matplotlib's settings.
    """
    if ax is None:
        # Imported here because matplotlib is optional, and slow to import.
        try:
            from matplotlib import pyplot as plt  # noqa: PLC0415
        except ImportError as error:
            raise ImportError('figures need matplotlib; install it with `pip install "hazboost[plots]"`.') from error
        return list(plt.subplots(1, panels, figsize=size, layout="constrained", squeeze=False)[1][0])
    axes = list(ax) if hasattr(ax, "__len__") else [ax]
    if len(axes) != panels:
        raise ValueError(f"ax must have {panels} axes, one for each panel; got {len(axes)}.")
    return axes


def tidy(ax: Any) -> None:
    """Hide the top and right borders."""
    ax.spines[["top", "right"]].set_visible(False)


def curve_style(number: int) -> dict[str, Any]:
    """Colour and line style of a curve; the first six differ by colour, the next six by line style as well."""
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[number // len(COLOURS) % len(DASHES)]}


def whole_numbers(ax: Any) -> None:
    """Ticks of the horizontal axis at whole numbers only, unless the user has chosen others."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    locator = ax.xaxis.get_major_locator()
    if isinstance(locator, MaxNLocator):
        locator.set_params(integer=True)


def is_category(values: npt.NDArray[Any]) -> bool:
    """Whether values of a feature are categories, and no numbers."""
    return values.dtype == object


def place_values(ax: Any, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Where values are on the horizontal axis; categories are named there, side by side."""
    if not is_category(values):
        return values
    places = np.arange(len(values))
    ax.set_xticks(places, [str(value) for value in values])
    ax.set_xlim(-0.3, len(values) - 0.7)
    return places


def fill_steps(ax: Any, x: npt.NDArray[Any], low: npt.NDArray[Any], high: npt.NDArray[Any], **look: Any) -> None:
    """Fill between two step functions, each value until the next: as their lines, also where the next is NaN."""
    low, high = (np.repeat(one, 2)[:-1] for one in (low, high))
    ax.fill_between(np.repeat(x, 2)[1:], low, high, linewidth=0.0, **look)


def short(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, and all of those before the point.

    Examples
    --------
    >>> short(0.12345), short(12.345), short(1826.0), short(1e9)
    ('0.123', '12.3', '1826', '1e+09')
    """
    return f"{value:.0f}" if 10.0 ** (digits - 1) <= abs(value) < LONG else f"{value:.{digits}g}"


def ink() -> str:
    """The colour of text, dark on a light background and light on a dark one."""
    from matplotlib import rcParams  # noqa: PLC0415

    colour: str = rcParams["text.color"]
    return colour


def small_letters(ax: Any) -> tuple[float, float]:
    """The size of letters beside the curves, which is smaller in a narrow figure, and the figure's width, in points."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415

    width = 72.0 * float(ax.figure.get_size_inches()[0])
    return FontProperties(size="small" if width > NARROW else "x-small").get_size_in_points(), width


def add_legend(ax: Any, *, own: bool) -> None:
    """Name the curves: below the axes in a figure of our own, so that nothing is covered, else where there is space."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    size, width = small_letters(ax)
    look = {"fontsize": size, "frameon": False, "labelspacing": 0.25, "borderpad": 0.2, "columnspacing": 1.2}
    if own:
        ax.figure.legend(handles, labels, loc="outside lower left", ncols=_columns(labels, width / size), **look)
    else:
        ax.legend(handles, labels, **look)


def _columns(labels: list[str], width: float) -> int:
    """The largest number of columns of a legend that fit into a width, in font sizes."""
    for height in range(1, len(labels)):
        # As matplotlib fills them: columns of nearly equal height, the longer ones first.
        columns = np.array_split(np.array([len(label) for label in labels]), -(-len(labels) // height))
        if sum(_LETTER * float(column.max()) + _HANDLE for column in columns) < width:
            return len(columns)
    return 1
