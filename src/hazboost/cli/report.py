"""``hazboost report``: a page about a model, by `FPBoost.report`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from hazboost.cli.models import feature_table, name_unused, read_model
from hazboost.cli.options import add_jobs
from hazboost.cli.outcomes import RIGHT_CENSORED, add_outcome_options, read_outcome, used_columns
from hazboost.cli.tables import require_columns
from hazboost.cli.writing import check_file_output

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
    add_outcome_options(parser, RIGHT_CENSORED)
    add_jobs(parser)


def run(options: Namespace) -> None:
    """Write the page."""
    check_file_output(options.output, "a page", "report.html")
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
