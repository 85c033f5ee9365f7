"""What a fitted model is and how well it fits, as text, as a dictionary and as HTML: ``FPBoost.summary()``."""

from __future__ import annotations

from hazboost.summary.summary import Summary, summarize

__all__ = ["Summary", "summarize"]
