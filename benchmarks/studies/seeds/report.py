"""The report: ranges over seeds, scores and seconds, by data set and as means of all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

import pandas as pd

from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import grid
from benchmarks.peers import peers_of
from benchmarks.studies.seeds.cells import SEEDS, WORK, Cell

#: Measure -> title, and digits.
MEASURES = {
    "range": ("range", 4),
    "c_index": ("C-index", 4),
    "brier": ("Brier score", 4),
    "fit_seconds": ("seconds", 2),
}


def write_report(folder: Path) -> str:
    """Write ``report.md`` beside the results, and return the text."""
    lines = {cell: line for cell, line in WORK.read(folder).items() if line["error"] is None}
    if not lines:
        return "No cell has a result.\n"
    text = compose(lines)
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def compose(lines: Mapping[Cell, Line]) -> str:
    """The report as Markdown; means are over the data sets that all versions and variants have."""
    means = measures_of(lines)
    models = means.groupby(level="dataset").size()
    complete = models.index[models == models.max()]
    common = means[means.index.get_level_values("dataset").isin(complete)].groupby(level="model", sort=False).mean()
    titles = [title for title, _ in MEASURES.values()]
    about = (
        f"FPBoost with {SEEDS} seeds, on the same split. *Range*: the largest minus the smallest S(t | x) of a subject "
        "at the median event time, and of these the median over the held-out subjects. Scores are those of the "
        "held-out third, means over seeds; so are the seconds of a fit.\n"
    )
    by_dataset = means.sort_index(level="dataset", sort_remaining=False)
    return "\n".join(
        [
            "# Seeds\n",
            about,
            f"## Means over {len(complete)} data sets\n",
            *grid(["model", *titles], [[str(model), *_numbers(row)] for model, row in common.iterrows()]),
            "\n## Data sets\n",
            *grid(
                ["data set", "model", *titles], [[*key, *_numbers(row)] for key, row in by_dataset.iterrows()], words=2
            ),
            "",
        ]
    )


def measures_of(lines: Mapping[Cell, Line]) -> pd.DataFrame:
    """Data set and model by measures: means over seeds, then over splits."""
    rows = [
        {"dataset": cell.dataset, "model": f"{peers_of('ablation')[cell.model].title}, {cell.version}"}
        | {name: line[name] if name == "range" else fmean(line[name]) for name in MEASURES}
        for cell, line in lines.items()
    ]
    return pd.DataFrame(rows).groupby(["dataset", "model"], sort=False).mean()


def _numbers(row: pd.Series) -> list[str]:
    return [f"{row[name]:.{digits}f}" for name, (_, digits) in MEASURES.items()]
