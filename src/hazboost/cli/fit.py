"""``hazboost fit``: a table becomes a model file, by `FPBoost.fit`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from hazboost.cli.options import count, errors_name, threads
from hazboost.cli.training import OPTIONS, add_training_options, check_model_output, read_training, write_model
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
    group.add_argument("--jobs", type=threads, metavar="N", help="number of threads, -1 for all; by default 1")


def run(options: Namespace) -> None:
    """Fit a model."""
    check_model_output(options.output)
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
