"""Worker processes that may be killed: a task that takes too long, or that crashes, ends only itself."""

from __future__ import annotations

import math
import multiprocessing as mp
import os
import re
import signal
import threading
import time as clock
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
#: A worker that had a task of more GiB is replaced by a new one, as memory is not always given back.
LARGE = 1.0
#: Number of tasks that may overtake one that waits for memory.
PATIENCE = 8
#: First message of a worker: the time that it takes to start does not count as time of its task.
READY = "ready"
#: Seconds for a worker to start.
START = 120.0
#: Seconds for a worker to end by itself.
GRACE = 5.0
#: Seconds between two checks of the deadlines.
PAUSE = 0.5
#: Characters of a traceback that are kept.
TRACEBACK_TAIL = 1_500


def short_traceback() -> str:
    """The end of the traceback of the exception that is being handled, without the folders of files."""
    return re.sub(r'File "[^"]*[/\\]([^"/\\]+)"', r'File "\1"', traceback.format_exc())[-TRACEBACK_TAIL:]


@dataclass(frozen=True)
class Limits:
    """What may be used.

    Attributes
    ----------
    jobs : int
        Processes at the same time, each with one thread.
    timeout : float
        Seconds for a task.
    memory : float
        GiB for all tasks together. A task that needs more than that runs alone.
    """

    jobs: int = 1
    timeout: float = math.inf
    memory: float = math.inf


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    """Loop of a worker: take a task, send its result; until there are no more."""
    if hasattr(os, "setsid"):
        os.setsid()  # a group of its own, which can be killed as a whole
    threading.Thread(target=_end_with_parent, daemon=True).start()
    connection.send(READY)
    with suppress(EOFError):
        while True:
            connection.send(work(connection.recv()))


def _end_with_parent() -> None:
    """End when the parent is killed; otherwise the next run would find the cores in use."""
    parent = mp.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        _kill_group(os.getpid())
        os._exit(1)


def _kill_group(leader: int) -> None:
    """End all processes of a group, where there are groups and this one still exists."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


class _Worker(Generic[T, R]):
    """A process, and the task that it is working on."""

    def __init__(self, work: Callable[[T], R], failed: Callable[[T, str], R], timeout: float) -> None:
        context = mp.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(other, work), daemon=True)
        self.process.start()
        other.close()
        self.failed, self.timeout = failed, timeout
        self.task: T | None = None
        self.needs, self.ready = 0.0, False

    def give(self, task: T, needs: float) -> None:
        """Start a task."""
        self.task, self.needs = task, needs
        self.deadline = clock.monotonic() + self.timeout + (0.0 if self.ready else START)
        self.connection.send(task)

    def take(self) -> R | None:
        """The result of the task, or of its failure, if there is one by now; then the worker is free."""
        if self.task is None or (result := self._outcome(self.task)) is None:
            return None
        large = self.needs > LARGE
        self.task, self.needs = None, 0.0
        if large:
            self.stop()
        return result

    def _outcome(self, task: T) -> R | None:
        try:
            if not self.ready and self.connection.poll():
                self.ready = self.connection.recv() == READY
                self.deadline = clock.monotonic() + self.timeout
            if self.connection.poll():
                result: R = self.connection.recv()
                return result
        except (EOFError, ConnectionResetError):
            self.process.join()
            self.stop()
            return self.failed(task, f"the process died with exit code {self.process.exitcode}")
        if clock.monotonic() > self.deadline:
            self.stop()
            return self.failed(task, f"timeout after {self.timeout:g} seconds")
        return None

    def stop(self) -> None:
        """End the process and all that it has started; an idle one may clean up after itself."""
        if self.task is None:
            self.connection.close()
            self.process.join(GRACE)
        if self.process.pid is not None:
            _kill_group(self.process.pid)
        self.process.kill()
        self.process.join()


class _Queue(Generic[T]):
    """Tasks in their order, of which those that fit into memory may overtake one that does not, a few times."""

    def __init__(self, tasks: Sequence[T], needs: Callable[[T], float] | None, memory: float) -> None:
        self.waiting = [(task, needs(task) if needs else 0.0) for task in tasks]
        self.memory = memory
        self.overtaken = 0

    def take(self, used: float, *, alone: bool) -> tuple[T, float] | None:
        """The next task that may start while others use some memory."""
        for position, (_, need) in enumerate(self.waiting):
            if alone or used + need <= self.memory:
                self.overtaken = self.overtaken + 1 if position > 0 else 0
                return self.waiting.pop(position)
            if self.overtaken >= PATIENCE:
                return None
        return None


def run_tasks(
    tasks: Sequence[T],
    work: Callable[[T], R],
    failed: Callable[[T, str], R],
    limits: Limits,
    needs: Callable[[T], float] | None = None,
) -> Iterator[R]:
    """Results of tasks, in the order in which they come.

    Parameters
    ----------
    tasks : sequence
        What to do, the first first. They are sent to other processes.
    work : callable
        From a task to its result: a function of a module, as it runs in other processes. It should not raise.
    failed : callable
        From a task and what happened to the result of a task that was killed or whose process died.
    limits : Limits
        Processes, seconds and memory.
    needs : callable
        From a task to the GiB of memory that it takes; nothing if not given.
    """
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    queue = _Queue(tasks, needs, limits.memory)
    workers: list[_Worker[T, R]] = []
    try:
        while True:
            workers = [worker for worker in workers if worker.task is not None or worker.process.is_alive()]
            _employ(workers, queue, limits, lambda: _Worker(work, failed, limits.timeout))
            busy = [worker for worker in workers if worker.task is not None]
            if not busy:
                break
            wait([worker.connection for worker in busy], timeout=PAUSE)
            for worker in busy:
                if (result := worker.take()) is not None:
                    yield result
    finally:
        for worker in workers:
            worker.stop()


def _employ(workers: list[_Worker[T, R]], queue: _Queue[T], limits: Limits, hire: Callable[[], _Worker[T, R]]) -> None:
    """Give tasks to workers as far as there are cores and memory, and hire workers for tasks that have none."""
    idle = [worker for worker in workers if worker.task is None]
    while (running := len(workers) - len(idle)) < limits.jobs:
        chosen = queue.take(sum(worker.needs for worker in workers), alone=running == 0)
        if chosen is None:
            return
        if not idle:
            idle.append(hire())
            workers.append(idle[0])
        idle.pop().give(*chosen)
