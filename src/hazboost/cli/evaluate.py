"""``hazboost evaluate``: how well a model predicts for other subjects, by `hazboost.evaluate`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from hazboost.cli.models import feature_table, name_unused, read_model
from hazboost.cli.options import add_jobs
from hazboost.cli.outcomes import RIGHT_CENSORED, add_outcome_options, read_outcome, used_columns
from hazboost.cli.writing import write_report
from hazboost.prediction.evaluation import evaluate

ABOUT = "compare predictions with what was observed"


def add_options(parser: ArgumentParser) -> None:
    """What to evaluate, and on whom."""
    parser.add_argument("model", help="model file")
    parser.add_argument("data", help="table with the outcome, of subjects that the model was not fitted to")
    add_outcome_options(parser, RIGHT_CENSORED)
    parser.add_argument("--cause", type=int, help="cause of interest, of several; by default any event")
    parser.add_argument("--json", action="store_true", help="print JSON")
    add_jobs(parser)


def run(options: Namespace) -> None:
    """Evaluate."""
    model = read_model(options.model, options.jobs)
    table, X = feature_table(model, options.data)
    y = read_outcome(options.data, table, options)
    name_unused(model, table, used_columns(options))
    write_report(evaluate(model, X, y, options.cause), as_json=options.json)
