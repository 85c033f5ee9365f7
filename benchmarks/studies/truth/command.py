"""The command: ``python -m benchmarks truth`` runs the study and writes its report.

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
from benchmarks.studies.truth.cells import WORK, Cell
from benchmarks.studies.truth.models import can_take, models, peer_of
from benchmarks.studies.truth.report import write_report
from benchmarks.studies.truth.situations import SITUATIONS

OUTPUT = RESULTS / "truth"
ROWS = (200, 500, 2_000)
REPEATS = (0, 1, 2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the cells that have no result yet, then write and print the report of all results."""
    options = parse(arguments)
    if options.step != "report":
        run(options)
    if options.step != "run":
        sys.stdout.write(write_report(options.output, options.models, options.situations))


def run(options: argparse.Namespace) -> None:
    """Run the cells that have no result yet."""
    lines = WORK.read(options.output)
    planned = plan(options.models, options.situations, options.rows, options.repeats)
    missing = unfinished(planned, lines, retry_errors=options.retry_errors)
    available = {name for name in {cell.model for cell in missing} if is_available(name, peer_of(name))}
    WORK.execute(
        [cell for cell in missing if cell.model in available],
        options.output,
        limits(options),
        WORK.costs({cell.data: cell.rows for cell in planned}, lines),
        lambda cell: peer_of(cell.model).memory(cell.rows, SITUATIONS[cell.situation].columns),
    )


def plan(chosen: Sequence[str], situations: Sequence[str], rows: Sequence[int], repeats: Sequence[int]) -> list[Cell]:
    """All cells, few rows first, without models that do not take the data."""
    return [
        Cell(situation, n, model, repeat)
        for repeat, n, situation, model in product(repeats, rows, situations, chosen)
        if can_take(peer_of(model), situation)
    ]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks truth",
        description="Predicted survival functions against the true ones of simulated subjects; see its README.",
    )
    parser.add_argument("step", nargs="?", choices=("all", "run", "report"), default="all", help="both by default")
    parser.add_argument("--models", type=names, default=tuple(models()), help="names, separated by commas")
    parser.add_argument("--situations", type=names, default=tuple(SITUATIONS), help="names, separated by commas")
    parser.add_argument("--rows", type=numbers, default=ROWS, help="training rows, like 200,500,2000 (the default)")
    parser.add_argument("--repeats", type=numbers, default=REPEATS, help="like 0-2 (the default) or 0,2,5")
    add_run_options(parser, timeout=900.0)
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of results and report; {shown(OUTPUT)}")
    options = parser.parse_args(arguments)
    check_names(parser, "--models", options.models, models())
    check_names(parser, "--situations", options.situations, SITUATIONS)
    return options
