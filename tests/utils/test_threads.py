"""Threads that stay alive between calls."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import threading
import time

import pytest
from threadpoolctl import ThreadpoolController

from hazboost.utils import threads
from hazboost.utils.threads import SingleThread, limit_openmp, map_threads


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("n_tasks", [0, 1, 2, 30])
def test_results_come_in_the_order_of_the_tasks(n_threads, n_tasks):
    """Also where the first tasks take longest."""

    def slow_at_first(task):
        time.sleep(0.01 if task == 0 else 0.0)
        return 10 * task

    assert map_threads(slow_at_first, range(n_tasks), n_threads) == [10 * task for task in range(n_tasks)]


def test_tasks_run_at_the_same_time_and_threads_are_used_again():
    def meet(_):
        together.wait(timeout=10.0)  # breaks unless as many tasks as threads are running
        return threading.current_thread().name

    seen = []
    for _ in range(2):
        together = threading.Barrier(3)
        seen.append(set(map_threads(meet, range(3), 3)))
    assert len(seen[0]) == 3
    assert seen[0] == seen[1]


def test_one_thread_is_that_of_the_caller():
    assert map_threads(lambda _: threading.current_thread(), range(3), 1) == [threading.current_thread()] * 3


def test_an_error_of_a_task_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        map_threads(lambda task: 1 / task, [1, 0, 2], 2)
    assert map_threads(abs, [-1, -2], 2) == [1, 2]


@pytest.fixture
def blas_threads():
    """A function that counts the threads of linear algebra, which has three at first."""
    with ThreadpoolController().limit(limits=3, user_api="blas"):
        yield lambda: {one["num_threads"] for one in ThreadpoolController().select(user_api="blas").info()}


def test_contexts_with_one_thread_may_overlap(blas_threads):
    """Whichever is left first, the limit ends with the last."""
    single = SingleThread()
    assert blas_threads() == {3}
    single.__enter__()
    single.__enter__()
    single.__exit__()
    assert blas_threads() == {1}
    single.__exit__()
    assert blas_threads() == {3}


def test_a_limit_of_openmp_leaves_linear_algebra_alone(blas_threads):
    """As where one thread predicts while another ends its fit."""
    single = SingleThread()
    single.__enter__()
    with limit_openmp(1):
        single.__exit__()
    assert blas_threads() == {3}


FORK = """
import os
from hazboost.utils.threads import SingleThread, limit_openmp, map_threads

print(*map_threads(abs, [-1, 2, -3], 2), flush=True)
child = os.fork()
if child == 0:
    print(*map_threads(abs, [-4, 5, -6], 2), flush=True)
    os._exit(0)
_, status = os.waitpid(child, 0)
print(*map_threads(abs, [-7, 8, -9], 2), os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no forks")
def test_a_forked_process_starts_threads_of_its_own():
    """It inherits a pool whose threads it does not have, and would wait for them forever."""
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"]


def test_threads_work_where_there_are_no_forks(monkeypatch):
    """As on Windows."""
    monkeypatch.delattr(os, "register_at_fork", raising=False)
    assert runpy.run_path(threads.__file__)["map_threads"](abs, [-1, 2, -3], 2) == [1, 2, 3]
