"""The command ``hazboost``: each of its subcommands reads files, calls one public function and writes a file."""

from __future__ import annotations

from hazboost.cli.command import main

__all__ = ["main"]
