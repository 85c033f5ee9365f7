"""The page of the results: tables and the figure, written into ``docs/speed.md`` between its marks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean, median

import numpy as np

from benchmarks.harness.storage import Line
from benchmarks.harness.tables.markdown import fill
from benchmarks.harness.tables.table import DASH, Table
from benchmarks.peers.shared.published_settings import HYPERPARAMETERS
from benchmarks.studies.speed import cells
from benchmarks.studies.speed.cells import Cell, Lines, is_measured, median_of, repeats_of
from benchmarks.studies.speed.gpu_report import gpu_tables
from benchmarks.studies.speed.out_of_core_report import out_of_core_table
from benchmarks.studies.speed.parts import AFT, AUTHORS, OWN, PAPER, PARTS, PREVIOUS, ROUNDS, TREES_PER_ROUND
from benchmarks.studies.speed.process import peer_of
from benchmarks.studies.speed.run import machines
from benchmarks.studies.speed.tables import amount, percent, text_table, times

FIGURE = "speed.svg"
TITLES = {PREVIOUS: "FPBoost, version before"}


def write_page(results: Path, page: Path) -> None:
    """Fill the tables of the page in, and draw its figure beside the results."""
    from benchmarks.studies.speed.figure import draw  # noqa: PLC0415 - needs matplotlib

    lines = cells.read(results)
    draw(curves(lines), results / FIGURE)
    page.write_text(fill(page.read_text(encoding="utf-8"), tables(lines, results)), encoding="utf-8")


def tables(lines: Lines, results: Path) -> list[Table]:
    """All tables of the page."""
    return [
        fits_table(lines, "fit_seconds", "Default fits: seconds"),
        fits_table(lines, "predict_seconds", "Risks of as many rows as were fitted: seconds"),
        fits_table(lines, "peak_gib", "Most memory of the process that fits and predicts: GiB"),
        fixed_table(lines),
        heads_table(lines),
        paper_table(lines),
        predict_table(lines),
        skipped_table(lines),
        machines_table(lines, results),
        out_of_core_table(results),
        *gpu_tables(results),
    ]


def title_of(model: str) -> str:
    """Name of a model in tables and figures."""
    return TITLES.get(model) or peer_of(model).title


@dataclass(frozen=True)
class View:
    """The measured cells of one part, on one number of threads: that of most lines."""

    part: str
    lines: Lines

    @classmethod
    def of(cls, lines: Lines, part: str) -> View:
        """The view of a part."""
        mine = {cell: line for cell, line in lines.items() if cell.part == part}
        threads = [cell.threads for cell in mine]
        most = max(set(threads), key=threads.count, default=1)
        return cls(part, {cell: line for cell, line in mine.items() if cell.threads == most})

    @property
    def threads(self) -> str:
        """The threads in words."""
        count = next((cell.threads for cell in self.lines), 1)
        return "one thread" if count == 1 else f"{count} threads"

    @property
    def rows(self) -> list[int]:
        """Numbers of rows with a result."""
        return sorted({cell.rows for cell, line in self.lines.items() if is_measured(line)})

    @property
    def settings(self) -> list[str]:
        """Settings with a result, in the order of the part."""
        present = {cell.setting for cell, line in self.lines.items() if is_measured(line)}
        return [setting for setting in PARTS[self.part].settings if setting in present]

    @property
    def models(self) -> list[str]:
        """Models with a line, in the order of the part."""
        present = {cell.model for cell in self.lines}
        return [model for model in PARTS[self.part].models if model in present]

    def cell(self, model: str, setting: str, rows: int) -> Cell:
        """A cell of the view, whatever the repeat."""
        threads = next((cell.threads for cell in self.lines), 1)
        return Cell(self.part, model, setting, rows, threads, 0)

    def median(self, model: str, setting: str, rows: int, field: str) -> float | None:
        """Median of a field over the repeats; None without any."""
        return median_of(self.lines, self.cell(model, setting, rows), field)

    def ratio(
        self, over: tuple[str, str], setting: str, rows: int, field: str, part: str | None = None
    ) -> float | None:
        """Median over the repeats of a field of one model over that of another, or a part of it, on the same data."""
        above, below = (repeats_of(self.lines, self.cell(model, setting, rows)) for model in over)
        ratios = [above[repeat][field] / max(below[repeat][part or field], 1e-4) for repeat in above if repeat in below]
        return median(ratios) if ratios else None


def fits_table(lines: Lines, field: str, title: str) -> Table:
    """Models by numbers of rows; beside seconds, how many times those of FPBoost they are."""
    view = View.of(lines, "fits")
    rows = []
    for model in view.models:
        entries = []
        for n in view.rows:
            value, ratio = view.median(model, "defaults", n, field), view.ratio((model, OWN), "defaults", n, field)
            is_plain = model == OWN or ratio is None or field == "peak_gib"
            entries.append(amount(value) if is_plain else f"{amount(value)} ({times(ratio)})")
        if field == "fit_seconds":
            slope = exponent(curve_of(view, model))
            entries.append(DASH if slope is None else f"{slope:.2f}")
        rows.append((title_of(model), entries))
    heads = [*(f"{n:,} rows" for n in view.rows), *(["exponent"] if field == "fit_seconds" else [])]
    return text_table(f"fits-{field}", f"{title} ({view.threads})", "model", heads, rows)


def curve_of(view: View, model: str) -> dict[int, float]:
    """Median seconds of a default fit, by the number of rows."""
    found = {n: view.median(model, "defaults", n, "fit_seconds") for n in view.rows}
    return {n: value for n, value in found.items() if value is not None}


def curves(lines: Lines) -> dict[str, dict[int, float]]:
    """Title of each model -> median seconds of a default fit by the number of rows, FPBoost first."""
    view = View.of(lines, "fits")
    found = {title_of(model): curve_of(view, model) for model in view.models}
    return {title: curve for title, curve in found.items() if curve}


def exponent(curve: dict[int, float]) -> float | None:
    """Slope of the least-squares line of log seconds on log rows.

    Examples
    --------
    >>> exponent({1_000: 0.5, 10_000: 5.0, 100_000: 50.0}), exponent({1_000: 0.5})
    (1.0, None)
    """
    if len(curve) < 2:
        return None
    slope, _ = np.polyfit(np.log(list(curve)), np.log(list(curve.values())), 1)
    return round(float(slope), 3)


def fixed_table(lines: Lines) -> Table:
    """Seconds of a tree, beside those of XGBoost's own objective, and what the seconds are spent on."""
    view = View.of(lines, "fixed")
    rows = []
    for setting in view.settings:
        for n in view.rows:
            for model in view.models:
                per_round = 1 if model == AFT else TREES_PER_ROUND
                seconds = view.median(model, setting, n, "fit_seconds")
                ratio = view.ratio((model, AFT), setting, n, "fit_seconds")
                shares = [
                    DASH if model == AFT else percent(view.median(model, setting, n, field), seconds)
                    for field in ("likelihood_seconds", "trees_seconds")
                ]
                per_tree = None if seconds is None else 1e3 * seconds / (ROUNDS["n_estimators"] * per_round)
                relative = times(None if ratio is None else ratio / per_round)
                entries = [setting, f"{n:,}", amount(seconds), amount(per_tree), relative, *shares]
                rows.append((title_of(model), entries))
    heads = ["trees", "rows", "fit, s", "a tree, ms", "a tree, relative to AFT", "likelihood", "XGBoost"]
    title = f"{ROUNDS['n_estimators']} rounds of depth {ROUNDS['max_depth']} ({view.threads})"
    return text_table("fixed", title, "model", heads, rows)


