"""The command: ``python -m benchmarks paper`` runs the experiments of the paper and writes their tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.options import add_run_options, check_names, limits, names, numbers, shown
from benchmarks.harness.paths import DOCS, RESULTS
from benchmarks.studies.paper.cells import VARIANTS
from benchmarks.studies.paper.models import models
from benchmarks.studies.paper.protocol import PROTOCOL
from benchmarks.studies.paper.report import print_tables, write_report
from benchmarks.studies.paper.run import Study, run_study
from hazboost.datasets import PAPER, dataset_names

#: Results of the whole study, and of the quick look.
OUTPUT, QUICK_OUTPUT = RESULTS / "paper", RESULTS / "quick"
#: Tables and figures of the study.
REPORT = DOCS / "experiments"
QUICK_DATASETS = ("veterans", "gbsg2")
QUICK_SEEDS = (0, 1)
EPILOG = """\
examples:
  python -m benchmarks paper                   the whole study, then its tables; continues where it was interrupted
  python -m benchmarks paper run --seeds 0-4   the first five seeds, without tables
  python -m benchmarks paper tables            the tables of the results that there are
  python -m benchmarks paper --quick           every model on two small data sets with two seeds, in minutes
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cells that have no result yet, then print the tables of all results, and write them with figures."""
    options = parse(arguments)
    if options.step != "tables":
        study = Study(options.models, options.datasets, options.seeds, options.variants)
        run_study(study, options.output, limits(options), retry_errors=options.retry_errors)
    if options.step != "run":
        print_tables(options.output, sys.stdout)
        if options.report is not None:
            write_report(options.output, options.report)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks paper",
        description="Run the experiments of the paper and write their tables; see docs/running-experiments.md.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_options(parser)
    options = parser.parse_args(arguments)
    options.models = options.models or tuple(models())
    options.datasets = options.datasets or (QUICK_DATASETS if options.quick else PAPER)
    options.seeds = options.seeds or (QUICK_SEEDS if options.quick else tuple(range(PROTOCOL.seeds)))
    options.variants = options.variants or VARIANTS
    options.output = options.output or (QUICK_OUTPUT if options.quick else OUTPUT)
    options.report = options.report or (None if options.quick else REPORT)
    check_names(parser, "--models", options.models, models())
    if not set(options.datasets) <= set(PAPER):  # listing the names of SurvSet takes a second
        check_names(parser, "--datasets", options.datasets, dataset_names())
    check_names(parser, "--variants", options.variants, VARIANTS)
    return options


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", nargs="?", choices=("all", "run", "tables"), default="all", help="both by default")
    parser.add_argument("--quick", action="store_true", help="two small data sets, two seeds")
    parser.add_argument("--models", type=names, help="names, separated by commas; all by default")
    parser.add_argument("--datasets", type=names, help="names, separated by commas; the eight of the paper by default")
    parser.add_argument("--seeds", type=numbers, help="like 0-29 or 0,2,5; 0-29 by default")
    parser.add_argument("--variants", type=names, help="paper, leak_free, or both with a comma; both by default")
    add_run_options(parser, timeout=3600.0)
    parser.add_argument(
        "--output", type=Path, help=f"folder of the results; {shown(OUTPUT)}, with --quick {shown(QUICK_OUTPUT)}"
    )
    parser.add_argument(
        "--report", type=Path, help=f"folder of tables and figures; {shown(REPORT)}, or with --quick none"
    )
