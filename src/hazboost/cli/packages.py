"""Import of the optional packages that read and write tables, at the time they are needed."""

from __future__ import annotations

import importlib
from types import ModuleType

from hazboost.cli.errors import InputError


def require(module: str) -> ModuleType:
    """Import a module of pandas or pyarrow, or raise an error that says how to install it."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(f'this needs {package}; install it with `pip install "hazboost[cli]"`.') from error
