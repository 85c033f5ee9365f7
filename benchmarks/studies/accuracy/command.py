"""Run the benchmark: ``python -m benchmarks.accuracy.run``.

Cells that have a result are skipped, so that a run may be killed and started again. Data sets with more than 3,000
rows have three repeats instead of ten.
"""

from __future__ import annotations

import argparse
import sys
import time as clock
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from hazboost.cli import names, numbers
from hazboost.experiments.pool import Limits, run_tasks

from benchmarks.accuracy import data, storage
from benchmarks.accuracy.cell import Cell, failure, run_cell
from benchmarks.accuracy.models import MODELS


def main(arguments: list[str] | None = None) -> None:
    """Run all cells that have no result yet."""
    options = parse(arguments)
    done = storage.read(options.output)
    if options.retry:
        done = {cell: line for cell, line in done.items() if line["error"] is None}
    cells = [cell for cell in plan(options.models, options.datasets, options.repeats) if cell not in done]
    lines = run_tasks(cells, run_cell, failure, Limits(options.jobs, options.timeout))
    started = clock.monotonic()
    for count, line in enumerate(lines, start=1):
        storage.append(options.output, line)
        left = (clock.monotonic() - started) / count * (len(cells) - count)
        outcome = f"C {line['c_index'] or float('nan'):.3f}" if line["error"] is None else "ERROR"
        sys.stdout.write(
            f"{count}/{len(cells)}  {line['model']:15} {line['dataset']:16} {line['repeat']}  {outcome}"
            f"  {line.get('fit_seconds', float('nan')):8.2f} s  left {timedelta(seconds=round(left))}\n"
        )
        sys.stdout.flush()


def plan(models: Sequence[str], datasets: Sequence[str], repeats: Sequence[int]) -> list[Cell]:
    """All cells: repeat by repeat, the small data sets first, the models as given."""
    return [
        Cell(name, model, repeat)
        for repeat in repeats
        for name in datasets
        if repeat < data.load(name).repeats
        for model in models
    ]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=names, default=list(MODELS), help="names, separated by commas")
    parser.add_argument("--datasets", type=names, help="names, separated by commas")
    parser.add_argument("--repeats", type=numbers, default=list(range(data.REPEATS)), help="like 0-9 or 0,2,5")
    parser.add_argument("--jobs", type=int, default=1, help="processes of one thread each")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for a cell")
    parser.add_argument("--retry", action="store_true", help="run cells again that ended with an error")
    parser.add_argument("--output", type=Path, default=storage.RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    options.datasets = options.datasets or list(data.names())
    if unknown := set(options.models) - set(MODELS):
        parser.error(f"unknown models: {', '.join(sorted(unknown))}")
    if unknown := set(options.datasets) - set(data.names()):
        parser.error(f"unknown data sets: {', '.join(sorted(unknown))}")
    return options


if __name__ == "__main__":
    main()
