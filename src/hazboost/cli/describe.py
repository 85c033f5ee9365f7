"""``hazboost describe``: what is in a model file or in a table."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import numpy as np

from hazboost.cli.models import read_model
from hazboost.cli.outcomes import add_outcome_options, outcome_columns, read_outcome
from hazboost.cli.tables import STANDARD, read_table
from hazboost.cli.values import is_date, is_text
from hazboost.cli.writing import write_report
from hazboost.data.nonparametric import censoring_distribution
from hazboost.data.reading import as_target
from hazboost.files import read_versions
from hazboost.prediction.notebook import summarize

ABOUT = "say what is in a model file or a table"
#: How files of models, which are zip archives, begin.
ARCHIVE = b"PK"


def add_options(parser: ArgumentParser) -> None:
    """What to describe."""
    parser.add_argument("file", help="model file or table")
    add_outcome_options(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: Namespace) -> None:
    """Describe."""
    described = model_facts(options.file) if _is_model(options.file) else table_facts(options)
    write_report(described, as_json=options.json)


def _is_model(path: str) -> bool:
    if path == STANDARD or not Path(path).is_file():
        return path.endswith(".hzb")
    with Path(path).open("rb") as file:
        return path.endswith(".hzb") or file.read(len(ARCHIVE)) == ARCHIVE


def model_facts(path: str) -> dict[str, Any]:
    """Facts about a model."""
    model = read_model(path)
    schema = model.model_.schema
    names = schema.names or [f"x{i}" for i in range(model.n_features_in_)]
    categories = {names[i]: [str(one) for one in known] for i, known in schema.categories.items()}
    return {
        "heads": dict(model.heads_),
        "rounds": int(model.n_estimators_),
        "depth": int(model.max_depth_),
        "ridge": None if model.ridge_ is None else float(model.ridge_),
        "causes": [int(one) for one in model.causes_],
        "features": {name: categories.get(name, "number") for name in names},
        "training": summarize(model),
        "versions": read_versions(path),
    }


def table_facts(options: Namespace) -> dict[str, Any]:
    """Facts about a table, and about the outcome if its columns are named."""
    table = read_table(options.file)
    facts: dict[str, Any] = {
        "rows": len(table),
        "columns": {
            str(
                name
            ): f"{_kind(table[name])}, {int(table[name].nunique())} distinct, {int(table[name].isna().sum())} missing"
            for name in table.columns
        },
    }
    if outcome_columns(options):
        facts["outcome"] = _outcome_facts(options, table)
    return facts


def _outcome_facts(options: Namespace, table: Any) -> dict[str, Any]:
    y = read_outcome(options.file, table, options)
    target = as_target(y, causes_known=True)
    fields = y.dtype.names or ()
    facts: dict[str, Any] = {"events": int((target.event | target.interval).sum())}
    if target.n_causes > 1:
        facts["events_by_cause"] = {str(i): int((target.cause == i).sum()) for i in range(1, target.n_causes + 1)}
    facts["longest_time"] = float(target.longest)
    if "id" in fields:
        facts["subjects"] = len(np.unique(y["id"]))
    if "time" in fields:
        facts["median_follow_up"] = _median_follow_up(*censoring_distribution(target))
    return facts


def _median_follow_up(time: Any, uncensored: Any) -> float:
    """Median of the time to censoring, by the reverse Kaplan-Meier estimate; NaN if it is not reached."""
    below = np.flatnonzero(uncensored <= 0.5)
    return float(time[below[0]]) if len(below) else float("nan")


def _kind(column: Any) -> str:
    if is_date(column):
        return "dates"
    if is_text(column) or str(column.dtype) == "category":
        return "text"
    return "booleans" if column.dtype == bool else "numbers"
