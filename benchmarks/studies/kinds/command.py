"""The command: ``python -m benchmarks kinds`` compares on real data; ``kinds truth`` fits to a known truth."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.cells import unfinished
from benchmarks.harness.options import add_run_options, check_names, limits, names, numbers, shown
from benchmarks.harness.packages import is_available
from benchmarks.harness.paths import RESULTS
from benchmarks.peers import peers_of
from benchmarks.studies.kinds import known_truth
from benchmarks.studies.kinds.cells import WORK, comparisons, plan
from benchmarks.studies.kinds.report import REPORTS

OUTPUT = RESULTS / "kinds"


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit to the known truth; or measure what is missing of the comparisons, and print their tables."""
    options = parse(arguments)
    if options.step == "truth":
        known_truth.print_errors(options.kinds, options.sizes, sys.stdout)
        return
    if options.step != "report":
        run(options)
    lines = WORK.read(options.output)
    for name in options.comparisons:
        sys.stdout.write("\n".join(["", *REPORTS[name](lines)]) + "\n")


def run(options: argparse.Namespace) -> None:
    """Run the cells that have no result yet."""
    lines = WORK.read(options.output)
    missing = unfinished(plan(options.comparisons), lines, retry_errors=options.retry_errors)
    peers = {(name, model): peer for name in options.comparisons for model, peer in peers_of(name).items()}
    available = {key for key, peer in peers.items() if is_available(key[1], peer)}
    todo = [cell for cell in missing if (cell.study, cell.model) in available or cell.study == "intercepts"]
    costs = WORK.costs({cell.data: 1.0 for cell in plan(options.comparisons)}, lines)
    WORK.execute(todo, options.output, limits(options), costs)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks kinds",
        description="Every kind of survival data: against a known truth (step truth), and against other libraries.",
    )
    parser.add_argument(
        "step",
        nargs="?",
        choices=("all", "report", "truth"),
        default="all",
        help="all: measure what is missing of the comparisons and print their tables; report: only print them",
    )
    parser.add_argument("--comparisons", type=names, default=tuple(REPORTS), help=f"of {', '.join(REPORTS)}")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of their results; {shown(OUTPUT)}")
    parser.add_argument("--kinds", type=names, default=tuple(known_truth.KINDS), help="kinds of data for step truth")
    parser.add_argument("--sizes", type=numbers, default=known_truth.SIZES, help="numbers of subjects for step truth")
    add_run_options(parser, timeout=3600.0)
    options = parser.parse_args(arguments)
    check_names(parser, "--comparisons", options.comparisons, comparisons())
    check_names(parser, "--kinds", options.kinds, known_truth.KINDS)
    return options
