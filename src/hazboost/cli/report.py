"""``hazboost report``: a page about a model, by `FPBoost.report`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.models import feature_table, name_unused, read_model
from hazboost.cli.options import threads
from hazboost.cli.outcomes import add_outcome_options, read_outcome, used_columns
from hazboost.cli.tables import STANDARD, require_columns
from hazboost.cli.writing import check_output

ABOUT = "write a page about a model for whoever must decide whether to trust it"


def add_options(parser: ArgumentParser) -> None:
    """What to report on, and on which data."""
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with the outcome, of subjects that the model was not fitted to")
    parser.add_argument("-o", "--output", required=True, help="the page, a file that ends in .html")
    parser.add_argument("--train", metavar="TABLE", help="training data, for flags and comparisons that need its rows")
    parser.add_argument(
        "--groups", metavar="COLUMN", help="column of groups whose scores are compared, such as hospitals"
    )
    parser.add_argument("--title", help="title of the page")
    parser.add_argument("--no-examples", action="store_true", help="show no rows of the data as examples")
    add_outcome_options(parser, ("time", "event", "entry"))
    parser.add_argument("--jobs", type=threads, metavar="N", help="number of threads, -1 for all; by default 1")


def run(options: Namespace) -> None:
    """Write the page."""
    if options.output == STANDARD:
        raise InputError(
            "-o must be the name of a file, such as report.html; a page is not written to standard output."
        )
    check_output(options.output)
    model = read_model(options.model, options.jobs)
    table, X = feature_table(model, options.data)
    y = read_outcome(options.data, table, options)
    train: tuple[Any, ...] = ()
    if options.train is not None:
        trained, X_train = feature_table(model, options.train)
        train = X_train, read_outcome(options.train, trained, options)
    groups, used = None, used_columns(options)
    if options.groups is not None:
        require_columns(options.data, table, [options.groups])
        groups = table[options.groups].astype(str)
        used.append(options.groups)
    name_unused(model, table, used)
    model.report(options.output, X, y, *train, groups=groups, title=options.title, examples=not options.no_examples)
