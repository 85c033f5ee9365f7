"""The data sets of the benchmark, and their splits.

All time-fixed sets of SurvSet with at least 20 events and at most 200 columns after one-hot encoding. Sets with more
than 10,000 rows are cut to a random 10,000, always the same. With competing events (one set) the event is the first
kind. Columns are used as they are, also the few that contain the outcome (`README.md`).
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from hazboost.datasets import dataset_names, load_dataset
from hazboost.utils.arrays import Array, Indices, Mask

#: Prefix of the names of `hazboost.datasets.load_dataset`.
SURVSET = "survset/"
MIN_EVENTS = 20
MAX_COLUMNS = 200
MAX_ROWS = 10_000
LARGE_ROWS = 3_000
REPEATS = 10
LARGE_REPEATS = 3
TEST_SHARE = 1 / 3


class Dataset(NamedTuple):
    """A right-censored table.

    Attributes
    ----------
    name : str
        Name in SurvSet.
    X : DataFrame
        ``num_*`` columns as floats, ``fac_*`` columns as categories; NaN where missing.
    event : array of bool
        Whether the event was seen.
    time : array of float
        Time of the event or of censoring.
    subject : array of int
        Rows of one subject (two eyes, in two sets) have the same number.
    columns : int
        Number of columns after one-hot encoding.
    """

    name: str
    X: pd.DataFrame
    event: Mask
    time: Array
    subject: Indices
    columns: int

    @property
    def repeats(self) -> int:
        """Number of splits: 10, or 3 for sets with more than 3,000 rows."""
        return REPEATS if len(self.X) <= LARGE_ROWS else LARGE_REPEATS


@cache
def names() -> tuple[str, ...]:
    """Names of the data sets of the benchmark, the smallest first."""
    from SurvSet.data import SurvLoader  # noqa: PLC0415

    catalogue, time_fixed = SurvLoader().df_ds, set(dataset_names())
    narrow = catalogue.loc[catalogue["n_fac"] + catalogue["n_num"] <= MAX_COLUMNS, "ds"]
    chosen = [str(name) for name in narrow if f"{SURVSET}{name}" in time_fixed and _eligible(load(name))]
    return tuple(sorted(chosen, key=lambda name: (len(load(name).X), name)))


def _eligible(dataset: Dataset) -> bool:
    return bool(dataset.event.sum() >= MIN_EVENTS and dataset.columns <= MAX_COLUMNS and not dataset.X.empty)


@cache
def load(name: str) -> Dataset:
    """A data set by its name in SurvSet."""
    complete = load_dataset(f"{SURVSET}{name}")
    rows = _rows(name, len(complete.X))
    X = complete.X.iloc[rows].reset_index(drop=True)
    X = X[[column for column in X if X[column].nunique(dropna=False) >= 2]]
    return Dataset(
        name=name,
        X=X,
        event=complete.y["event"][rows],
        time=complete.y["time"][rows],
        subject=pd.factorize(rows if complete.groups is None else complete.groups[rows])[0],
        columns=sum(_width(X[column]) for column in X),
    )


def _rows(name: str, n: int) -> Indices:
    """All rows, or a random 10,000 of them."""
    if n <= MAX_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(_seed(name)).choice(n, size=MAX_ROWS, replace=False))


def _width(column: pd.Series) -> int:
    return len(column.cat.categories) if isinstance(column.dtype, pd.CategoricalDtype) else 1


def split(name: str, repeat: int) -> tuple[Indices, Indices]:
    """Rows to train on and rows to test on.

    One third of the subjects, stratified on the event, are for testing; all rows of a subject are on the same side.
    A split depends on the name and the repeat only.

    Parameters
    ----------
    name : str
        Name of the data set.
    repeat : int
        Number of the split, 0 to 9.

    Returns
    -------
    train, test : arrays of int
        Row numbers, sorted.
    """
    dataset = load(name)
    had_event = np.bincount(dataset.subject, weights=dataset.event) > 0
    rng = np.random.default_rng([_seed(name), repeat])
    tested = np.zeros(len(had_event), dtype=bool)
    for value in (False, True):
        subjects = rng.permutation(np.flatnonzero(had_event == value))
        tested[subjects[: round(len(subjects) * TEST_SHARE)]] = True
    test = tested[dataset.subject]
    return np.flatnonzero(~test), np.flatnonzero(test)


def _seed(name: str) -> int:
    return zlib.crc32(name.encode())
