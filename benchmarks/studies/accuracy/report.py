"""Mean ranks, the critical-difference figure and the sets that need a look: ``python -m benchmarks.accuracy.report``.

Writes ``report.md`` and ``ranks.svg`` next to the results.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from hazboost.cli import names, numbers

from benchmarks.accuracy import storage
from benchmarks.accuracy.cell import Cell
from benchmarks.accuracy.data import REPEATS
from benchmarks.accuracy.figure import TITLES, draw
from benchmarks.accuracy.models import MODELS, OWN
from benchmarks.accuracy.ranks import (
    SMALL_ROWS,
    TOLERATED_LOSS,
    friedman_p,
    mean_scores,
    rank_within,
    small_set_losses,
)
from hazboost.plots import critical_difference

REFERENCE = "kaplan_meier"
RIVAL = "cox_ridge"

Results = dict[Cell, dict[str, Any]]


def main(arguments: list[str] | None = None) -> None:
    """Write the report, and print it."""
    options = parse(arguments)
    results = {cell: line for cell, line in storage.read(options.results).items() if cell.repeat in options.repeats}
    present = {cell.model for cell in results}
    models = options.models or [model for model in MODELS if model in present and model != REFERENCE]
    text = compose(results, models, options.repeats, options.output)
    (options.output / "report.md").write_text(text, encoding="utf-8")
    sys.stdout.write(text)


def compose(results: Results, models: Sequence[str], repeats: Sequence[int], output: Path) -> str:
    """The report as Markdown; draws the figure on the way."""
    scores = {metric: mean_scores(results, models, metric, repeats) for metric in TITLES}
    ranks = {metric: rank_within(table, metric).mean() for metric, table in scores.items()}
    counts = {metric: len(table) for metric, table in scores.items()}
    if min(counts.values()) == 0:
        return "No data set has results of all models.\n"
    differences = {metric: critical_difference(len(models), counts[metric]) for metric in TITLES}
    output.mkdir(parents=True, exist_ok=True)
    draw(ranks, differences, output / "ranks.svg")
    parts = [
        "# Accuracy\n",
        f"{counts['c_index']} data sets, repeats {repeats[0]} to {repeats[-1]}.",
        "Mean ranks, 1 is best; mean scores in brackets.\n",
        rank_table(ranks, scores, median_seconds(results)),
        *(
            f"- {title}: {counts[metric]} data sets, Friedman p = {friedman_p(scores[metric]):.1e}, "
            f"critical difference (Nemenyi, 5 %) {differences[metric]:.2f}"
            for metric, title in TITLES.items()
        ),
        "\n![Mean ranks](ranks.svg)\n",
    ]
    if {OWN, RIVAL} <= set(models):
        parts.append(small_sets(results, repeats))
    parts.append(errors(results, models))
    return "\n".join(parts)


def rank_table(ranks: dict[str, pd.Series], scores: dict[str, pd.DataFrame], seconds: pd.Series) -> str:
    """Mean ranks and mean scores, the best C-index first."""
    lines = [
        f"| model | {' | '.join(TITLES.values())} | median fit, s |",
        "|---" * (len(TITLES) + 2) + "|",
    ]
    for model in ranks["c_index"].sort_values().index:
        cells = [f"{ranks[metric][model]:.2f} ({scores[metric][model].mean():.4f})" for metric in TITLES]
        lines.append(f"| {model} | {' | '.join(cells)} | {seconds.get(model, float('nan')):.2f} |")
    return "\n".join(lines) + "\n"


def median_seconds(results: Results) -> pd.Series:
    """Median time of a fit of each model, over its cells."""
    rows = [(cell.model, line["fit_seconds"]) for cell, line in results.items() if line["error"] is None]
    return pd.DataFrame(rows, columns=["model", "seconds"]).groupby("model")["seconds"].median()


def small_sets(results: Results, repeats: Sequence[int]) -> str:
    """Data sets with fewer than 500 rows on which FPBoost is clearly behind ridge Cox."""
    table = small_set_losses(results, OWN, RIVAL, repeats)
    behind = table[table["lead"] < -TOLERATED_LOSS]
    lines = [
        f"## Fewer than {SMALL_ROWS} rows: {OWN} against {RIVAL}\n",
        f"More than {TOLERATED_LOSS} points of C-index (x100) behind on {len(behind)} of {len(table)}.\n",
    ]
    if len(behind):
        lines += [f"| data set | n | {OWN} | {RIVAL} | lead |", "|---|---|---|---|---|"]
        lines += [
            f"| {name} | {row['n']:.0f} | {row[OWN]:.4f} | {row[RIVAL]:.4f} | {row['lead']:+.2f} |"
            for name, row in behind.iterrows()
        ]
    return "\n".join(lines) + "\n"


def errors(results: Results, models: Sequence[str]) -> str:
    """How many cells ended with an error."""
    failed = Counter(cell.model for cell, line in results.items() if line["error"] and cell.model in models)
    listed = ", ".join(f"{model} {count}" for model, count in failed.items())
    return f"Cells with an error: {listed or 'none'}.\n"


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=storage.RESULTS, help="folder of the results")
    parser.add_argument("--output", type=Path, help="folder of the report; that of the results if not given")
    parser.add_argument("--models", type=names, help=f"names, separated by commas; all but {REFERENCE} if not given")
    parser.add_argument("--repeats", type=numbers, default=list(range(REPEATS)), help="like 0-9 or 0,2,5")
    options = parser.parse_args(arguments)
    options.output = options.output or options.results
    return options


if __name__ == "__main__":
    main()
