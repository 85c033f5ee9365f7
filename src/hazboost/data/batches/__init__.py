"""Data that come in batches, because they are larger than the memory."""

from __future__ import annotations

from hazboost.data.batches.features import FeatureBatches
from hazboost.data.batches.reading import read_batches
from hazboost.data.batches.source import Batch, Batches

__all__ = ["Batch", "Batches", "FeatureBatches", "read_batches"]
