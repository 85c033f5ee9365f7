"""The report: errors of all models in each situation, FPBoost beside the best of the others, by the number of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.harness.cells import failures
from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.truth.cells import WORK, Cell
from benchmarks.studies.truth.models import OWN, models
from benchmarks.studies.truth.situations import SITUATIONS

#: A ratio above this is counted as behind.
TOLERATED = 1.15
#: The model whose mean curve has no error but that of the sample.
SAMPLE = "kaplan_meier"
#: What a table has of FPBoost beside its error: title -> measure.
BESIDE = {"mean curve": "mean_curve", "calibration": "calibration", "C": "c_index", "C of the truth": "c_index_truth"}

Results = Mapping[Cell, Line]


def write_report(folder: Path, chosen: Sequence[str], situations: Sequence[str]) -> str:
    """Write ``report.md`` and ``truth.svg`` beside the results, and return the text.

    Parameters
    ----------
    folder : Path
        Where the results are.
    chosen, situations : sequence of str
        Models and situations to show, where there are results.
    """
    from benchmarks.studies.truth.figure import draw  # noqa: PLC0415 - needs matplotlib

    results = {
        cell: line
        for cell, line in WORK.read(folder).items()
        if cell.model in chosen and cell.situation in situations and cell.situation in SITUATIONS
    }
    if not any(line["error"] is None for line in results.values()):
        return "No cell has a result.\n"
    draw(mean_of(results, "rmse"), folder / "truth.svg")
    text = "\n".join([*compose(results), "![Errors by the number of rows](truth.svg)\n", failures(results, chosen)])
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def compose(results: Results) -> Iterator[str]:
    """The parts of the report."""
    yield "# Predicted survival against the truth\n"
    yield (
        "Errors of the survival function, x 100: the root of the mean square over 500 new subjects and 100 times, then "
        "the mean over repeats. *Ratio* is the error of FPBoost over that of the best other model. *Mean curve*, the "
        "largest error of the mean survival of all subjects, and *calibration*, expected minus true share of events "
        "until the median time, are those of FPBoost, x 100; so is *C*, beside that of the true survival functions.\n"
    )
    errors = mean_of(results, "rmse")
    yield summary(errors, mean_of(results, "mean_curve"))
    for rows, table in errors.groupby(level="rows"):
        repeats = len({cell.repeat for cell in results if cell.rows == rows})
        yield f"## {rows:,} rows\n"
        yield f"{len(table)} situations, {repeats} {'repeat' if repeats == 1 else 'repeats'}.\n"
        yield situation_table(table.droplevel("rows"), results, int(str(rows)))
    yield seconds_table(results)


def mean_of(results: Results, measure: str) -> pd.DataFrame:
    """Means over repeats; rows and situations by models, as far as there are results, in the order of the registry.

    Only repeats count for which as many models as for any other repeat of the situation have a result, so that all are
    judged on the same data.
    """
    found = [
        (cell.rows, cell.situation, cell.repeat, cell.model, line[measure])
        for cell, line in results.items()
        if not line["error"]
    ]
    table = pd.DataFrame(found, columns=["rows", "situation", "repeat", "model", "value"])
    wide = table.pivot_table(index=["rows", "situation", "repeat"], columns="model", values="value")
    by_situation, complete = ["rows", "situation"], wide.count(axis=1)
    wide = wide[complete == complete.groupby(level=by_situation).transform("max")].groupby(level=by_situation).mean()
    known = [name for name in models() if name in wide]
    position = {name: place for place, name in enumerate(SITUATIONS)}
    order = sorted(wide.index, key=lambda key: (key[0], position[key[1]]))
    return wide.reindex(index=order, columns=known)


def ratios(errors: pd.DataFrame) -> pd.Series:
    """Error of FPBoost over that of the best other model, where there is one."""
    others = errors.drop(columns=OWN, errors="ignore").min(axis=1)
    return (errors[OWN] / others).dropna() if OWN in errors else pd.Series(dtype=float)


def summary(errors: pd.DataFrame, curves: pd.DataFrame) -> str:
    """One line for each number of rows."""
    lines = []
    for rows, table in errors.groupby(level="rows"):
        ratio = ratios(table.droplevel("rows"))
        if ratio.empty:
            continue
        mean_curve = curves.loc[rows, OWN]
        both = curves.loc[rows].reindex(columns=[OWN, SAMPLE]).dropna().mean()
        lines.append(
            [
                f"{rows:,}",
                f"{len(ratio)}",
                f"{np.exp(np.log(ratio).mean()):.3f}",
                f"{(ratio > TOLERATED).sum()}",
                f"{ratio.max():.2f} ({SITUATIONS[str(ratio.idxmax())].title})",
                f"{100.0 * mean_curve.max():.1f} ({SITUATIONS[str(mean_curve.idxmax())].title})",
                ", ".join(f"{100.0 * one:.1f}" for one in both),
            ]
        )
    head = ["rows", "situations", "geometric mean of ratios", f"above {TOLERATED}", "largest ratio"]
    head += ["largest error of the mean curve", "its mean, and that of Kaplan-Meier"]
    return "\n".join(grid(head, lines, words=0)) + "\n"


def situation_table(errors: pd.DataFrame, results: Results, rows: int) -> str:
    """Errors of all models, the best in bold, and more about FPBoost; one line for each situation."""
    at_rows = {cell: line for cell, line in results.items() if cell.rows == rows}
    beside = {title: mean_of(at_rows, measure).loc[rows] for title, measure in BESIDE.items()} if OWN in errors else {}
    ratio, lines = ratios(errors), []
    for situation, values in errors.iterrows():
        own = [_number(table.loc[situation, OWN]) for table in beside.values()]
        numbers = [_number(value, best=value == values.min()) for value in values]
        compared = f"{ratio[situation]:.2f}" if situation in ratio else ""
        lines.append([SITUATIONS[str(situation)].title, *numbers, compared, *own])
    titles = [models()[name].title for name in errors]
    return "\n".join(grid(["situation", *titles, "ratio", *beside], lines)) + "\n"


def seconds_table(results: Results) -> str:
    """Median seconds of a fit of each model, for each number of rows."""
    found = [(cell.rows, cell.model, line["fit_seconds"]) for cell, line in results.items() if not line["error"]]
    table = pd.DataFrame(found, columns=["rows", "model", "seconds"])
    wide = table.pivot_table(index="rows", columns="model", values="seconds", aggfunc="median")
    wide = wide[[name for name in models() if name in wide]]
    lines = [[f"{rows:,}", *(f"{value:.2f}" for value in values)] for rows, values in wide.iterrows()]
    head = ["median seconds of a fit, rows", *(models()[name].title for name in wide)]
    return "\n".join(grid(head, lines, words=0)) + "\n"


def _number(value: float, *, best: bool = False) -> str:
    """A number x 100; nothing where there is none."""
    if np.isnan(value):
        return ""
    return f"**{100.0 * value:.2f}**" if best else f"{100.0 * value:.2f}"
