"""The command: ``python -m benchmarks speed`` measures seconds and memory, and writes the page of the results.

Each measurement is a process of its own, and those that are compared follow one another on the same data, so that a
busy machine slows all of them. Cells that have a result are skipped, so that a run may be killed and started again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.harness.options import check_names, names, positive, shown
from benchmarks.harness.paths import DOCS, RESULTS
from benchmarks.studies.speed.cells import Cell
from benchmarks.studies.speed.parts import PARTS
from benchmarks.studies.speed.process import Limits
from benchmarks.studies.speed.run import Run, run

OUTPUT = RESULTS / "speed"
PAGE = DOCS / "speed.md"
#: The version before the library was made faster.
FIRST = "166bf02"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what has no result yet, then write the page."""
    options = parse(arguments)
    if options.step != "report":
        limits = Limits(options.seconds, options.memory)
        run(plan(options), Run(options.output, limits, options.previous, options.again, options.retry_errors))
    if options.step != "run":
        from benchmarks.studies.speed.report import write_page  # noqa: PLC0415 - measuring needs no matplotlib

        write_page(options.output, options.page)
        sys.stdout.write(f"{shown(options.page)} is written.\n")


def plan(options: argparse.Namespace) -> list[Cell]:
    """All cells that are asked for, part by part."""
    planned: list[Cell] = []
    for name in options.part:
        part = PARTS[name]
        if options.models:
            part = replace(part, models=tuple(model for model in part.models if model in options.models))
        if options.settings:
            part = replace(part, settings=tuple(one for one in part.settings if one in options.settings))
        rows = options.rows if options.rows and part.rows != (0,) else part.rows
        planned += part.cells(name, rows, options.threads, options.repeats)
    return planned


def sizes(text: str) -> tuple[int, ...]:
    """Numbers of rows, also as ``1e5``.

    Examples
    --------
    >>> sizes("1000,1e5")
    (1000, 100000)
    """
    return tuple(int(float(part)) for part in text.split(","))


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Options of the command line, with names checked and defaults filled in."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks speed",
        description="Seconds and memory of fits and predictions, beside other packages; see its README.",
    )
    models = dict.fromkeys(model for part in PARTS.values() for model in part.models)
    parser.add_argument("step", nargs="?", choices=("all", "run", "report"), default="all", help="both by default")
    parser.add_argument("--part", type=names, default=tuple(PARTS), help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--models", type=names, default=(), help="names, separated by commas; all by default")
    parser.add_argument("--settings", type=names, default=(), help="of the part, such as data sets; all by default")
    parser.add_argument("--rows", type=sizes, default=(), help="like 1000,1e5; those of the part by default")
    parser.add_argument("--threads", type=positive, default=2, help="2 by default; the part paper has one")
    parser.add_argument("--repeats", type=positive, default=3, help="3 by default; fits of over two minutes have one")
    parser.add_argument("--previous", default=FIRST, help=f"commit of the version before; {FIRST} by default")
    parser.add_argument("--seconds", type=float, default=Limits.seconds, help="most of a measurement; 600 by default")
    parser.add_argument("--memory", type=float, default=Limits.memory, help="most GiB of one; 12 by default")
    parser.add_argument("--again", action="store_true", help="measure again what has a result")
    parser.add_argument("--retry-errors", action="store_true", help="try again what was skipped or failed")
    parser.add_argument("--output", type=Path, default=OUTPUT, help=f"folder of the results; {shown(OUTPUT)}")
    parser.add_argument("--page", type=Path, default=PAGE, help=f"page to fill in; {shown(PAGE)}")
    options = parser.parse_args(arguments)
    check_names(parser, "--part", options.part, PARTS)
    check_names(parser, "--models", options.models, models)
    check_names(parser, "--settings", options.settings, [one for part in PARTS.values() for one in part.settings])
    return options
