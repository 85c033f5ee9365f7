"""``hazboost evaluate``: how well a model predicts for other subjects, by `hazboost.evaluate`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hazboost.cli.models import feature_table, name_unused, read_model
from hazboost.cli.options import threads
from hazboost.cli.outcomes import add_outcome_options, read_outcome, used_columns
from hazboost.cli.writing import write_report
from hazboost.prediction.evaluation import evaluate

ABOUT = "compare predictions with what was observed"


def add_options(parser: ArgumentParser) -> None:
    """What to evaluate, and on whom."""
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with the outcome, of subjects that the model was not fitted to")
    add_outcome_options(parser, ("time", "event", "entry"))
    parser.add_argument("--cause", type=int, help="cause of interest, of several; by default any event")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--jobs", type=threads, metavar="N", help="number of threads, -1 for all; by default 1")


def run(options: Namespace) -> None:
    """Evaluate."""
    model = read_model(options.model, options.jobs)
    table, X = feature_table(model, options.data)
    y = read_outcome(options.data, table, options)
    name_unused(model, table, used_columns(options))
    write_report(evaluate(model, X, y, options.cause), as_json=options.json)
