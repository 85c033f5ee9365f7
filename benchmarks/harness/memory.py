"""Memory that a process holds, and held at most. Needs nothing but Python, as it also runs in other interpreters."""

from __future__ import annotations

import re
import sys
from pathlib import Path

KIBIBYTES_PER_GIBIBYTE = 2**20


def peak_gibibytes() -> float:
    """The most memory that this process has held, with its interpreter, its libraries and its data.

    On Linux this is ``VmHWM`` of the kernel: ``ru_maxrss`` is the same number, but begins with that of the process
    that started this one. Elsewhere it is ``ru_maxrss``; NaN where there is none.
    """
    peak = _of_linux("self", "VmHWM")
    if peak is not None:
        return peak
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return float("nan")
    kibibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return float(kibibytes / KIBIBYTES_PER_GIBIBYTE)


def resident_gibibytes(process: int) -> float:
    """Memory that a process holds now; 0 where that cannot be known, or where the process has ended."""
    return _of_linux(str(process), "VmRSS") or 0.0


def _of_linux(process: str, field: str) -> float | None:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return None
    found = re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) / KIBIBYTES_PER_GIBIBYTE if found else None
