"""From a folder of results to a folder of tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from benchmarks.harness.tables.delimited import to_csv
from benchmarks.harness.tables.latex import document, to_latex
from benchmarks.harness.tables.markdown import fill, to_markdown
from benchmarks.harness.tables.page import Picture, to_html
from benchmarks.harness.tables.table import Table
from benchmarks.harness.tables.text import to_text
from benchmarks.peers.shared.base import Peer
from benchmarks.studies.paper import figures
from benchmarks.studies.paper.cells import WORK
from benchmarks.studies.paper.compose import (
    VERSIONS,
    Study,
    all_tables,
    mean_table,
    metric_table,
    missing_table,
)
from benchmarks.studies.paper.estimates import METRICS
from benchmarks.studies.paper.models import models
from benchmarks.studies.paper.published import DATASETS

_TITLE = "The paper's experiments"
_INTRO = (
    "Every table twice: *as in the paper*, with its columns and splits, and *leak-free*, without what reveals the "
    "outcome in three of the data sets. The paper's numbers stand small under ours. A click on a column's head sorts "
    "by it."
)


def write_report(results_folder: Path, output_folder: Path) -> None:
    """Write all tables and figures of the study.

    Into the folder go ``tables.md``, ``tables.csv``, ``index.html``, ``latex/`` and ``figures/``. If there is a page of
    the folder's name beside it, as ``docs/experiments.md`` is beside ``docs/experiments/``, its marked parts, from
    ``<!-- table: NAME -->`` to ``<!-- end of table -->``, are rendered again.

    Parameters
    ----------
    results_folder : Path
        With one JSON line for each cell; cells that are not there are shown as missing.
    output_folder : Path
        Where to.
    """
    study = full_study(read_lines(results_folder))
    tables = all_tables(study)
    pictures = write_figures(study, output_folder)
    _write(output_folder / "tables.md", "# All tables\n\n" + "\n".join(map(to_markdown, tables)))
    _write(output_folder / "tables.csv", to_csv(tables))
    _write(output_folder / "index.html", to_html(tables, pictures, _TITLE, f"{_TITLE}, reproduced", _INTRO))
    _write_latex(tables, output_folder / "latex")
    page = output_folder.with_suffix(".md")
    if page.exists():
        _write(page, fill(page.read_text(encoding="utf-8"), tables))


def print_tables(results_folder: Path, stream: TextIO) -> None:
    """Print means, the metrics of the paper and what is missing, of the models, data sets and seeds that were run."""
    study = study_of(read_lines(results_folder))
    if not study.lines:
        stream.write(f"No results in {results_folder}.\n")
        return
    for version in study.versions():
        stream.write(to_text(mean_table(study, version)) + "\n")
        stream.writelines(to_text(metric_table(study, version, metric)) + "\n" for metric in METRICS[:4])
    missing = missing_table(study)
    if missing.rows:
        stream.write(to_text(missing))


def full_study(lines: Sequence[dict[str, Any]]) -> Study:
    """What the study plans: all models, the eight data sets, thirty seeds."""
    return Study(lines, _models(), tuple(DATASETS))


def study_of(lines: Sequence[dict[str, Any]]) -> Study:
    """What was run: the models, data sets and number of seeds in the results."""
    models, datasets = {line["model"] for line in lines}, {line["dataset"] for line in lines}
    known = [name for name in DATASETS if name in datasets]
    return Study(
        lines,
        tuple(model for model in _models() if model.name in models),
        (*known, *sorted(datasets - set(known))),
        len({line["seed"] for line in lines}),
    )


def write_figures(study: Study, folder: Path) -> list[Picture]:
    """Write the figures; they are `Picture` objects with paths relative to the folder."""
    outcomes = figures.load_outcomes(study.datasets)
    drawings: dict[str, tuple[Callable[[figures.Look], Any], str]] = {
        "curves": (partial(figures.draw_curves, outcomes), "The data: Kaplan-Meier curves of events and of censoring")
    }
    for version, words in VERSIONS.items():
        drawings[f"ranks-{version}"] = partial(figures.draw_ranks, study, version), f"Mean ranks, {words}"
        for metric in METRICS[:4]:
            drawings[f"intervals-{version}-{metric.name}"] = (
                partial(figures.draw_intervals, study, version, metric),
                f"{metric.title} on each data set, {words}",
            )
    pictures = []
    for name, (draw, title) in drawings.items():
        light, dark = figures.save(draw, folder / "figures", name)
        pictures.append(Picture(f"figures/{light}", f"figures/{dark}", title))
    return pictures


def read_lines(results_folder: Path) -> list[dict[str, Any]]:
    """The last line of every cell."""
    return list(WORK.read(results_folder).values())


def _models() -> tuple[Peer, ...]:
    return tuple(models().values())


def _write_latex(tables: Sequence[Table], folder: Path) -> None:
    for table in tables:
        _write(folder / f"{table.name}.tex", to_latex(table))
    _write(folder / "tables.tex", document(table.name for table in tables))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
