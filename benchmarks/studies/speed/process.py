"""The process that measures a cell: its interpreter, its version of the library, and its limits."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import time as clock
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.memory import resident_gibibytes
from benchmarks.harness.paths import REPOSITORY
from benchmarks.harness.pool import THREAD_VARIABLES
from benchmarks.peers import peers_of
from benchmarks.peers.shared.base import Peer
from benchmarks.peers.shared.own_interpreter import WORKERS
from benchmarks.studies.speed.cells import Cell
from benchmarks.studies.speed.parts import AUTHORS, OWN, PARTS, PREVIOUS

#: Seconds between two looks at a process.
PAUSE = 0.05
#: Characters of the output of a failed process that are kept.
OUTPUT_TAIL = 1_000
#: Digits of the hash of a commit that are kept.
DIGITS = 7
#: What to run in the interpreter of the authors' package.
AUTHORS_WORKER = WORKERS / "fit_fpboost.py"


@dataclass(frozen=True)
class Limits:
    """What one measurement may take: seconds and GiB."""

    seconds: float = 600.0
    memory: float = 12.0


@dataclass(frozen=True)
class Order:
    """What the measuring process is told.

    Attributes
    ----------
    action : str
        What it does.
    data, result : str
        Files: arrays to read, and JSON to write.
    module, peer : str
        File of ``benchmarks.peers`` and name of the model in the study of speed.
    worker : str
        Instead of these, in another interpreter, a file of ``benchmarks.peers.workers``; else empty.
    arguments : dict
        Settings of the fit.
    seed, threads : int
        Of the fit.
    """

    action: str
    data: str
    result: str
    module: str
    peer: str
    worker: str
    arguments: dict[str, Any]
    seed: int
    threads: int


def peer_of(model: str) -> Peer:
    """The peer of a model; the version before is the same peer with other sources."""
    return peers_of("speed")[OWN if model == PREVIOUS else model]


def measure(cell: Cell, data: Path, sources: Path, limits: Limits) -> dict[str, Any]:
    """Measure a cell in a process of its own.

    Parameters
    ----------
    cell : Cell
        What to measure.
    data : Path
        File with its arrays; the order and the result are written beside it.
    sources : Path
        Folder of the version of the library to measure.
    limits : Limits
        A process that exceeds them is ended.

    Returns
    -------
    dict
        Seconds and memory, and ``error``, which is None if all is well.
    """
    peer, result = peer_of(cell.model), data.with_name("result.json")
    result.unlink(missing_ok=True)
    order = Order(
        PARTS[cell.part].action(cell),
        str(data),
        str(result),
        _module(peer),
        peer.name,
        str(AUTHORS_WORKER) if cell.model == AUTHORS else "",
        PARTS[cell.part].arguments(cell),
        cell.repeat,
        cell.threads,
    )
    path = data.with_name("order.json")
    path.write_text(json.dumps(asdict(order)))
    python = sys.executable if peer.environment is None else str(peer.environment.python())
    with data.with_name("output.txt").open("w+") as output:
        process = subprocess.Popen(  # noqa: S603
            [python, "-m", "benchmarks.studies.speed.measure", str(path)],
            stdout=output,
            stderr=output,
            env=_surroundings(cell, sources),
            cwd=data.parent,
        )
        error = _wait(process, limits)
        output.seek(0)
        printed = output.read()
    if error is None and not result.exists():
        error = f"ended with the code {process.returncode}: {_without_folders(printed)[-OUTPUT_TAIL:]}"
    return {"error": error} if error else {**json.loads(result.read_text()), "error": None}


def _module(peer: Peer) -> str:
    function = getattr(peer.fit, "func", peer.fit)  # of a partial
    return str(function.__module__)


def _surroundings(cell: Cell, sources: Path) -> dict[str, str]:
    """The variables of the measuring process: its threads, and whose library it imports."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    path = os.pathsep.join([str(sources), str(REPOSITORY)])
    return kept | dict.fromkeys(THREAD_VARIABLES, str(cell.threads)) | {"PYTHONPATH": path}


def _wait(process: subprocess.Popen[Any], limits: Limits) -> str | None:
    """Wait for the end; what went beyond the limits, if anything did."""
    deadline = clock.monotonic() + limits.seconds
    try:
        while process.poll() is None:
            if clock.monotonic() > deadline:
                return f"more than {limits.seconds:g} seconds"
            if resident_gibibytes(process.pid) > limits.memory:
                return f"more than {limits.memory:g} GiB"
            clock.sleep(PAUSE)
        return None
    finally:
        process.kill()
        process.wait()


def _without_folders(text: str) -> str:
    """The text without the place of the repository and of the interpreter's packages."""
    for folder in (REPOSITORY, *map(Path, sys.path)):
        if len(folder.parts) > 1:
            text = text.replace(f"{folder}{os.sep}", "")
    return text


def export(commit: str, folder: Path) -> Path:
    """Write the library of an earlier commit into a folder, and return the folder to import it from."""
    archive = subprocess.run(  # noqa: S603
        ["git", "-C", str(REPOSITORY), "archive", commit, "src"],  # noqa: S607
        capture_output=True,
        check=True,
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


def commit_of(name: str) -> str:
    """The first digits of the hash of a commit; empty without git.

    Git's own short hashes have as many digits as tell all objects of a clone apart, which differs between clones.
    """
    return _git("rev-parse", "--verify", f"{name}^{{commit}}")[:DIGITS]


def own_commit() -> str:
    """The commit of the library that is here, with a ``+`` where its files differ from it."""
    return commit_of("HEAD") + ("+" if _git("status", "--porcelain", "--", "src") else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(REPOSITORY), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
