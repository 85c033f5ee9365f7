"""Warnings that point at the user's line."""

from __future__ import annotations

import sys
import warnings
from types import FrameType


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called the library, however many of its functions lie in between."""
    frame: FrameType | None = sys._getframe(1)
    level = 2  # 1 would be this function itself
    # Code that is run by exec may have no name.
    while frame is not None and str(frame.f_globals.get("__name__")).split(".")[0] == "hazboost":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
