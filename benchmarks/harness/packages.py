"""Which versions a model runs with, and whether it can run at all."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

from benchmarks.harness.environments import Environment, UnavailableError
from hazboost import __version__

#: Packages whose versions every line has, beside those of its model.
COMMON = ("numpy", "scikit-learn")


class Needs(Protocol):
    """What a model needs; `benchmarks.peers` states it."""

    @property
    def packages(self) -> tuple[str, ...]:
        """Distributions."""

    @property
    def environment(self) -> Environment | None:
        """The interpreter of its own, where it has one."""


def versions(model: Needs, *others: str) -> dict[str, str]:
    """Versions of Python, hazboost, the `others`, and the packages of a model, in its own interpreter if it has one."""
    own = {"python": platform.python_version(), "hazboost": __version__} | installed((*COMMON, *others))
    if model.environment is None:
        return own | installed(model.packages)
    return own | model.environment.versions(model.packages)


def installed(names: Iterable[str]) -> dict[str, str]:
    """Versions of the distributions that are installed here."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def is_available(name: str, model: Needs) -> bool:
    """Whether a model can run here; if not, a line on standard error says what to install."""
    reason = why_not(model)
    if reason is not None:
        sys.stderr.write(f"Skipping the model {name}: {reason}\n")
    return reason is None


def why_not(model: Needs) -> str | None:
    """Why a model cannot run, and what to do about it; None if it can.

    An interpreter of its own is made here if there is none yet.
    """
    if model.environment is not None:
        return _why_no_interpreter(model.environment)
    missing = [name for name in model.packages if not installed((name,))]
    return f"it needs {', '.join(missing)}. Try: pip install {' '.join(missing)}" if missing else None


def _why_no_interpreter(environment: Environment) -> str | None:
    try:
        if not environment.is_there:
            sys.stderr.write(f"{environment.name}: making an interpreter of its own, once, which may take minutes\n")
        environment.python()
    except (UnavailableError, ImportError) as error:
        return str(error)
    return None