def heads_table(lines: Lines) -> Table:
    """Seconds by the number of heads."""
    view = View.of(lines, "heads")
    rows = []
    for n in view.rows:
        for setting in view.settings:
            seconds = [view.median(model, setting, n, "fit_seconds") for model in (OWN, PREVIOUS)]
            ratio = view.ratio((PREVIOUS, OWN), setting, n, "fit_seconds")
            memory = view.median(OWN, setting, n, "peak_gib")
            rows.append((setting, [f"{n:,}", *map(amount, seconds), times(ratio), amount(memory)]))
    heads = ["rows", "fit, s", "version before, s", "times faster", "peak, GiB"]
    return text_table("heads", f"20 rounds of depth 2, by the number of heads ({view.threads})", "heads", heads, rows)


def paper_table(lines: Lines) -> Table:
    """`FPBoost.paper` beside the authors' package on the configurations of the paper."""
    view = View.of(lines, "paper")
    rows: list[tuple[str, list[str]]] = []
    # Seconds of both models, and what of ours they are compared with.
    compared = {"fit_seconds": ("fit_seconds", "trees_seconds"), "predict_seconds": ("predict_seconds",)}
    ratios: dict[str, list[float]] = {part: [] for parts in compared.values() for part in parts}
    for name in view.settings:
        settings = HYPERPARAMETERS[name]
        line = next(iter(repeats_of(view.lines, view.cell(PAPER, name, 0)).values()), {})
        entries = [f"{line.get('n', 0):,}", str(line.get("d", DASH))]
        entries.append(f"{settings.weibull_heads} + {settings.loglogistic_heads}")
        for field, parts in compared.items():
            entries += [amount(view.median(model, name, 0, field)) for model in (PAPER, AUTHORS)]
            for part in parts:
                ratio = view.ratio((AUTHORS, PAPER), name, 0, field, part)
                ratios[part] += [] if ratio is None else [ratio]
                entries.append(times(ratio))
        rows.append((name, entries))
    for label, summary in (("geometric mean", geometric_mean), ("minimum", min)):
        fit, trees, predict = (times(summary(found) if found else None) for found in ratios.values())
        rows.append((label, ["", "", "", "", "", fit, trees, "", "", predict]))
    heads = ["rows", "columns", "heads", "fit, s", "authors, s", "times faster", "XGBoost alone"]
    heads += ["risk, s", "authors, s", "times faster"]
    return text_table("paper", f"The paper's configurations ({view.threads})", "data", heads, rows)


