"""Which versions a model runs with, and whether it can run at all."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from hazboost import __version__
from hazboost.experiments.baselines import Baseline
from hazboost.experiments.environments import Environment, UnavailableError

#: Packages whose versions every line has, beside those of its model.
COMMON = ("numpy", "scikit-learn")


def versions(baseline: Baseline) -> dict[str, str]:
    """Versions of Python, hazboost, and the packages that matter to a model, those of its own interpreter included."""
    own = {"python": platform.python_version(), "hazboost": __version__}
    if baseline.environment is None:
        return own | installed((*COMMON, *baseline.packages))
    return own | installed(COMMON) | baseline.environment.versions(baseline.packages)


def installed(names: tuple[str, ...]) -> dict[str, str]:
    """Versions of the distributions that are installed here."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def why_not(baseline: Baseline) -> str | None:
    """Why a model cannot run, and what to do about it; None if it can.

    An interpreter of its own is made here if there is none yet.
    """
    if baseline.environment is not None:
        return _why_no_interpreter(baseline.environment)
    missing = [name for name in baseline.packages if not installed((name,))]
    return f"it needs {', '.join(missing)}. Try: pip install {' '.join(missing)}" if missing else None


def _why_no_interpreter(environment: Environment) -> str | None:
    try:
        if not environment.is_there:
            sys.stderr.write(f"{environment.name}: making an interpreter of its own, once, which may take minutes\n")
        environment.python()
    except (UnavailableError, ImportError) as error:
        return str(error)
    return None
