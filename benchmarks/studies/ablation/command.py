"""The command: ``python -m benchmarks ablation`` fits variants of FPBoost in two other studies, and compares.

Cells that have a result are skipped, so that a run may be killed and started again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.options import add_run_options, check_names, names, numbers, shown
from benchmarks.harness.paths import RESULTS
from benchmarks.peers import peers_of
from benchmarks.studies.ablation.report import DEFAULT, PARTS, write_report
from benchmarks.studies.accuracy import command as accuracy
from benchmarks.studies.accuracy import data
from benchmarks.studies.truth import command as truth
from benchmarks.studies.truth.situations import SITUATIONS

OUTPUT = RESULTS / "ablation"
#: Repeats that no default was chosen by; sets with more than 3,000 rows have none of them.
REPEATS, TRUTH_REPEATS = tuple(range(6, 10)), (30, 31, 32)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cells that have no result yet, then write and print the report of all results."""
    options = parse(arguments)
    if options.step != "report":
        run(options)
    if options.step != "run":
        sys.stdout.write(write_report(options.output, options.variants))


def run(options: argparse.Namespace) -> None:
    """Run the cells of both studies that have no result yet."""
    shared = vars(options) | {"models": options.variants}
    if "accuracy" in options.parts:
        accuracy.run(argparse.Namespace(**shared | {"large": False, "output": options.output / "accuracy"}))
    if "truth" in options.parts:
        other = {"repeats": options.truth_repeats, "output": options.output / "truth"}
        truth.run(argparse.Namespace(**shared | other))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks ablation",
        description="What each step of the automatic fit is worth; see its README.",
    )
    variants = tuple(peers_of("ablation"))
    parser.add_argument("step", nargs="?", choices=("all", "run", "report"), default="all", help="both by default")
    parser.add_argument("--variants", type=names, default=variants, help="names, separated by commas; all by default")
    parser.add_argument("--parts", type=names, default=tuple(PARTS), help="accuracy, truth, or both (the default)")
    parser.add_argument("--datasets", type=names, help="of the accuracy study; all up to 3,000 rows by default")
    parser.add_argument("--repeats", type=numbers, default=REPEATS, help="of the accuracy study; 6-9 by default")
    parser.add_argument(
        "--situations", type=names, default=tuple(SITUATIONS), help="of the truth study; all of them by default"
    )
    parser.add_argument("--rows", type=numbers, default=truth.ROWS, help="of the truth study; 200,500,2000 by default")
    parser.add_argument("--truth-repeats", type=numbers, default=TRUTH_REPEATS, help="30-32 by default")
    add_run_options(parser, timeout=900.0)
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of results and report; {shown(OUTPUT)}")
    options = parser.parse_args(arguments)
    check_names(parser, "--variants", options.variants, variants)
    check_names(parser, "--parts", options.parts, PARTS)
    check_names(parser, "--situations", options.situations, SITUATIONS)
    if options.datasets:  # loading all sets takes seconds
        check_names(parser, "--datasets", options.datasets, data.names())
    options.variants = tuple(dict.fromkeys((DEFAULT, *options.variants)))
    return options
