"""Import of optional packages, at the time they are needed."""

from __future__ import annotations

import importlib
from types import ModuleType

from hazboost.cli.errors import InputError


def require(module: str, extra: str = "cli") -> ModuleType:
    """Import a module of an optional package, or raise an error that says with which extra to install it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f'this needs {package}; install it with `pip install "hazboost[{extra}]"`.') from error
