"""The report: mean ranks and their critical-difference diagrams, leads, calibration, and small sets with losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.harness.cells import failures
from benchmarks.harness.ranks import Ranking, draw_rankings, rank_models
from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.accuracy.calibration import calibration_section
from benchmarks.studies.accuracy.cells import WORK
from benchmarks.studies.accuracy.leads import lead_section
from benchmarks.studies.accuracy.means import Results, mean_scores
from benchmarks.studies.accuracy.models import OWN, REFERENCE, RIVAL, models
from benchmarks.studies.accuracy.scores import SCORES

OWN_COLOUR = "#c0392b"
SMALL_ROWS = 500
#: Points of C-index (x100).
TOLERATED_LOSS = 0.5


def write_report(results_folder: Path, folder: Path, chosen: Sequence[str] | None, repeats: Sequence[int]) -> str:
    """Write ``report.md`` and ``ranks.svg``, and return the text.

    Parameters
    ----------
    results_folder, folder : Path
        Where the results are, and where the report goes.
    chosen : sequence of str, optional
        Models to compare; by default all that have results, without the Kaplan-Meier curve.
    repeats : sequence of int
        Repeats to average over.
    """
    results = {cell: line for cell, line in WORK.read(results_folder).items() if cell.repeat in repeats}
    present = {cell.model for cell in results}
    names = chosen or [name for name in models() if name in present and name != REFERENCE]
    folder.mkdir(parents=True, exist_ok=True)
    text = compose(results, names, repeats, folder)
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def compose(results: Results, names: Sequence[str], repeats: Sequence[int], folder: Path) -> str:
    """The report as Markdown; draws the figure into the folder on the way."""
    tables = {score: mean_scores(results, names, score) for score in SCORES}
    counts = {score: len(table) for score, table in tables.items()}
    if min(counts.values()) == 0:
        return "No data set has results of all models.\n"
    rankings = {score: ranking_of(table, score) for score, table in tables.items()}
    draw(rankings, folder / "ranks.svg")
    by_rank = sorted(names, key=rankings["c_index"].ranks.__getitem__)
    parts = [
        "# Accuracy\n",
        f"{counts['c_index']} data sets, repeats {repeats[0]} to {repeats[-1]}.",
        "Mean ranks, 1 is best; mean scores in brackets.\n",
        rank_table(by_rank, rankings, tables, median_seconds(results)),
        *(
            f"- {title}: {counts[score]} data sets, Friedman p = {rankings[score].friedman:.1e}, "
            f"critical difference (Nemenyi, 5 %) {rankings[score].difference:.2f}"
            for score, (title, _) in SCORES.items()
        ),
        "\n![Mean ranks](ranks.svg)\n",
    ]
    if OWN in names:
        parts.append(lead_section(results, by_rank))
    parts.append(calibration_section(results, by_rank))
    if {OWN, RIVAL} <= set(names):
        parts.append(small_sets(results))
    parts.append(failures(results, names))
    return "\n".join(parts)


def ranking_of(table: pd.DataFrame, score: str) -> Ranking:
    """Mean ranks of the models over the data sets of a table of `mean_scores`."""
    return rank_models({name: table[name].tolist() for name in table}, higher_is_better=SCORES[score][1])


def draw(rankings: Mapping[str, Ranking], path: Path) -> None:
    """Write one critical-difference diagram for each score."""
    import matplotlib as mpl  # noqa: PLC0415

    panels = {SCORES[score][0]: ranking for score, ranking in rankings.items()}
    figure = draw_rankings(panels, width=8, highlight={OWN}, accent=OWN_COLOUR)
    with mpl.rc_context({"svg.hashsalt": "accuracy"}):
        figure.savefig(path, dpi=150, metadata={"Date": None})


def rank_table(
    names: Sequence[str], rankings: Mapping[str, Ranking], tables: Mapping[str, pd.DataFrame], seconds: pd.Series
) -> str:
    """Mean ranks and mean scores of the models, in their order."""
    titles = [title for title, _ in SCORES.values()]
    rows = [
        [
            name,
            *(f"{rankings[score].ranks[name]:.2f} ({tables[score][name].mean():.4f})" for score in SCORES),
            f"{seconds.get(name, float('nan')):.2f}",
        ]
        for name in names
    ]
    return "\n".join(grid(["model", *titles, "median fit, s"], rows)) + "\n"


def median_seconds(results: Results) -> pd.Series:
    """Median time of a fit of each model, over its cells."""
    rows = [(cell.model, line["fit_seconds"]) for cell, line in results.items() if line["error"] is None]
    return pd.DataFrame(rows, columns=["model", "seconds"]).groupby("model")["seconds"].median()


def small_sets(results: Results) -> str:
    """Data sets with fewer than 500 rows on which FPBoost is clearly behind ridge Cox."""
    table = small_set_leads(results)
    behind = table[table["lead"] < -TOLERATED_LOSS]
    lines = [
        f"## Fewer than {SMALL_ROWS} rows: {OWN} against {RIVAL}\n",
        f"More than {TOLERATED_LOSS} points of C-index (x100) behind on {len(behind)} of {len(table)}.\n",
    ]
    if len(behind):
        rows = [
            [str(name), f"{row['n']:.0f}", f"{row[OWN]:.4f}", f"{row[RIVAL]:.4f}", f"{row['lead']:+.2f}"]
            for name, row in behind.iterrows()
        ]
        lines += grid(["data set", "n", OWN, RIVAL, "lead"], rows)
    return "\n".join(lines) + "\n"


def small_set_leads(results: Results) -> pd.DataFrame:
    """Points of C-index by which FPBoost leads ridge Cox (negative: is behind), on sets with fewer than 500 rows."""
    rows: dict[str, Any] = {cell.dataset: line["n"] for cell, line in results.items() if line["error"] is None}
    table = mean_scores(results, [OWN, RIVAL], "c_index")
    small = table[[rows[name] < SMALL_ROWS for name in table.index]]
    lead = 100 * (small[OWN] - small[RIVAL])
    return small.assign(n=[rows[name] for name in small.index], lead=lead).sort_values("lead")
