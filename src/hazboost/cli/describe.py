"""``hazboost describe``: what is in a model file or in a table."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

import numpy as np

from hazboost.cli.models import read_model
from hazboost.cli.outcomes import add_outcome_options, outcome_columns, read_outcome
from hazboost.cli.tables import STANDARD, read_table
from hazboost.cli.values import is_date, is_text
from hazboost.cli.writing import write_report
from hazboost.data.nonparametric import median_follow_up
from hazboost.data.reading import as_target
from hazboost.files import read_versions

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
    if _is_model(options.file):
        describe_model(options.file, as_json=options.json)
    else:
        write_report(table_facts(options), as_json=options.json)


def describe_model(path: str, *, as_json: bool) -> None:
    """Print `hazboost.FPBoost.summary` of a model, and the versions that have written its file."""
    summary, versions = read_model(path).summary(), read_versions(path)
    if as_json:
        write_report({**summary.to_dict(), "written_by": versions}, as_json=True)
    else:
        by = ", ".join(f"{name} {version}" for name, version in versions.items())
        sys.stdout.write(f"{summary}\n  file written by {by}\n")


def _is_model(path: str) -> bool:
    if path == STANDARD or not Path(path).is_file():
        return path.endswith(".hzb")
    with Path(path).open("rb") as file:
        return path.endswith(".hzb") or file.read(len(ARCHIVE)) == ARCHIVE


def table_facts(options: Namespace) -> dict[str, Any]:
    """Facts about a table, and about the outcome if its columns are named."""
    table = read_table(options.file)
    facts: dict[str, Any] = {
        "rows": len(table),
        "columns": {str(name): _describe_column(table[name]) for name in table.columns},
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
        facts["median_follow_up"] = median_follow_up(target)
    return facts


def _describe_column(column: Any) -> str:
    return f"{_kind(column)}, {int(column.nunique())} distinct, {int(column.isna().sum())} missing"


def _kind(column: Any) -> str:
    if is_date(column):
        return "dates"
    if is_text(column) or str(column.dtype) == "category":
        return "text"
    return "booleans" if column.dtype == bool else "numbers"
