"""One cluster of two real worker processes for all tests of this folder."""

from __future__ import annotations

from dataclasses import replace

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask import delayed
from dask.dataframe.utils import clear_known_categories
from distributed import Client, LocalCluster

import hazboost
import hazboost.dask.together
from hazboost.training.policy import POLICY


@pytest.fixture(scope="session")
def cluster():
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", scheduler_port=0
    ) as one:
        yield one


@pytest.fixture
def client(cluster):
    with Client(cluster) as one:
        yield one


@pytest.fixture
def large(monkeypatch):
    """Let a few hundred subjects count as many, with regressions of all of them."""
    policy = replace(POLICY, subjects_for_linear=200, subjects_for_column=1_000, events_for_leaf=1e9)
    monkeypatch.setattr(hazboost.FPBoost, "_policy", policy)


@pytest.fixture
def huge(monkeypatch, large):
    """Let a few hundred subjects be so many that regressions are fitted to some of them."""
    monkeypatch.setattr(hazboost.FPBoost, "_policy", replace(hazboost.FPBoost._policy, subjects_for_column=1))


@pytest.fixture
def workers(monkeypatch):
    """Numbers of the partitions that each worker held in every training."""
    seen, original = [], hazboost.dask.together._by_worker

    def watch(*args):
        seen.append(original(*args))
        return seen[-1]

    monkeypatch.setattr(hazboost.dask.together, "_by_worker", watch)
    return seen


def cut(data, begins=(0, 70, 70, 250, 400)):
    """A table or Series as a Dask collection with partitions of very different sizes, one of them empty."""
    ends = [*begins[1:], len(data)]
    parts = [_own_categories(data.iloc[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    return dd.from_delayed([delayed(part) for part in parts], meta=clear_known_categories(data.iloc[:0]))


def _own_categories(part):
    """Only categories that occur, as in files that were written one by one."""
    if isinstance(part, pd.DataFrame):
        columns = part.select_dtypes("category")
        return part.assign(**{name: columns[name].cat.remove_unused_categories() for name in columns})
    return part


def simulate(n=600, seed=0):
    """Features with few values, so that bins do not depend on how rows are cut, and an effect that is not linear."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({name: rng.integers(0, 6, n).astype(float) for name in "abc"})
    risk = 1.5 * ((X["a"] > 2) ^ (X["b"] > 2)) + 0.2 * X["c"]
    time = rng.weibull(1.4, n) * np.exp(-risk.to_numpy())
    censoring = np.minimum(rng.exponential(0.6, n), 0.8)
    y = pd.DataFrame({"event": time <= censoring, "time": np.minimum(time, censoring)})
    return X, y
