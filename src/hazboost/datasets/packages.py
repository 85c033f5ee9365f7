"""Import of the packages of the extra ``datasets`` at the time a data set is loaded."""

from __future__ import annotations

import importlib
from types import ModuleType

#: Names on PyPI of modules whose distribution has a different name.
DISTRIBUTIONS = {"sksurv": "scikit-survival"}


def require(module: str) -> ModuleType:
    """Import a module, or raise an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"this data set needs {DISTRIBUTIONS.get(package, package)}; "
            'install it with `pip install "hazboost[datasets]"`.'
        ) from error
