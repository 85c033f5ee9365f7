"""The command: ``python -m benchmarks learning`` runs the study and writes its report.

Cells that have a result are skipped, so that a run may be killed and started again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from benchmarks.harness.cells import unfinished
from benchmarks.harness.options import add_run_options, check_names, limits, names, numbers, positive, shown, sizes
from benchmarks.harness.packages import is_available
from benchmarks.harness.paths import RESULTS
from benchmarks.studies.learning.cells import WORK, Cell
from benchmarks.studies.learning.models import models, usual
from benchmarks.studies.learning.report import write_report
from benchmarks.studies.learning.situations import COLUMNS, SITUATIONS

OUTPUT = RESULTS / "learning"
ROWS = (1_000, 10_000, 100_000, 1_000_000)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cells that have no result yet, then write and print the report of all results."""
    options = parse(arguments)
    if options.step != "report":
        run(options)
    if options.step != "run":
        sys.stdout.write(write_report(options.output, options.models, options.situations, options.threads))


def run(options: argparse.Namespace) -> None:
    """Run the cells that have no result yet, in as many processes as the threads of each leave cores for."""
    peers, lines, allowed = models(), WORK.read(options.output), limits(options)
    planned = [
        Cell(situation, n, model, repeat, options.threads)
        for n, repeat, situation, model in product(options.rows, options.repeats, options.situations, options.models)
    ]
    missing = unfinished(planned, lines, retry_errors=options.retry_errors)
    available = {name for name in {cell.model for cell in missing} if is_available(name, peers[name])}
    WORK.execute(
        [cell for cell in missing if cell.model in available],
        options.output,
        replace(allowed, jobs=max(1, allowed.jobs // options.threads)),
        WORK.costs({cell.data: cell.rows for cell in planned}, lines),
        lambda cell: peers[cell.model].memory(cell.rows, COLUMNS),
    )


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks learning",
        description="Errors of predicted survival functions by the number of rows; see its README.",
    )
    parser.add_argument("step", nargs="?", choices=("all", "run", "report"), default="all", help="both by default")
    parser.add_argument("--models", type=names, default=usual(), help="names, separated by commas; all without a GPU")
    parser.add_argument("--situations", type=names, default=tuple(SITUATIONS), help="names, separated by commas")
    parser.add_argument("--rows", type=sizes, default=ROWS, help="training rows, like 1e3,1e4,1e5,1e6 (the default)")
    parser.add_argument("--repeats", type=numbers, default=(0,), help="like 0 (the default) or 0-2")
    parser.add_argument("--threads", type=positive, default=1, help="threads of each fit; 1 by default")
    add_run_options(parser, timeout=7_200.0)
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of results and report; {shown(OUTPUT)}")
    options = parser.parse_args(arguments)
    check_names(parser, "--models", options.models, models())
    check_names(parser, "--situations", options.situations, SITUATIONS)
    return options
