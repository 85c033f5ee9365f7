"""What is raised for a file that cannot be a model."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model cannot be saved, or a file is damaged, foreign, or newer than this version of hazboost."""
