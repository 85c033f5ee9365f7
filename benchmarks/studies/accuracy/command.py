"""The command: ``python -m benchmarks accuracy`` runs the study and writes its report.

Cells that have a result are skipped, so that a run may be killed and started again. Data sets with more than 3,000
rows have three repeats instead of ten.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.cells import unfinished
from benchmarks.harness.options import add_run_options, check_names, limits, names, numbers, shown
from benchmarks.harness.packages import is_available
from benchmarks.harness.paths import RESULTS
from benchmarks.studies.accuracy import data
from benchmarks.studies.accuracy.cells import WORK, Cell
from benchmarks.studies.accuracy.dataset import REPEATS
from benchmarks.studies.accuracy.large_report import write_large_report
from benchmarks.studies.accuracy.models import LARGE, REFERENCE, is_too_slow, models, peer_of
from benchmarks.studies.accuracy.report import write_report

OUTPUT = RESULTS / "accuracy"
LARGE_OUTPUT = OUTPUT / "large"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cells that have no result yet, then write and print the report of all results."""
    options = parse(arguments)
    if options.step != "report":
        run(options)
    if options.step != "run":
        write = write_large_report if options.large else write_report
        sys.stdout.write(write(options.output, options.report, options.models, options.repeats))


def run(options: argparse.Namespace) -> None:
    """Run the cells that have no result yet."""
    lines = WORK.read(options.output)
    datasets = options.datasets or data.names(large=options.large)
    chosen = options.models or (LARGE if options.large else tuple(models()))
    missing = unfinished(plan(chosen, datasets, options.repeats), lines, retry_errors=options.retry_errors)
    available = {name for name in {cell.model for cell in missing} if is_available(name, peer_of(name))}
    sizes = {name: len(data.load(name).X) for name in datasets}
    WORK.execute(
        [cell for cell in missing if cell.model in available],
        options.output,
        limits(options),
        WORK.costs(sizes, lines),
        lambda cell: peer_of(cell.model).memory(sizes[cell.dataset], data.load(cell.dataset).columns),
    )


def plan(chosen: Sequence[str], datasets: Sequence[str], repeats: Sequence[int]) -> list[Cell]:
    """All cells: repeat by repeat, the small data sets first, the models as given where they are not too slow."""
    return [
        Cell(name, model, repeat)
        for repeat in repeats
        for name in datasets
        if repeat < data.load(name).repeats
        for model in chosen
        if not is_too_slow(model, len(data.load(name).X))
    ]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks accuracy",
        description="Models at their defaults on the time-fixed data sets of SurvSet; see its README.",
    )
    parser.add_argument("step", nargs="?", choices=("all", "run", "report"), default="all", help="both by default")
    parser.add_argument(
        "--models", type=names, help=f"names, separated by commas; all by default, in the report without {REFERENCE}"
    )
    parser.add_argument("--large", action="store_true", help="the large data sets, a part of its own")
    parser.add_argument("--datasets", type=names, help="names, separated by commas; all by default")
    parser.add_argument("--repeats", type=numbers, help="like 0-9 or 0,2,5; 0-9 by default, 0 with --large")
    add_run_options(parser, timeout=900.0)
    parser.add_argument(
        "--output", type=Path, help=f"folder of the results; {shown(OUTPUT)}, with --large {shown(LARGE_OUTPUT)}"
    )
    parser.add_argument("--report", type=Path, help="folder of the report; that of the results by default")
    options = parser.parse_args(arguments)
    options.output = options.output or (LARGE_OUTPUT if options.large else OUTPUT)
    options.report = options.report or options.output
    options.repeats = options.repeats or ((0,) if options.large else tuple(range(REPEATS)))
    check_names(parser, "--models", options.models or (), models())
    if options.datasets:  # loading all sets takes seconds
        check_names(parser, "--datasets", options.datasets, data.names(large=options.large))
    return options
