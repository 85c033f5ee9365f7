"""A fitted model in one file that holds data only, in a format that is documented in docs/model-file.md."""

from __future__ import annotations

from hazboost.files.contents import Fitted
from hazboost.files.errors import ModelFileError
from hazboost.files.store import read_file, read_versions, write_file

__all__ = ["Fitted", "ModelFileError", "read_file", "read_versions", "write_file"]
