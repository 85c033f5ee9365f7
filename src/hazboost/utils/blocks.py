"""Work on many rows in blocks of them, shared by threads."""

from __future__ import annotations

from collections.abc import Callable

from hazboost.utils.threads import map_threads


def for_each_block(work: Callable[[slice], None], n: int, step: int, n_threads: int = 1) -> None:
    """Call ``work`` with slices of at most ``step`` rows that together are all ``n``.

    The blocks do not depend on the number of threads, and so what is computed in them does not either.

    Examples
    --------
    >>> for_each_block(print, 5, 2)
    slice(0, 2, None)
    slice(2, 4, None)
    slice(4, 5, None)
    """
    blocks = [slice(first, min(first + step, n)) for first in range(0, n, step)]
    map_threads(work, blocks, n_threads)
