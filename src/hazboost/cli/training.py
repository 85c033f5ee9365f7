"""What `fit` and `tune` share: the training data, and the file of the fitted model."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from hazboost.cli.errors import InputError
from hazboost.cli.options import add_data, names
from hazboost.cli.outcomes import add_outcome_options, outcome_columns, read_outcome
from hazboost.cli.tables import read_table, require_columns
from hazboost.cli.values import as_categories, read_numbers
from hazboost.estimator import FPBoost

#: Options by the name of the argument of the library that they are.
OPTIONS = {"sample_weight": "weight", "groups": "groups"}
#: How pandas calls columns without a name.
UNNAMED = "Unnamed: "


def add_training_options(parser: ArgumentParser) -> None:
    """What to fit to, and where to write the model."""
    add_data(parser)
    parser.add_argument("-o", "--output", required=True, metavar="MODEL", help="model file, usually .hzb")
    add_outcome_options(parser)
    group = parser.add_argument_group("features")
    either = group.add_mutually_exclusive_group()
    either.add_argument("--features", type=names, metavar="A,B", help="columns to use; by default all others")
    either.add_argument("--drop", type=names, metavar="A,B", default=[], help="columns not to use")
    group.add_argument("--weight", metavar="COLUMN", help="weights of the rows")
    group.add_argument("--groups", metavar="COLUMN", help="rows that belong together, such as those of a hospital")


def read_training(options: Namespace) -> dict[str, Any]:
    """The arguments X, y, sample_weight and groups of `FPBoost.fit`."""
    table = read_table(options.data)
    return {
        "y": read_outcome(options.data, table, options),
        "X": _features(table, options),
        "sample_weight": None if options.weight is None else read_numbers(table[options.weight]),
        "groups": None if options.groups is None else table[options.groups].to_numpy(),
    }


def write_model(model: FPBoost, options: Namespace, rows: int) -> None:
    """Write the model, and say on standard error what it is."""
    model.save(options.output)
    sys.stderr.write(
        f"{options.output}: fitted to {rows} rows and {model.n_features_in_} features, "
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
    unnamed = [] if asked else [name for name in chosen if str(name).startswith(UNNAMED)]
    if unnamed:
        raise InputError(
            f"{options.data}: column {unnamed[0]!r} has no name in the header, like the numbers of rows that pandas "
            f"writes; leave it out with --drop {unnamed[0]!r}, or give it a name."
        )
    features = table[chosen].copy()
    for name in chosen:
        features[name] = as_categories(table[name])
    return features
