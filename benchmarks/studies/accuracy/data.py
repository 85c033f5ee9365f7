"""The data sets of the study by name: those of SurvSet, and the large ones."""

from __future__ import annotations

from functools import cache

from benchmarks.studies.accuracy import survset
from benchmarks.studies.accuracy.dataset import Dataset
from benchmarks.studies.accuracy.large import LARGE_SETS


def names(*, large: bool = False) -> tuple[str, ...]:
    """Names of the data sets of SurvSet, the smallest first, or of the large ones."""
    return tuple(LARGE_SETS) if large else survset.names()


@cache
def load(name: str) -> Dataset:
    """A data set by its name."""
    return LARGE_SETS[name]() if name in LARGE_SETS else survset.load(name)
