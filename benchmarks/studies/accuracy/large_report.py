"""The report on the large data sets: one table for each measure, data sets by models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.harness.cells import failures
from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import grid
from benchmarks.studies.accuracy import data
from benchmarks.studies.accuracy.cells import WORK
from benchmarks.studies.accuracy.leads import lead_section
from benchmarks.studies.accuracy.means import Results
from benchmarks.studies.accuracy.models import OWN, REFERENCE, is_too_slow, models


def _percent(value: float) -> str:
    return f"{100 * value:.2f}"


#: Title of a table, the measure, how it is written, and whether more is better.
Measure = tuple[str, str, Callable[[float], str], bool]
MEASURES: tuple[Measure, ...] = (
    ("C-index", "c_index", "{:.4f}".format, True),
    ("Integrated Brier score", "brier", "{:.5f}".format, False),
    ("Integrated log score", "log_score", "{:.5f}".format, False),
    ("Distance from the true survival functions, x 100", "distance", _percent, False),
    ("Calibration: off at the median event time, x 100", "median_excess", _percent, False),
    ("Calibration: deviation of the D-calibration bins, x 100", "d_deviation", _percent, False),
    ("Seconds of a fit", "fit_seconds", "{:.1f}".format, False),
)
TRUTH = "truth"


def write_large_report(results_folder: Path, folder: Path, chosen: Sequence[str] | None, repeats: Sequence[int]) -> str:
    """Write ``report.md`` and return the text; arguments as those of `report.write_report`."""
    results = {cell: line for cell, line in WORK.read(results_folder).items() if cell.repeat in repeats}
    present = {cell.model for cell in results}
    names = chosen or [name for name in models() if name in present]
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n".join(compose(results, names))
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def compose(results: Results, names: Sequence[str]) -> Iterator[str]:
    """The parts of the report."""
    datasets = [name for name in data.names(large=True) if any(cell.dataset == name for cell in results)]
    yield "# Large data sets\n"
    yield (
        "Two thirds of the rows for training. The best is in bold, where more than one model has a result. *Timeout*: "
        "the cell took longer than it may; *too slow*: left out for that reason; empty: not run. *Truth* has the "
        "scores of the true survival functions given the complete features.\n"
    )
    yield size_table(results, datasets)
    for measure in MEASURES:
        yield f"## {measure[0]}\n"
        yield measure_table(results, names, datasets, measure)
    if OWN in names:
        yield lead_section(results, [name for name in names if name != REFERENCE])
    yield failures(results, names)


def size_table(results: Results, datasets: Sequence[str]) -> str:
    """Rows, features and events of the data sets."""
    sizes = {cell.dataset: line for cell, line in results.items() if line["error"] is None}
    rows = [
        [name, f"{line['n']:,}", f"{line['d']}", f"{line['columns']}", f"{line['events']:,}", _censored(line)]
        for name, line in ((name, sizes[name]) for name in datasets if name in sizes)
    ]
    return "\n".join(grid(["data set", "rows", "features", "one-hot", "events", "censored"], rows)) + "\n"


def _censored(line: Line) -> str:
    return f"{100 * (1 - line['events'] / line['n']):.0f} %"


def measure_table(results: Results, names: Sequence[str], datasets: Sequence[str], measure: Measure) -> str:
    """One measure, data sets by models, without data sets of which no model has it."""
    known = any(line.get(f"true_{measure[1]}") is not None for line in results.values())
    rows = []
    for dataset in datasets:
        lines = {name: _lines(results, dataset, name) for name in names}
        if any(_mean(found, measure[1]) is not None for found in lines.values()):
            rows.append([dataset, *_entries(lines, measure), *([_truth(lines, measure)] if known else [])])
    return "\n".join(grid(["data set", *names, *([TRUTH] if known else [])], rows)) + "\n"


def _lines(results: Results, dataset: str, model: str) -> list[Line]:
    return [line for cell, line in results.items() if (cell.dataset, cell.model) == (dataset, model)]


def _entries(lines: dict[str, list[Line]], measure: Measure) -> list[str]:
    """A measure of all models on one data set, the best in bold; the Kaplan-Meier curve is not compared."""
    _, field, write, more = measure
    rows = next(line["n"] for found in lines.values() for line in found if line["error"] is None)
    values = {name: _mean(found, field) for name, found in lines.items()}
    compared = [value for name, value in values.items() if value is not None and name != REFERENCE]
    best = (max if more else min)(compared) if len(compared) > 1 else None
    entries = []
    for name, value in values.items():
        if value is None:
            entries.append(_why_not(name, rows, lines[name]))
        else:
            entries.append(f"**{write(value)}**" if value == best and name != REFERENCE else write(value))
    return entries


def _mean(lines: Sequence[Line], field: str) -> float | None:
    """Mean of the absolute values of a field; None where no line has it."""
    values = [abs(line[field]) for line in lines if line["error"] is None and line.get(field) is not None]
    return sum(values) / len(values) if values else None


def _why_not(model: str, rows: int, lines: Sequence[Line]) -> str:
    errors = [line["error"] for line in lines if line["error"] is not None]
    if not errors:
        return "too slow" if is_too_slow(model, rows) else ""
    return "timeout" if all(error.startswith("timeout") for error in errors) else "error"


def _truth(lines: dict[str, list[Line]], measure: Measure) -> str:
    value = _mean([line for found in lines.values() for line in found], f"true_{measure[1]}")
    return "" if value is None else measure[2](value)