def predict_table(lines: Lines) -> Table:
    """Predictions for many rows, beside the prediction of the trees alone."""
    view = View.of(lines, "predict")
    rows = []
    for n in view.rows:
        for model in view.models:
            risk, in_place, matrix = (
                view.median(model, "risk", n, field)
                for field in ("predict_seconds", "in_place_seconds", "matrix_seconds")
            )
            relative = [times(risk / each if risk and each else None) for each in (in_place, matrix)]
            survival, memory, result = (
                view.median(model, "survival", n, field) for field in ("predict_seconds", "peak_gib", "result_gib")
            )
            entries = [f"{n:,}", amount(risk), *relative, amount(survival), amount(memory), amount(result)]
            rows.append((title_of(model), entries))
    heads = [
        "rows",
        "risk, s",
        "relative to the trees, in place",
        "by DMatrix",
        "S(t) at 100 times, s",
        "peak, GiB",
        "of which the result",
    ]
    return text_table("predict", f"Predictions ({view.threads})", "model", heads, rows)


def skipped_table(lines: Lines) -> Table:
    """What has no result, and why."""
    missing = [(cell, reason(line)) for cell, line in lines.items() if not is_measured(line)]
    first = {replace(cell, repeat=0): why for cell, why in reversed(missing)}
    rows = [
        (title_of(cell.model), [cell.part, cell.setting, f"{cell.rows:,}" if cell.rows else DASH, why])
        for cell, why in first.items()
    ]
    return text_table("skipped", "Not measured", "model", ["part", "setting", "rows", "why"], rows)


def reason(line: Line) -> str:
    """Why a line has no result, in one line."""
    return str(line.get("skipped") or line["error"].strip().splitlines()[-1])


def machines_table(lines: Lines, results: Path) -> Table:
    """Machines, with the versions and commits that were measured on them."""
    rows = []
    for key, machine in machines(results).items():
        here = [line for line in lines.values() if line.get("machine") == key]
        versions = {f"{name} {version}" for line in here for name, version in line["versions"].items()}
        commits = [
            ", ".join(sorted({line["commit"] for line in here if (line["model"] == PREVIOUS) == before}))
            for before in (False, True)
        ]
        memory = f"{machine['memory_gib']} GiB" if machine.get("memory_gib") else DASH
        about = [str(machine["cores"]), memory, machine["system"], ", ".join(sorted(versions)), *commits]
        rows.append((machine["cpu"], about))
    heads = ["cores", "memory", "system", "versions", "commit", "commit before"]
    return text_table("machines", "Machines", "processor", heads, rows)
