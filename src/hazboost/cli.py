"""The command line: ``hazboost bench`` runs the experiments of the paper and writes their tables."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from hazboost.datasets import PAPER, dataset_names
from hazboost.experiments.baselines import BASELINES
from hazboost.experiments.cells import VARIANTS
from hazboost.experiments.pool import Limits
from hazboost.experiments.protocol import PROTOCOL
from hazboost.experiments.run import Study, run_study
from hazboost.experiments.tables import print_tables, write_report

#: Results of the whole study, and of the quick look, below the folder where the command is run.
RESULTS, QUICK_RESULTS = Path("results/paper"), Path("results/quick")
#: Tables and figures of the study.
REPORT = Path("docs/experiments")
QUICK_DATASETS = ("veterans", "gbsg2")
QUICK_SEEDS = (0, 1)
EPILOG = """\
examples:
  hazboost bench                   the whole study, then its tables; goes on where it was interrupted
  hazboost bench run --seeds 0-4   the first five seeds, without tables
  hazboost bench tables            the tables of what there is
  hazboost bench --quick           every model on two small data sets with two seeds, in minutes
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    options = parse(arguments)
    # A polite kill ends the workers, as Ctrl-C does.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        bench(options)
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted. The same command goes on from here.\n")
        sys.exit(130)


def bench(options: argparse.Namespace) -> None:
    """Run the cells that have no result yet, then print the tables of all results, and write them with figures."""
    if options.step != "tables":
        study = Study(options.models, options.datasets, options.seeds, options.variants)
        limits = Limits(options.jobs, options.timeout, options.memory)
        run_study(study, options.output, limits, retry_errors=options.retry_errors)
    if options.step != "run":
        print_tables(options.output, sys.stdout)
        if options.report is not None:
            write_report(options.output, options.report)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(prog="hazboost", description="Survival analysis by boosted parametric hazards.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    command = commands.add_parser(
        "bench",
        help="the experiments of the paper",
        description="Run the experiments of the paper and write their tables. docs/running-experiments.md tells more.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_options(command)
    options = parser.parse_args(arguments)
    options.models = options.models or tuple(BASELINES)
    options.datasets = options.datasets or (QUICK_DATASETS if options.quick else PAPER)
    options.seeds = options.seeds or (QUICK_SEEDS if options.quick else tuple(range(PROTOCOL.seeds)))
    options.variants = options.variants or VARIANTS
    options.output = options.output or (QUICK_RESULTS if options.quick else RESULTS)
    options.report = options.report or (None if options.quick else REPORT)
    _check(command, "--models", options.models, BASELINES)
    if not set(options.datasets) <= set(PAPER):  # the names of SurvSet take a second
        _check(command, "--datasets", options.datasets, dataset_names())
    _check(command, "--variants", options.variants, VARIANTS)
    return options


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("step", nargs="?", choices=("all", "run", "tables"), default="all", help="both if not given")
    parser.add_argument("--quick", action="store_true", help="two small data sets, two seeds")
    parser.add_argument("--models", type=names, help="names, separated by commas; all if not given")
    parser.add_argument("--datasets", type=names, help="names, separated by commas; the eight of the paper")
    parser.add_argument("--seeds", type=numbers, help="like 0-29 or 0,2,5; 0-29 if not given")
    parser.add_argument("--variants", type=names, help="paper, leak_free, or both with a comma; both if not given")
    parser.add_argument(
        "--jobs", type=positive, default=cores(), help="processes of one thread each; one for each core"
    )
    parser.add_argument("--memory", type=float, default=gibibytes(), help="GiB for all of them; 80 %% of the machine's")
    parser.add_argument("--timeout", type=float, default=3600.0, help="seconds for a cell; 3600 if not given")
    parser.add_argument("--retry-errors", action="store_true", help="run cells again that ended with an error")
    parser.add_argument("--output", type=Path, help=f"folder of the results; {RESULTS} or {QUICK_RESULTS}")
    parser.add_argument("--report", type=Path, help=f"folder of tables and figures; {REPORT}, or with --quick none")


def _check(parser: argparse.ArgumentParser, option: str, given: Sequence[str], known: Iterable[str]) -> None:
    if unknown := [name for name in given if name not in set(known)]:
        parser.error(f"{option}: {', '.join(unknown)} unknown; choose from {', '.join(known)}")


def names(text: str) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in text.split(","))


def numbers(text: str) -> tuple[int, ...]:
    """Numbers out of a list of numbers and ranges.

    Examples
    --------
    >>> numbers("0-2,5")
    (0, 1, 2, 5)
    """
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def positive(text: str) -> int:
    """A number of at least one."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1; got {number}")
    return number


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gibibytes() -> float:
    """Four fifths of the memory of the machine; 4 where it does not tell."""
    try:
        return round(0.8 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return 4.0
