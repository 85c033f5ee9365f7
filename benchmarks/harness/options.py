"""Options that the studies share, and parsers of their values."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.harness.paths import REPOSITORY
from benchmarks.harness.pool import Limits


def add_run_options(parser: argparse.ArgumentParser, timeout: float) -> None:
    """Options of a command that runs cells: processes, memory, seconds, and whether errors are tried again."""
    parser.add_argument(
        "--jobs", type=positive, default=cores(), help="processes of one thread each; one for each core by default"
    )
    parser.add_argument(
        "--memory", type=float, default=gibibytes(), help="GiB for all processes; 80 %% of the machine's by default"
    )
    parser.add_argument("--timeout", type=float, default=timeout, help=f"seconds for a cell; {timeout:g} by default")
    parser.add_argument("--retry-errors", action="store_true", help="run cells again that ended with an error")


def limits(options: argparse.Namespace) -> Limits:
    """The limits of these options."""
    return Limits(options.jobs, options.timeout, options.memory)


def check_names(parser: argparse.ArgumentParser, option: str, given: Sequence[str], known: Iterable[str]) -> None:
    """End with an error that lists the known names where one that was given is not among them."""
    known = tuple(known)
    if unknown := [name for name in given if name not in known]:
        parser.error(f"{option}: {', '.join(unknown)} unknown; choose from {', '.join(known)}")


def names(text: str) -> tuple[str, ...]:
    """Names separated by commas."""
    return tuple(name.strip() for name in text.split(","))


def numbers(text: str) -> tuple[int, ...]:
    """Numbers out of a list of numbers and ranges.

    Examples
    --------
    >>> numbers("0-2,5")
    (0, 1, 2, 5)
    """
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return tuple(found)


def sizes(text: str) -> tuple[int, ...]:
    """Numbers of rows, also large ones as ``1e6``.

    Examples
    --------
    >>> sizes("500,1e6")
    (500, 1000000)
    """
    return tuple(int(float(part)) for part in text.split(","))


def positive(text: str) -> int:
    """A number of at least one."""
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1; got {number}")
    return number


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def gibibytes() -> float:
    """Four fifths of the memory of the machine; 4 where it cannot be found out."""
    try:
        return round(0.8 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return 4.0


def shown(path: Path) -> str:
    """A path for the help: relative to the repository if it is in there."""
    return str(path.relative_to(REPOSITORY)) if path.is_relative_to(REPOSITORY) else str(path)
