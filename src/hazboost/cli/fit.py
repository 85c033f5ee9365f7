"""``hazboost fit``: a table becomes a model file, by `FPBoost.fit`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from hazboost.cli.options import add_jobs, count, errors_name
from hazboost.cli.training import OPTIONS, add_training_options, read_training, write_model
from hazboost.cli.writing import check_file_output
from hazboost.estimator import FPBoost

ABOUT = "fit a model to a table and write it to a file"


def add_options(parser: ArgumentParser) -> None:
    """What to fit to, and how."""
    add_training_options(parser)
    group = parser.add_argument_group("model")
    group.add_argument(
        "--rounds", type=count, metavar="N", help="boosting rounds; by default chosen by cross-validation"
    )
    group.add_argument("--paper", action="store_true", help="the algorithm as published, FPBoost.paper")
    group.add_argument("--seed", type=int, default=0, help="seed of everything that is random; by default 0")
    add_jobs(group)


def run(options: Namespace) -> None:
    """Fit a model."""
    check_file_output(options.output, "a model", "model.hzb")
    data = read_training(options)
    with errors_name(OPTIONS):
        model = _estimator(options).fit(**data)
    write_model(model, options, len(data["y"]))


def _estimator(options: Namespace) -> FPBoost:
    settings: dict[str, Any] = {
        "random_state": options.seed,
        "n_jobs": options.jobs,
        "verbose": int(sys.stderr.isatty()),
    }
    if options.rounds is not None:
        settings["n_estimators"] = options.rounds
    return FPBoost.paper(**settings) if options.paper else FPBoost(**settings)
