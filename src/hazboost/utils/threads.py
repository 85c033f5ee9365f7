"""Threads that stay alive between calls, so that short tasks do not pay for starting them."""

from __future__ import annotations

import numbers
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, lru_cache
from threading import Lock, get_ident
from typing import Any, Literal, TypeVar

from joblib import cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController

from hazboost.utils.describe import describe

T = TypeVar("T")
S = TypeVar("S")


@lru_cache(maxsize=32)
def _pool(n_threads: int, caller: int) -> ThreadPoolExecutor:
    """The threads of one caller: folds that are fitted at the same time do not wait for each other's."""
    return ThreadPoolExecutor(n_threads, thread_name_prefix="hazboost")


if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of its parent's threads


def count_threads(n_jobs: Any) -> int:
    """Number of threads that ``n_jobs`` stands for.

    None means all processors, as in XGBoost and in scikit-learn's histogram gradient boosting, but at most
    ``OMP_NUM_THREADS`` where that is set, as joblib does in the processes that it starts. Other numbers have the
    meaning that they have everywhere in scikit-learn.
    """
    if n_jobs is not None and (not isinstance(n_jobs, numbers.Integral) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be a whole number other than 0, such as -1 for all processors, or None; got "
            f"{describe(n_jobs)}."
        )
    if n_jobs is not None:
        return int(effective_n_jobs(n_jobs))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(cpu_count()), int(limit)) if limit.isdecimal() and int(limit) > 0 else int(cpu_count())


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
    return list(_pool(n_threads, get_ident()).map(function, tasks))


@cache
def _libraries(kind: Literal["blas", "openmp"]) -> ThreadpoolController:
    """The libraries of a kind with threads of their own, which takes some milliseconds to find.

    A limit that is taken away restores all libraries that it could have limited, so it must not know the others.
    """
    return ThreadpoolController().select(user_api=kind)


def limit_openmp(most: int) -> AbstractContextManager[Any]:
    """A context in which OpenMP uses at most so many threads where it is called from this thread."""
    limited: AbstractContextManager[Any] = _libraries("openmp").limit(limits=most)
    return limited


class SingleThread:
    """A context in which linear algebra uses one thread, in the whole process.

    Contexts of several threads may overlap in any order: the first limits, and the last to leave takes the limit away.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limit = _libraries("blas").limit(limits=1)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limit.restore_original_limits()


#: For the whole process, as the limit is.
single_threaded_blas = SingleThread()
