"""Packages of the extra ``datasets``, imported when a data set is loaded."""

from __future__ import annotations

import importlib
from types import ModuleType

#: Distributions whose name is not that of the module.
DISTRIBUTIONS = {"sksurv": "scikit-survival"}


def require(module: str) -> ModuleType:
    """A module, or an error that says how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"this data set needs {DISTRIBUTIONS.get(package, package)}; "
            'install it with `pip install "hazboost[datasets]"`.'
        ) from error
