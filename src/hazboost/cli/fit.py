"""``hazboost fit``: a table becomes a model file, by `FPBoost.fit`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.options import count, names, threads
from hazboost.cli.outcomes import add_outcome_options, outcome_columns, read_outcome
from hazboost.cli.tables import STANDARD, read_table, require_columns
from hazboost.cli.values import as_categories, read_numbers
from hazboost.cli.writing import check_output
from hazboost.estimator import FPBoost

ABOUT = "fit a model to a table and write it to a file"


def add_options(parser: ArgumentParser) -> None:
    """What to fit to, and how."""
    parser.add_argument("data", help="table: .csv, .parquet or .feather, or - for CSV on standard input")
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="model file, usually .hzb")
    add_outcome_options(parser)
    group = parser.add_argument_group("features")
    either = group.add_mutually_exclusive_group()
    either.add_argument("--features", type=names, metavar="A,B", help="columns to use; by default all others")
    either.add_argument("--drop", type=names, metavar="A,B", default=[], help="columns not to use")
    group.add_argument("--weight", metavar="COLUMN", help="weights of the rows")
    group.add_argument("--groups", metavar="COLUMN", help="rows that belong together, such as those of a hospital")
    group = parser.add_argument_group("model")
    group.add_argument(
        "--rounds", type=count, metavar="N", help="boosting rounds; by default chosen by cross-validation"
    )
    group.add_argument("--paper", action="store_true", help="the algorithm as published, FPBoost.paper")
    group.add_argument("--seed", type=int, default=0, help="seed of everything that is random; by default 0")
    group.add_argument("--jobs", type=threads, metavar="N", help="number of threads, -1 for all; by default 1")


def run(options: Namespace) -> None:
    """Fit a model."""
    if options.output == STANDARD:
        raise InputError("-o must be the name of a file; a model is not written to standard output.")
    check_output(options.output)
    table = read_table(options.data)
    y = read_outcome(options.data, table, options)
    X = _features(table, options)
    weight = None if options.weight is None else read_numbers(table[options.weight])
    groups = None if options.groups is None else table[options.groups].to_numpy()
    model = _estimator(options).fit(X, y, sample_weight=weight, groups=groups)
    model.save(options.output)
    sys.stderr.write(
        f"{options.output}: fitted to {len(table)} rows and {X.shape[1]} features, "
        f"{model.n_estimators_} rounds of trees of depth {model.max_depth_}\n"
    )


def _features(table: Any, options: Namespace) -> Any:
    """The columns that are asked for, or all that have no other purpose; text becomes categories."""
    asked = options.features or []
    taken = [name for name in (*outcome_columns(options).values(), options.weight, options.groups) if name is not None]
    origin = [options.time_origin] if options.time_origin in table.columns else []
    require_columns(options.data, table, [*asked, *options.drop, *taken])
    both = [name for name in asked if name in taken]
    if both:
        raise InputError(f"--features must not name {', '.join(both)}, which has another purpose; leave it out.")
    chosen = asked or [name for name in table.columns if name not in {*taken, *origin, *options.drop}]
    if not chosen:
        raise InputError(f"{options.data}: no column is left as a feature; give a table with at least one more.")
    features = table[chosen].copy()
    for name in chosen:
        features[name] = as_categories(table[name])
    return features


def _estimator(options: Namespace) -> FPBoost:
    settings: dict[str, Any] = {
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "verbose": int(sys.stderr.isatty()),
    }
    if options.rounds is not None:
        settings["n_estimators"] = options.rounds
    return FPBoost.paper(**settings) if options.paper else FPBoost(**settings)
