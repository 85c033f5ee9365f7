"""How good a prediction is."""

from __future__ import annotations

from hazboost.metrics.concordance import concordance_index

__all__ = ["concordance_index"]
