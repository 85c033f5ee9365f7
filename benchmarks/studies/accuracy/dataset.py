"""A data set of the study, and its splits."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

from hazboost.utils.arrays import Array, Indices, Mask

#: Sets with more rows have fewer repeats.
MANY_ROWS = 3_000
REPEATS = 10
FEW_REPEATS = 3
TEST_SHARE = 1 / 3


class Dataset(NamedTuple):
    """A right-censored table.

    Attributes
    ----------
    name : str
        Name in the study.
    X : DataFrame
        Numbers as floats, categories as categories; NaN where missing. Constant columns are left out.
    event : array of bool
        Whether the event was seen.
    time : array of float
        Time of the event or of censoring.
    subject : array of int
        Rows of one subject (two eyes, in two sets) have the same number.
    truth : callable, optional
        From row numbers and times to the true survival probabilities, of shape (rows, times), where they are known.
    """

    name: str
    X: pd.DataFrame
    event: Mask
    time: Array
    subject: Indices
    truth: Callable[[Indices, Array], Array] | None = None

    @property
    def columns(self) -> int:
        """Number of columns after one-hot encoding."""
        return sum(_width(self.X[column]) for column in self.X)

    @property
    def repeats(self) -> int:
        """Number of splits: 10, or 3 for sets with more than 3,000 rows."""
        return REPEATS if len(self.X) <= MANY_ROWS else FEW_REPEATS

    def split(self, repeat: int) -> tuple[Indices, Indices]:
        """Rows to train on and rows to test on.

        One third of the subjects, stratified on the event, are for testing; all rows of a subject are on the same side.
        A split depends on the name and the repeat only.

        Parameters
        ----------
        repeat : int
            Number of the split, 0 to 9.

        Returns
        -------
        train, test : arrays of int
            Row numbers, sorted.
        """
        had_event = np.bincount(self.subject, weights=self.event) > 0
        rng = np.random.default_rng([seed_of(self.name), repeat])
        tested = np.zeros(len(had_event), dtype=bool)
        for value in (False, True):
            subjects = rng.permutation(np.flatnonzero(had_event == value))
            tested[subjects[: round(len(subjects) * TEST_SHARE)]] = True
        test = tested[self.subject]
        return np.flatnonzero(~test), np.flatnonzero(test)


def varying(X: pd.DataFrame) -> pd.DataFrame:
    """The columns with at least two values; missing is one."""
    return X[[column for column in X if X[column].nunique(dropna=False) >= 2]]


def seed_of(name: str) -> int:
    """A seed for each name."""
    return zlib.crc32(name.encode())


def _width(column: pd.Series) -> int:
    return len(column.cat.categories) if isinstance(column.dtype, pd.CategoricalDtype) else 1
