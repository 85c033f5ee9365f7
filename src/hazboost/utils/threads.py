"""Threads that stay alive between calls, so that short tasks do not pay for starting them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")


@lru_cache
def _pool(n_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(n_threads, thread_name_prefix="hazboost")


if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked process has none of its parent's threads


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
