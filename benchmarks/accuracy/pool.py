"""Worker processes that may be killed: a cell that takes too long, or that crashes, ends only itself."""

from __future__ import annotations

import multiprocessing as mp
import os
import time as clock
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

from benchmarks.accuracy.cell import Cell, failure, run_cell

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def _work(connection: Connection) -> None:
    """Loop of a worker: take a cell, send its line."""
    while (cell := connection.recv()) is not None:
        connection.send(run_cell(cell))


class Worker:
    """A process with one thread for all numerics, and the cell that it is working on."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.cell: Cell | None = None
        self.connection, other = mp.Pipe()
        self.process = mp.get_context("spawn").Process(target=_work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def give(self, cell: Cell) -> None:
        """Start a cell."""
        self.cell, self.deadline = cell, clock.monotonic() + self.timeout
        self.connection.send(cell)

    def take(self) -> dict[str, Any] | None:
        """The line of the cell if there is one now, be it that of a failure."""
        if self.cell is None:
            return None
        try:
            if self.connection.poll():
                return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.process.join()
            return failure(self.cell, f"the process died with exit code {self.process.exitcode}")
        if clock.monotonic() > self.deadline:
            self.process.kill()
            self.process.join()
            return failure(self.cell, f"timeout after {self.timeout:g} seconds")
        return None


def run_cells(cells: list[Cell], jobs: int, timeout: float) -> Iterator[dict[str, Any]]:
    """Lines of results, in the order in which they come."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    todo = iter(cells)
    workers: list[Worker] = []
    while True:
        workers = [worker for worker in workers if worker.process.is_alive()]
        workers += [Worker(timeout) for _ in range(jobs - len(workers))]
        for worker in workers:
            if worker.cell is None and (cell := next(todo, None)) is not None:
                worker.give(cell)
        busy = [worker for worker in workers if worker.cell is not None]
        if not busy:
            break
        wait([worker.connection for worker in busy], timeout=1.0)
        for worker in busy:
            if (line := worker.take()) is not None:
                worker.cell = None
                yield line
    for worker in workers:
        worker.process.kill()
