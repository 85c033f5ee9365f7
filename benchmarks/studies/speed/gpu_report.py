"""Tables of the results on a GPU."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.harness import storage
from benchmarks.harness.storage import Line
from benchmarks.harness.tables.table import Table
from benchmarks.studies.speed.tables import amount, text_table, times

TITLES = {"fpboost": "FPBoost", "xgb_aft": "XGBoost AFT", "fpboost, on the processor": "FPBoost, on the processor"}
PLACES = {"host": "memory of the host", "device": "generated on the device"}


def gpu_tables(results: Path) -> list[Table]:
    """Fits to large data, accuracy, defaults, and the machine."""
    lines = {key[:3]: line for key, line in storage.read(results, _key).items()}
    about = storage.read(results, lambda line: str(line["kind"])).get("machine")
    return [large_table(lines), accuracy_table(lines), defaults_table(lines), machine_table(about)]


def _key(line: Line) -> tuple[str, str, int, int]:
    """The key of a line of this part of the study: only these state their columns."""
    return line["part"], line["model"], line["rows"], line["columns"]


def large_table(lines: dict[Any, Line]) -> Table:
    """Seconds of fits and predictions by the number of rows."""
    rows = []
    for (part, model, n), line in lines.items():
        if part in PLACES:
            about = [PLACES[part], f"{n:,}"]
            rows.append(
                (TITLES[model], about + (_seconds(line) if line["error"] is None else [_last(line["error"])] * 5))
            )
    heads = ["data", "rows", "fit, s", "first fit, s", "risk, s", "first risk, s", "peak, GiB of the GPU"]
    return text_table("gpu-large", "50 rounds of depth 6 on a GPU", "model", heads, rows)


def _seconds(line: Line) -> list[str]:
    fit, predict = (median(line[field]) for field in ("fit_seconds", "predict_seconds"))
    values = fit, line["first_fit_seconds"], predict, line["first_predict_seconds"], line["peak_gpu_gib"]
    return [amount(value) for value in values]


def accuracy_table(lines: dict[Any, Line]) -> Table:
    """C-index and log-likelihood of the same fit on both."""
    rows = [
        (TITLES[model], [f"{n:,}", f"{100 * line['c_index']:.2f}", f"{line['log_likelihood']:.4f}"])
        for (part, model, n), line in lines.items()
        if part == "accuracy" and line["error"] is None
    ]
    heads = ["rows", "C-index × 100", "mean log-likelihood"]
    return text_table("gpu-accuracy", "The same fit, judged on 10,000 other rows", "model", heads, rows)


def defaults_table(lines: dict[Any, Line]) -> Table:
    """`FPBoost` with all its choices."""
    rows = []
    for (part, model, n), line in lines.items():
        if part == "defaults" and line["error"] is None:
            fit = median(line["fit_seconds"])
            chosen = [str(line["rounds"]), str(line["depth"]), f"{100 * line['c_index']:.2f}"]
            ratio = times(line["first_fit_seconds"] / fit)
            rows.append((TITLES[model], [f"{n:,}", amount(fit), ratio, *chosen]))
    heads = ["rows", "fit, s", "first fit", "rounds chosen", "depth chosen", "C-index × 100"]
    return text_table("gpu-defaults", 'FPBoost(device="cuda") with all its choices', "model", heads, rows)


def machine_table(about: Line | None) -> Table:
    """The machine with the GPU."""
    rows = []
    if about is not None:
        versions = ", ".join(f"{name} {version}" for name, version in sorted(about["versions"].items()))
        processor = [about["cpu"], str(about["cores"]), f"{about['memory_gib']} GiB", about["system"]]
        gpu_memory = f"{about['gpu_memory_gib']} GiB" if "gpu" in about else "none"
        label = about.get("gpu", "none")
        rows.append((label, [gpu_memory, *processor, f"python {about['python']}, {versions}"]))
    heads = ["memory of the GPU", "processor", "cores", "memory", "system", "versions"]
    return text_table("gpu-machine", "Machine with a GPU", "GPU", heads, rows)


def _last(error: str) -> str:
    return error.strip().splitlines()[-1]
