"""``hazboost predict``: predictions for the rows of a table, a block of rows at a time, by ``FPBoost.predict*``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hazboost.cli.errors import InputError
from hazboost.cli.models import feature_blocks, name_unused, read_model
from hazboost.cli.options import Moment, add_data, add_jobs, moments, names
from hazboost.cli.progress import Rows
from hazboost.cli.tables import STANDARD, kind_of, require_columns
from hazboost.cli.writing import check_table_output, write_blocks
from hazboost.estimator import FPBoost

ABOUT = "predict for the rows of a table"

#: Columns of predictions, by name.
Columns = dict[str, Any]


def add_options(parser: ArgumentParser) -> None:
    """What to predict, and for whom."""
    parser.add_argument("model", help="model file")
    add_data(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="TABLE",
        default=STANDARD,
        help="table of predictions; by default CSV on standard output",
    )
    parser.add_argument("--what", choices=list(KINDS), default="risk", help="by default the risk")
    parser.add_argument(
        "--times", type=moments, metavar="1,2,5", default=[], help="times of survival, incidence or rmst"
    )
    parser.add_argument("--cause", type=int, help="cause of the risk or the incidence, of several")
    parser.add_argument("--keep", type=names, metavar="A,B", default=[], help="columns of the table to put first")
    add_jobs(parser)


def run(options: Namespace) -> None:
    """Predict."""
    _check(options)
    check_table_output(options.output)
    kind_of(options.data)
    write_blocks(options.output, _predictions(read_model(options.model, options.jobs), options))


def _check(options: Namespace) -> None:
    """Refuse options that do not go together."""
    if options.what in ("survival", "incidence") and not options.times:
        raise InputError(f"--what {options.what} needs --times; give one or several, such as --times 1,2,5.")
    if options.what not in ("survival", "incidence", "rmst") and options.times:
        raise InputError(f"--times must not be given with --what {options.what}, which has none; leave it out.")
    if options.what not in ("risk", "incidence") and options.cause is not None:
        raise InputError(f"--cause must not be given with --what {options.what}; use --what risk or --what incidence.")


def _predictions(model: FPBoost, options: Namespace) -> Iterator[Any]:
    # Arrow has types, and numbers are worth more there than how they were written.
    kept = options.keep if kind_of(options.output) == "csv" else ()
    with Rows() as progress:
        for block, X in feature_blocks(model, options.data, progress, kept=kept):
            require_columns(options.data, block, options.keep)
            if progress.done == 0:
                name_unused(model, block, options.keep)
            first = block[options.keep].reset_index(drop=True)
            predicted = KINDS[options.what](model, X, options.times, options.cause)
            clash = [name for name in predicted if name in options.keep]
            if clash:
                raise InputError(f"--keep must not name {clash[0]}, which is a column of the result; rename it.")
            yield first.assign(**predicted)
            progress.advance(len(block))


def _risk(model: FPBoost, X: Any, times: list[Moment], cause: int | None) -> Columns:
    return {"risk": model.predict(X, cause)}


def _survival(model: FPBoost, X: Any, times: list[Moment], cause: int | None) -> Columns:
    values = model.predict_survival_function(X, times=[one.value for one in times])
    return {f"survival_{one.written}": values[:, i] for i, one in enumerate(times)}


def _median(model: FPBoost, X: Any, times: list[Moment], cause: int | None) -> Columns:
    return {"median": model.predict_median(X)}


def _mean(model: FPBoost, X: Any, times: list[Moment], cause: int | None) -> Columns:
    return {"mean": model.predict_mean(X)}


def _rmst(model: FPBoost, X: Any, times: list[Moment], cause: int | None) -> Columns:
    if not times:
        return {"rmst": model.predict_rmst(X)}
    return {f"rmst_{one.written}": model.predict_rmst(X, one.value) for one in times}


def _incidence(model: FPBoost, X: Any, times: list[Moment], cause: int | None) -> Columns:
    causes = model.causes_.tolist() if cause is None else [cause]
    columns: Columns = {}
    for number in causes:
        values = np.asarray(
            model.predict_cumulative_incidence_function(X, times=[one.value for one in times], cause=number)
        )
        of = f"_of_{number}" if len(causes) > 1 else ""
        columns.update({f"incidence{of}_{one.written}": values[:, i] for i, one in enumerate(times)})
    return columns


KINDS: dict[str, Callable[[FPBoost, Any, list[Moment], int | None], Columns]] = {
    "risk": _risk,
    "survival": _survival,
    "median": _median,
    "mean": _mean,
    "rmst": _rmst,
    "incidence": _incidence,
}
