"""The 58 data sets of SurvSet.

All time-fixed sets with at least 20 events and at most 200 columns after one-hot encoding. Sets with more than 10,000
rows are cut to a random 10,000, always the same. With competing events (one set) the event is the first kind. Columns
are used as they are, also the few that contain the outcome (`README.md`).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

from benchmarks.studies.accuracy.dataset import Dataset, seed_of, varying
from hazboost.datasets import dataset_names, load_dataset
from hazboost.utils.arrays import Indices

#: Prefix of the names of `hazboost.datasets.load_dataset`.
SURVSET = "survset/"
MIN_EVENTS = 20
MAX_COLUMNS = 200
MAX_ROWS = 10_000


@cache
def names() -> tuple[str, ...]:
    """Names of the data sets, the smallest first."""
    from SurvSet.data import SurvLoader  # noqa: PLC0415

    catalogue, time_fixed = SurvLoader().df_ds, set(dataset_names())
    narrow = catalogue.loc[catalogue["n_fac"] + catalogue["n_num"] <= MAX_COLUMNS, "ds"]
    chosen = [str(name) for name in narrow if f"{SURVSET}{name}" in time_fixed and _eligible(load(name))]
    return tuple(sorted(chosen, key=lambda name: (len(load(name).X), name)))


def _eligible(dataset: Dataset) -> bool:
    return bool(dataset.event.sum() >= MIN_EVENTS and dataset.columns <= MAX_COLUMNS and not dataset.X.empty)


@cache
def load(name: str) -> Dataset:
    """A data set by its name in SurvSet, with at most 10,000 rows."""
    return read(name, name, MAX_ROWS)


def read(survset_name: str, name: str, most: int | None = None) -> Dataset:
    """A data set of SurvSet under another name; with `most`, no more rows than that."""
    complete = load_dataset(f"{SURVSET}{survset_name}")
    rows = _rows(name, len(complete.X), most)
    return Dataset(
        name=name,
        X=varying(complete.X.iloc[rows].reset_index(drop=True)),
        event=complete.y["event"][rows],
        time=complete.y["time"][rows],
        subject=pd.factorize(rows if complete.groups is None else complete.groups[rows])[0],
    )


def _rows(name: str, n: int, most: int | None) -> Indices:
    """All rows, or a random selection of them."""
    if most is None or n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed_of(name)).choice(n, size=most, replace=False))
