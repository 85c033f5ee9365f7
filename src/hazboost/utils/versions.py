"""The version of the library, for modules that its top level imports and that cannot import it."""

from __future__ import annotations

from importlib import import_module


def own_version() -> str:
    """The version of hazboost."""
    version: str = import_module("hazboost").__version__
    return version
