import operator
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.harness.paths import REPOSITORY
from benchmarks.harness.pool import PATIENCE, Limits, _Queue, run_tasks

# Tasks are sent to other processes, which cannot import this file: all work is a function of the standard library.
posix = pytest.mark.skipif(os.name == "nt", reason="needs process groups")
BACKGROUND = "sleep 60 & echo $! > {}; wait"


def failed(task, message):
    return task, message


def is_gone(pid, patience=30.0):
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def child_of(path, patience=120.0):
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return int(text)
        time.sleep(0.05)
    raise AssertionError("the task did not start")


def test_all_tasks_are_done():
    assert sorted(run_tasks(range(1, 6), operator.neg, failed, Limits(jobs=2))) == [-5, -4, -3, -2, -1]


def test_no_task_is_no_work():
    assert list(run_tasks([], operator.neg, failed, Limits())) == []


def test_a_worker_has_one_thread():
    assert list(run_tasks(["OMP_NUM_THREADS"], os.getenv, failed, Limits())) == ["1"]


def test_a_crash_ends_only_its_task():
    results = list(run_tasks(["exit 3", "true"], os.system, failed, Limits()))
    assert len(results) == 2
    deaths = list(run_tasks([3, 4], os._exit, failed, Limits(jobs=2)))
    assert sorted(deaths) == [(code, f"the process died with exit code {code}") for code in (3, 4)]


@pytest.mark.parametrize("memory", [0.0, 2.0], ids=["at the end", "after a large task"])
def test_a_free_worker_cleans_up_after_itself(tmp_path, memory):
    at_exit = f"__import__('atexit').register(open, {str(tmp_path / 'clean')!r}, 'w') and 1"
    assert list(run_tasks([at_exit], eval, failed, Limits(), lambda _: memory)) == [1]
    assert (tmp_path / "clean").exists()


def test_an_exception_is_a_failure():
    ((task, message),) = run_tasks(["text"], operator.neg, failed, Limits())
    assert (task, message) == ("text", "the process died with exit code 1")


def test_a_timeout_ends_only_its_task():
    results = list(run_tasks(["sleep 60", "true"], os.system, failed, Limits(jobs=1, timeout=1.0)))
    assert results == [("sleep 60", "timeout after 1 seconds"), 0]


@posix
def test_a_timeout_ends_what_the_task_has_started(tmp_path):
    command = BACKGROUND.format(tmp_path / "pid")
    ((_, message),) = run_tasks([command], os.system, failed, Limits(timeout=1.0))
    assert "timeout" in message
    assert is_gone(child_of(tmp_path / "pid"))


@posix
def test_leaving_the_loop_ends_the_workers(tmp_path):
    results = run_tasks(["true", BACKGROUND.format(tmp_path / "pid")], os.system, failed, Limits(jobs=2))
    assert next(results) == 0
    child = child_of(tmp_path / "pid")
    results.close()
    assert is_gone(child)


@posix
def test_workers_do_not_survive_a_killed_parent(tmp_path):
    code = (
        "import os, sys; from benchmarks.harness.pool import Limits, run_tasks\n"
        "if __name__ == '__main__': list(run_tasks([sys.argv[1]], os.system, max, Limits()))"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, BACKGROUND.format(tmp_path / "pid")], cwd=REPOSITORY)
    child = child_of(tmp_path / "pid")
    parent.kill()
    parent.wait()
    assert is_gone(child)


@pytest.mark.parametrize(("memory", "overlap"), [(4.0, True), (3.0, False)])
def test_tasks_share_the_memory(memory, overlap):
    watch = [
        f"{sys.executable} -c 'import time; print(time.time()); time.sleep(1); print(time.time())' # {i}" for i in "ab"
    ]
    results = run_tasks(watch, subprocess.getoutput, failed, Limits(jobs=2, memory=memory), lambda task: 2.0)
    (_, first_end), (second_start, _) = sorted([float(part) for part in text.split()] for text in results)
    assert (second_start < first_end) == overlap


def test_a_task_that_needs_more_than_there_is_runs_alone():
    assert list(run_tasks([1], operator.neg, failed, Limits(jobs=2, memory=1.0), lambda task: 9.0)) == [-1]


def test_small_tasks_overtake_a_large_one_a_few_times_only():
    queue = _Queue(["large", *range(20)], lambda task: 3.0 if task == "large" else 1.0, 3.0)
    overtaking = [queue.take(1.0, alone=False) for _ in range(PATIENCE + 1)]
    assert overtaking == [*((i, 1.0) for i in range(PATIENCE)), None]
    assert queue.take(0.0, alone=True) == ("large", 3.0)
    assert queue.take(0.0, alone=True) == (PATIENCE, 1.0)
