"""Memory that is freed and needed again."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource
import sys

import numpy as np

from hazboost.utils.memory import keep_freed_memory


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def work():
    # As a likelihood does: several blocks that are in use at the same time, each too small to matter alone.
    blocks = [np.ones(30_000) for _ in range(12)]
    return sum(block[-1] for block in blocks)


if sys.argv[1] == "keep":
    keep_freed_memory()
work()
before = faults()
for _ in range(50):
    work()
print(faults() - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc learns from the blocks that are freed")
def test_pages_that_were_freed_are_used_again():
    """Fifty times twelve blocks of 59 pages: NumPy before 2.5 asks nearly all of them of the system every time."""
    # Dask sets a fixed limit for the processes that follow, and glibc does not learn where a limit is set.
    learning = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    given, kept = (
        int(subprocess.check_output([sys.executable, "-c", FAULTS, how], env=learning)) for how in ("give back", "keep")
    )
    assert kept <= given / 100
