"""``hazboost plot``: figures of a model, by the displays of `hazboost.plots`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.figures import FIGURES, OPTIONS, Figure
from hazboost.cli.models import feature_table, name_unused, read_model
from hazboost.cli.options import add_data, add_jobs, count, errors_name, inches, one_row, rows
from hazboost.cli.outcomes import RIGHT_CENSORED, add_outcome_options, outcome_columns, read_outcome, used_columns
from hazboost.cli.packages import require
from hazboost.cli.tables import read_table, require_columns
from hazboost.cli.writing import check_output, check_table_output, write_blocks
from hazboost.estimator import FPBoost
from hazboost.plots.display import Display
from hazboost.utils.files import complete_file

ABOUT = "draw a figure of a model"
#: Kinds of files by the end of the name, and what they say of themselves: no dates, so that the same figure is always
#: the same file.
FORMATS: dict[str, dict[str, Any]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


def add_options(parser: ArgumentParser) -> None:
    """Which figure, with options of its own."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    for name, figure in FIGURES.items():
        _add_own_options(
            kinds.add_parser(name, help=figure.about, description=figure.about, allow_abbrev=False), figure
        )


def _add_own_options(parser: ArgumentParser, figure: Figure) -> None:
    parser.add_argument("model", help="model file")
    if figure.rows != "none":
        add_data(parser)
    parser.add_argument("-o", "--output", required=True, metavar="FIGURE", help="file: .png, .svg or .pdf")
    if figure.rows == "one":
        parser.add_argument("--row", type=one_row, metavar="N", default="0", help="row of the subject; by default 0")
    if figure.rows == "some":
        parser.add_argument("--rows", type=rows, metavar="0,4-9", help="rows to draw; by default all")
        parser.add_argument("--groups", metavar="COLUMN", help="draw one curve for each value of this column")
    if figure.of:
        parser.add_argument("--of", choices=figure.of, default=figure.of[0], help=f"by default {figure.of[0]}")
    for name in figure.options.values():
        parser.add_argument(f"--{name}", **OPTIONS[name])
    if figure.outcome != "none":
        add_outcome_options(parser, RIGHT_CENSORED)
    if figure.training:
        parser.add_argument("--train", metavar="TABLE", help="training data, for censoring; by default the data")
    group = parser.add_argument_group("file")
    group.add_argument("--size", type=inches, metavar="6.4x4.8", help="width and height in inches")
    group.add_argument("--dpi", type=count, metavar="N", default=200, help="dots per inch of .png; by default 200")
    group.add_argument("--dark", action="store_true", help="light on dark")
    group.add_argument("--table", metavar="FILE", help="write the numbers too: .csv, .parquet or .feather")
    add_jobs(parser)


def run(options: Namespace) -> None:
    """Draw."""
    _check(options)
    model = read_model(options.model, options.jobs)
    figure = FIGURES[options.kind]
    arguments = {name: getattr(options, option) for name, option in figure.options.items()}
    arguments |= {"of": options.of} if figure.of else {}
    arguments |= {} if figure.rows == "none" else _data(model, figure, options)
    given = {name: value for name, value in arguments.items() if value is not None}
    with _canvas(options) as plt:
        shown = _draw(figure, model, given)
        drawn = shown.figure_ if isinstance(shown, Display) else shown[0].figure
        if options.size is not None:
            drawn.set_size_inches(options.size)
        _save(drawn, options)
        plt.close(drawn)
    if options.table is not None:
        write_blocks(options.table, [shown.frame() if figure.frame is None else figure.frame(model)])


def _draw(figure: Figure, model: FPBoost, arguments: dict[str, Any]) -> Any:
    """What the library draws."""
    with errors_name({**figure.options, "of": "of"}):
        return figure.draw(model, **arguments)


def _check(options: Namespace) -> None:
    """Refuse what cannot be drawn or written, before any work is done."""
    require("matplotlib", "plots")
    check_output(options.output)
    if _format(options.output) not in FORMATS:
        raise InputError(f"{options.output}: a figure is a file that ends with .png, .svg or .pdf; use one of these.")
    if options.table is not None:
        check_table_output(options.table)
    if getattr(options, "of", None) == "hazard" and outcome_columns(options):
        raise InputError("--of hazard has no estimate to compare with; leave out --time and --event.")


def _format(path: str) -> str:
    return Path(path).suffix.lower().removeprefix(".")


def _data(model: FPBoost, figure: Figure, options: Namespace) -> dict[str, Any]:
    """Features of the rows that are asked for, their outcomes, and their groups."""
    table, X = feature_table(model, options.data)
    groups = getattr(options, "groups", None)
    used = [] if groups is None else [groups]
    require_columns(options.data, table, used)
    arguments: dict[str, Any] = {"X": X}
    if groups is not None:
        arguments["groups"] = table[groups].to_numpy()
    if figure.outcome == "needed" or outcome_columns(options):
        arguments["y"] = read_outcome(options.data, table, options)
        used += used_columns(options)
    if getattr(options, "train", None) is not None:
        arguments["y_train"] = read_outcome(options.train, read_table(options.train), options)
    name_unused(model, table, used)
    return _choose_rows(arguments, getattr(options, "row", None) or getattr(options, "rows", None), options)


def _choose_rows(data: dict[str, Any], asked: list[range] | None, options: Namespace) -> dict[str, Any]:
    """Some of the rows; outcomes without groups are those of all, who have one estimate together."""
    if asked is None:
        return data
    last, n = max(part[-1] for part in asked), len(data["X"])
    if last >= n:
        raise InputError(f"{options.data}: there is no row {last}; the rows are 0 to {n - 1}.")
    chosen = [row for part in asked for row in part]
    in_groups = {"groups", "y"} if "groups" in data else set()
    others = {name: value[chosen] if name in in_groups else value for name, value in data.items() if name != "X"}
    return {"X": data["X"].iloc[chosen], **others}


@contextmanager
def _canvas(options: Namespace) -> Iterator[Any]:
    """Matplotlib, drawing on files only, light or dark."""
    require("matplotlib").use("agg")
    pyplot, style = require("matplotlib.pyplot"), require("matplotlib.style")
    look = {"svg.hashsalt": "hazboost"} | ({} if options.size is None else {"figure.figsize": options.size})
    with style.context([*(["dark_background"] if options.dark else []), look]):
        yield pyplot


def _save(figure: Any, options: Namespace) -> None:
    kind = _format(options.output)
    with complete_file(options.output) as beside:
        figure.savefig(beside, format=kind, dpi=options.dpi, metadata=FORMATS[kind])
