"""Memory that is freed and needed again."""

from __future__ import annotations

from functools import cache

import numpy as np

#: Bytes of the largest block from which glibc learns; it ignores those of 32 MiB and more.
LARGEST_BLOCK = 2**25 - 2**16


@cache
def keep_freed_memory() -> None:
    """Let the C library keep memory that was freed, at most 64 MiB, instead of giving it back at once.

    glibc gives memory back to the system as soon as twice the largest block that was ever freed is unused. A likelihood
    frees more than that in every round, and the system has to clear the same pages again and again: with 4,000 to
    50,000 rows that takes two thirds of its time. One large block teaches glibc another limit; its pages are never
    touched. Other C libraries do not learn from blocks, nor does glibc where
    ``MALLOC_TRIM_THRESHOLD_`` sets its limit (as Dask does for its workers), and nothing changes there.
    """
    np.empty(LARGEST_BLOCK, dtype=np.uint8)
