"""What a time was measured on, in words that name neither a computer nor a person."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from pathlib import Path
from typing import Any

from benchmarks.harness.options import cores


def describe_machine() -> dict[str, Any]:
    """Processor, cores that may be used, GiB of memory, operating system."""
    return {"cpu": _processor(), "cores": cores(), "memory_gib": _memory(), "system": _system()}


def key_of(machine: dict[str, Any]) -> str:
    """A short name for a description, for lines that refer to it."""
    return hashlib.sha256(json.dumps(machine, sort_keys=True).encode()).hexdigest()[:8]


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or platform.machine()


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        name = platform.system()
    return f"{name}, {platform.machine()}"
