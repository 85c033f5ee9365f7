"""The command: ``python -m benchmarks seeds`` runs the study and writes its report.

Cells that have a result are skipped, so that a run may be killed and started again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from benchmarks.harness.cells import unfinished
from benchmarks.harness.options import add_run_options, check_names, limits, names, numbers, shown
from benchmarks.harness.packages import is_available
from benchmarks.harness.paths import RESULTS
from benchmarks.peers import peers_of
from benchmarks.studies.accuracy import data
from benchmarks.studies.seeds.cells import WORK, Cell
from benchmarks.studies.seeds.report import write_report

OUTPUT = RESULTS / "seeds"
DATASETS = ("veteran", "pbc", "whas500", "uis", "GBSG2", "colon")
VARIANTS = ("default", "folds_10", "folds_20", "folds_30")
#: Splits that decided four numbers only.
REPEATS = (6, 7, 8)
#: The version that is here.
HERE = "here"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cells that have no result yet, then write and print the report of all results."""
    options = parse(arguments)
    if options.step != "report":
        run(options)
    if options.step != "run":
        sys.stdout.write(write_report(options.output))


def run(options: argparse.Namespace) -> None:
    """Run the cells that have no result yet."""
    peers, lines = peers_of("ablation"), WORK.read(options.output)
    planned = [
        Cell(dataset, variant, repeat, options.version)
        for repeat, dataset, variant in product(options.repeats, options.datasets, options.variants)
    ]
    missing = unfinished(planned, lines, retry_errors=options.retry_errors)
    available = {name for name in {cell.model for cell in missing} if is_available(name, peers[name])}
    WORK.execute(
        [cell for cell in missing if cell.model in available],
        options.output,
        limits(options),
        WORK.costs({name: len(data.load(name).X) for name in options.datasets}, lines),
    )


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks seeds",
        description="How far predictions of FPBoost depend on its random seed; see the README of the ablations.",
    )
    variants = tuple(peers_of("ablation"))
    parser.add_argument("step", nargs="?", choices=("all", "run", "report"), default="all", help="both by default")
    parser.add_argument("--datasets", type=names, default=DATASETS, help=f"{','.join(DATASETS)} by default")
    parser.add_argument("--variants", type=names, default=VARIANTS, help=f"{','.join(VARIANTS)} by default")
    parser.add_argument("--repeats", type=numbers, default=REPEATS, help="splits of the accuracy study; 6-8 by default")
    parser.add_argument("--version", default=HERE, help=f"what to call this version of the library; {HERE} by default")
    add_run_options(parser, timeout=1_800.0)
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of results and report; {shown(OUTPUT)}")
    options = parser.parse_args(arguments)
    check_names(parser, "--variants", options.variants, variants)
    if options.datasets != DATASETS:  # loading all sets takes seconds
        check_names(parser, "--datasets", options.datasets, data.names())
    return options
