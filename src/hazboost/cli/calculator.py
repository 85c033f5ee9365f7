"""``hazboost calculator``: a web page of a model, by `FPBoost.calculator`."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from hazboost.cli.models import read_model
from hazboost.cli.writing import check_file_output

ABOUT = "write a web page on which a model predicts"


def add_options(parser: ArgumentParser) -> None:
    """The model, and words for people."""
    parser.add_argument("model", help="model file")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the page, a file that ends with .html")
    parser.add_argument("--title", help="title of the page")
    parser.add_argument(
        "--label",
        type=pair,
        action="append",
        metavar="COLUMN:TEXT",
        help="label of a column, or of a category as in 'sex=f:female'; may be repeated",
    )
    parser.add_argument(
        "--unit", type=pair, action="append", metavar="COLUMN:UNIT", help="unit of a column; may be repeated"
    )
    parser.add_argument(
        "--time-unit",
        type=time_unit,
        metavar="UNIT[:LENGTH]",
        help="unit of time, or another one to be shown with its length in that of the data: years:365.25",
    )
    parser.add_argument(
        "--event",
        type=pair,
        action="append",
        metavar="CAUSE:TEXT",
        help="name of the event of a cause; may be repeated",
    )
    parser.add_argument("--language", default="en", help="language of the page, en or de; by default en")


def pair(text: str) -> tuple[str, str]:
    """Two texts with a colon between them, the last one of several."""
    name, colon, value = text.rpartition(":")
    if not (colon and name and value):
        raise ArgumentTypeError(f"must be two texts with a colon between them, such as age:years; got {text!r}.")
    return name, value


def time_unit(text: str) -> str | tuple[str, float]:
    """A name, or a name and a length."""
    name, colon, length = text.rpartition(":")
    if not colon:
        return text
    try:
        return name, float(length)
    except ValueError:
        raise ArgumentTypeError(f"must be a name, or a name and a number such as years:365.25; got {text!r}.") from None


def run(options: Namespace) -> None:
    """Write the page."""
    check_file_output(options.output, "a page", "page.html")
    events = {int(cause) if cause.isdecimal() else cause: text for cause, text in options.event or []}
    read_model(options.model).calculator(
        options.output,
        title=options.title,
        labels=dict(options.label or []),
        units=dict(options.unit or []),
        time_unit=options.time_unit,
        events=events,
        language=options.language,
    )
