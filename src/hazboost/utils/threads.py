"""Threads that stay alive between calls, so that short tasks do not pay for starting them; and those of others."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any, TypeVar

from joblib import effective_n_jobs
from threadpoolctl import ThreadpoolController

from hazboost.utils.describe import describe

T = TypeVar("T")
S = TypeVar("S")


@lru_cache
def _pool(n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix="hazboost")


if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of its parent's threads


def count_threads(n_jobs: Any) -> int:
    """Number of threads that ``n_jobs`` stands for, as everywhere in scikit-learn."""
    if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be a whole number other than 0, such as -1 for all processors, or None; got "
            f"{describe(n_jobs)}."
        )
    return int(effective_n_jobs(n_jobs))


def map_threads(function: Callable[[T], S], tasks: Sequence[T], n_threads: int) -> list[S]:
    """Results of a function, in the order of its arguments.

    NumPy releases the interpreter lock in its loops, so that threads run at the same time.

    Examples
    --------
    >>> map_threads(abs, [-1, 2, -3], n_threads=2)
    [1, 2, 3]
    """
    if n_threads == 1 or len(tasks) < 2:
        return [function(task) for task in tasks]
    return list(_pool(n_threads).map(function, tasks))


@contextmanager
def one_thread_for_algebra() -> Iterator[None]:
    """Let linear algebra use one thread.

    Folds and blocks of rows have threads of their own. For the small matrices of a start, those of linear algebra only
    wait for one another.
    """
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> ThreadpoolController:
    """The libraries with threads of their own, which takes some milliseconds to find."""
    return ThreadpoolController()
