"""The loop over the cells: data once for all models that are compared on them, one measurement at a time."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np

from benchmarks.harness import storage
from benchmarks.harness.machine import describe_machine, key_of
from benchmarks.harness.packages import is_available, versions
from benchmarks.harness.paths import REPOSITORY
from benchmarks.harness.storage import Line
from benchmarks.studies.speed import cells
from benchmarks.studies.speed.cells import Cell, Lines, is_measured
from benchmarks.studies.speed.forecast import is_long, reason_to_skip
from benchmarks.studies.speed.parts import PARTS, PREVIOUS
from benchmarks.studies.speed.process import Limits, commit_of, export, measure, own_commit, peer_of


@dataclass(frozen=True)
class Run:
    """Where results go, and what they are measured with.

    Attributes
    ----------
    output : Path
        Folder of the results.
    limits : Limits
        What one measurement may take.
    previous : str
        Commit of the version before.
    again : bool
        Whether cells that have a line are measured again.
    retry : bool
        Whether those without a result are.
    """

    output: Path
    limits: Limits
    previous: str
    again: bool = False
    retry: bool = False

    def is_due(self, cell: Cell, lines: Lines) -> bool:
        """Whether to measure a cell now."""
        return self.again or cell not in lines or (self.retry and not is_measured(lines[cell]))


def run(planned: Sequence[Cell], settings: Run) -> None:
    """Measure what is due; each line is stored at once."""
    lines = cells.read(settings.output)
    due = [cell for cell in planned if settings.is_due(cell, lines)]
    sys.stderr.write(f"{len(planned) - len(due):,} cells of {len(planned):,} are done.\n")
    if settings.again:  # what is measured again is not known; other sizes are
        lines = {cell: line for cell, line in lines.items() if cell not in set(due)}
    available = {name for name in {cell.model for cell in due} if is_available(name, peer_of(name))}
    machine = remember_machine(settings.output)
    with tempfile.TemporaryDirectory(prefix="hazboost-speed-") as place:
        folder = Path(place)
        sources = {PREVIOUS: export(settings.previous, folder)} if PREVIOUS in available else {}
        commits = own_commit(), commit_of(settings.previous)
        for group in comparisons(cell for cell in due if cell.model in available):
            data = folder / "data.npz"
            data.unlink(missing_ok=True)
            for cell in group:
                if is_long(cell, lines):
                    continue
                result = _measure(cell, lines, data, sources.get(cell.model, REPOSITORY / "src"), settings.limits)
                about: Line = {"machine": machine, "commit": commits[cell.model == PREVIOUS]}
                about["versions"] = versions(peer_of(cell.model))
                lines[cell] = cells.store(settings.output, cell, result | about)
                sys.stderr.write(f"{cell}: {describe(result)}\n")


def comparisons(due: Iterable[Cell]) -> Iterable[list[Cell]]:
    """Cells that share their data, in the given order."""
    for _, group in groupby(due, key=lambda cell: (cell.data, cell.repeat)):
        yield list(group)


def _measure(cell: Cell, lines: Lines, data: Path, sources: Path, limits: Limits) -> Line:
    """The result of a cell, or why it has none; the data are made when a model first needs them."""
    if reason := reason_to_skip(cell, lines, limits):
        return {"error": None, "skipped": reason}
    if not data.exists():
        try:
            np.savez(data, **PARTS[cell.part].arrays(cell))
        except (OSError, ImportError) as error:
            return {"error": None, "skipped": f"the data cannot be loaded: {error}"}
    return measure(cell, data, sources, limits)


def remember_machine(folder: Path) -> str:
    """Store the description of this machine where it is new, and return its key."""
    machine = describe_machine()
    key = key_of(machine)
    if key not in machines(folder):
        storage.append(folder, "machines", {"key": key} | machine)
    return key


def machines(folder: Path) -> dict[str, Line]:
    """Descriptions of the machines, by their keys."""
    return storage.read(folder, lambda line: str(line["key"]))


def describe(result: Line) -> str:
    """A few words for the progress."""
    if result.get("skipped"):
        return f"skipped, {result['skipped']}"
    if result["error"] is not None:
        return f"ERROR {result['error'].strip().splitlines()[-1]:.100}"
    fit, predict, peak = (result[field] for field in ("fit_seconds", "predict_seconds", "peak_gib"))
    return f"fit {fit:.2f} s, predict {predict:.2f} s, peak {peak:.2f} GiB"
