"""``hazboost explain``: contributions of the features to predictions, by the functions of `hazboost.explain`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.models import feature_blocks, feature_table, name_unused, read_model
from hazboost.cli.options import add_data, add_jobs, moments
from hazboost.cli.progress import Rows
from hazboost.cli.tables import STANDARD
from hazboost.cli.writing import check_table_output, write_blocks
from hazboost.estimator import FPBoost
from hazboost.explain import contributions, importance
from hazboost.explain.dividing import FUNCTIONALS

ABOUT = "say which features move the predictions"
#: Every row has a contribution of each feature at each time.
BLOCK = 2_000


def add_options(parser: ArgumentParser) -> None:
    """What to explain, and for whom."""
    parser.add_argument("model", help="model file")
    add_data(parser)
    parser.add_argument(
        "-o", "--output", metavar="TABLE", default=STANDARD, help="table of contributions; by default standard output"
    )
    parser.add_argument("--of", choices=list(FUNCTIONALS), help="prediction to explain; by default survival")
    parser.add_argument(
        "--times", type=moments, metavar="1,2,5", help="by default the time up to which risks are compared"
    )
    parser.add_argument("--cause", type=int, help="cause of the incidence or the hazard, of several")
    parser.add_argument(
        "--importance", action="store_true", help="mean sizes of contributions, one row for each feature"
    )
    add_jobs(parser)


def run(options: Namespace) -> None:
    """Explain."""
    check_table_output(options.output)
    if options.importance and (options.of, options.times, options.cause) != (None, None, None):
        raise InputError(
            "--importance is that for all scores and the mean survival time; leave out --of, --times and --cause."
        )
    model = read_model(options.model, options.jobs)
    if options.importance:
        table, X = feature_table(model, options.data)
        name_unused(model, table, ())
        write_blocks(options.output, [importance(model, X)])
    else:
        write_blocks(options.output, _contributions(model, options))


def _contributions(model: FPBoost, options: Namespace) -> Iterator[Any]:
    grid = None if options.times is None else [one.value for one in options.times]
    with Rows() as progress:
        for block, X in feature_blocks(model, options.data, progress, BLOCK):
            if progress.done == 0:
                name_unused(model, block, ())
            table = contributions(model, X, options.of or "survival", grid, options.cause).frame()
            yield table.assign(subject=table["subject"] + block.index[0])
            progress.advance(len(block))
