"""``hazboost tune``: a search for better hyperparameters, by `hazboost.tune`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import Any

from hazboost.cli.options import count, errors_name, seconds, threads
from hazboost.cli.packages import require
from hazboost.cli.training import OPTIONS, add_training_options, read_training, write_model
from hazboost.cli.writing import check_file_output, check_output, check_table_output, write_blocks, write_report
from hazboost.tuning import TuningResult, tune
from hazboost.tuning.scores import METRICS
from hazboost.tuning.spaces import SPACES

ABOUT = "search for better hyperparameters and write the best model to a file"


def add_options(parser: ArgumentParser) -> None:
    """What to fit to, and how to search."""
    add_training_options(parser)
    group = parser.add_argument_group("search")
    group.add_argument("--trials", type=count, metavar="N", default=50, help="configurations to try; by default 50")
    group.add_argument("--time-limit", type=seconds, metavar="SECONDS", help="begin no further trial after this time")
    group.add_argument(
        "--metric",
        choices=list(METRICS),
        default="likelihood",
        help="held-out score to maximise; by default the likelihood",
    )
    group.add_argument("--space", choices=list(SPACES), default="default", help="ranges to search; by default our own")
    group.add_argument(
        "--folds", type=count, metavar="N", default=5, help="folds of the cross-validation; by default 5"
    )
    group.add_argument(
        "--storage",
        metavar="FILE",
        help="keeps the trials, in a file or at a URL such as sqlite:///study.db; the same command goes on with them",
    )
    group.add_argument("--study", metavar="NAME", help="name of the search, where a storage has several")
    group.add_argument("--seed", type=int, default=0, help="seed of everything that is random; by default 0")
    group.add_argument("--jobs", type=threads, metavar="N", help="trials at the same time, -1 for all; by default 1")
    group = parser.add_argument_group("result")
    group.add_argument("--table", metavar="FILE", help="table of all trials: .csv, .parquet or .feather")
    group.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> None:
    """Search."""
    require("optuna", "tune")
    check_file_output(options.output, "a model", "model.hzb")
    if options.table is not None:
        check_table_output(options.table)
    if options.storage is not None and "://" not in options.storage:
        check_output(options.storage)
    data = read_training(options)
    with errors_name({**OPTIONS, "cv": "folds", "storage": "storage", "study_name": "study"}):
        result = tune(
            **data,
            space=options.space,
            n_trials=options.trials,
            timeout=options.time_limit,
            metric=options.metric,
            cv=options.folds,
            storage=options.storage,
            study_name=options.study,
            n_jobs=options.jobs,
            random_state=options.seed,
            verbose=int(sys.stderr.isatty()),
        )
    write_model(result.best_estimator, options, len(data["y"]))
    if options.table is not None:
        write_blocks(options.table, [_with_texts(result.trials)])
    write_report(_facts(result), as_json=options.json)


def _with_texts(trials: Any) -> Any:
    """The same table with text instead of objects: a parameter may be a number in one trial and a word in another."""
    mixed = [name for name in trials.columns if trials[name].dtype == object]
    return trials.assign(**{name: trials[name].map(str, na_action="ignore") for name in mixed})


def _facts(result: TuningResult) -> dict[str, Any]:
    states = list(result.trials["state"])
    return {
        "trials": {state: states.count(state) for state in ("complete", "pruned", "failed")},
        "metric": result.metric,
        "score": float(result.best_score),
        "score_of_defaults": float(result.default_score),
        "parameters": dict(result.best_params),
    }
