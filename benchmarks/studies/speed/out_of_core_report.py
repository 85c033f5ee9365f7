"""The table of fits to data that are larger than the memory."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness import storage
from benchmarks.harness.storage import Line
from benchmarks.harness.tables.table import DASH, Table
from benchmarks.studies.speed.tables import amount, text_table

WAYS = {"batches": "`fit_batches`, from files", "memory": "`fit`, all data in memory"}


def out_of_core_table(results: Path) -> Table:
    """Fits from files with a limit on the memory, and in memory with and without."""
    lines = storage.read(results, _key).values()
    rows = [(WAYS[line["way"]], [*_data(line), *_result(line)]) for line in lines]
    heads = [
        "rows × columns",
        "data, MB",
        "limit, MB",
        "rounds",
        "depth",
        "held-out log-likelihood",
        "C-index × 100",
        "fit, s",
        "peak, MB",
    ]
    return text_table("out-of-core", "Larger than the memory (2 threads)", "model", heads, rows)


def _key(line: Line) -> tuple[str, str, bool, int]:
    """The key of a line of this part of the study: only these state a limit."""
    return line["settings"], line["way"], line["limit_mb"] is None, line["columns"]


def _data(line: Line) -> list[str]:
    """The size of the data and the limit."""
    limit = line["limit_mb"]
    return [
        f"{line['data_rows']:,} × {line['columns']}",
        f"{line['data_mb']:,}",
        "none" if limit is None else str(limit),
    ]


def _result(line: Line) -> list[str]:
    """What the fit has given, or why there is nothing."""
    if line["error"] is not None:
        return [line["error"], *[DASH] * 5]
    chosen = " (chosen)" if line["settings"] == "chosen" else ""
    return [
        f"{line['rounds']}{chosen}",
        f"{line['depth']}{chosen}",
        f"{-line['loss']:.4f}",
        f"{100 * line['concordance']:.2f}",
        amount(line["seconds"]),
        f"{line['peak_mb']:,}",
    ]
