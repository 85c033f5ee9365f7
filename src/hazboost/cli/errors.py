"""Errors of the command line."""

from __future__ import annotations


class InputError(ValueError):
    """A file or an option that cannot be used, in one sentence."""
