"""Which versions a model runs with, and whether it can run at all."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from hazboost import __version__
from hazboost.experiments.baselines import Baseline
from hazboost.experiments.environments import Environment, UnavailableError

#: Packages whose versions every line has, beside those of its model.
COMMON = ("numpy", "scikit-learn")
#: Prints the versions of the packages that it is given.
ASK = """
import json, sys
from importlib.metadata import distributions
found = {d.metadata["Name"].lower(): d.version for d in distributions()}
print(json.dumps({name: found[name.lower()] for name in sys.argv[1:] if name.lower() in found}))
"""


def versions(baseline: Baseline) -> dict[str, str]:
    """Versions of Python, hazboost, and the packages that matter to a model, those of its own interpreter included."""
    own = {"python": platform.python_version(), "hazboost": __version__}
    if baseline.environment is None:
        return own | installed((*COMMON, *baseline.packages))
    return own | installed(COMMON) | _installed_in(baseline.environment, baseline.packages)


def installed(names: tuple[str, ...]) -> dict[str, str]:
    """Versions of the distributions that are installed here."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@cache
def _installed_in(environment: Environment, names: tuple[str, ...]) -> dict[str, str]:
    """Versions of the distributions that are installed in another environment."""
    command = [str(environment.python()), "-c", ASK, *names]
    found: dict[str, str] = json.loads(subprocess.check_output(command, text=True))  # noqa: S603
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
    sys.stderr.write(f"{environment.name}: an interpreter of its own, made once, which may take minutes\n")
    try:
        environment.python()
    except (UnavailableError, ImportError) as error:
        return str(error)
    return None
