"""Rows on disk, binned by the quantiles of some of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator

from hazboost import Batches, Surv
from hazboost.data import sample as sampling
from hazboost.data.batches import read_batches
from hazboost.data.features import upper_limits
from hazboost.engines import Features, LocalEngine
from hazboost.prediction.regression import ConstantStart
from hazboost.training.batched import batched_matrix
from hazboost.training.policy import POLICY

N = 400
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 2))
NUMBERS[RNG.random((N, 2)) < 0.1] = np.nan
NUMBERS[17, 0] = 1e6  # far above twice the largest of all others
WARDS = RNG.choice(["east", "west"], N).astype(object)
WARDS[23] = "attic"
TABLE = pd.DataFrame(NUMBERS, columns=["a", "b"]).assign(ward=pd.Categorical(WARDS))
Y = Surv.right(np.ones(N, dtype=bool), RNG.exponential(size=N))
SETTINGS = {"tree_method": "hist", "max_bin": 16, "max_depth": 3, "learning_rate": 0.5, "reg_lambda": 0.0, "nthread": 1}
START = ConstantStart(np.array([0.0, 1.0]))


def read(X, tmp_path):
    source = Batches(lambda: ((X[first : first + 90], Y[first : first + 90]) for first in range(0, N, 90)))
    return read_batches(source, BaseEstimator(), cache=tmp_path)


def scores_in_training_and_later(X, tmp_path):
    schema, sample = read(X, tmp_path)
    limits = upper_limits(sample.X.highest, schema.categories)
    features = Features(sample.X.shape[1], categorical=frozenset(schema.categories), highest=limits)
    engine = LocalEngine(SETTINGS, 2, features)
    matrix = batched_matrix(engine, sample, START)
    trees = engine.no_trees(matrix)
    encoded = sample.in_memory().X
    shown = np.asarray(encoded.todense()) if hasattr(encoded, "todense") else encoded
    goal = np.column_stack([np.isnan(NUMBERS[:, 0]), np.nan_to_num(shown[:, -1]) == 0.0])
    for _ in range(4):
        trees = engine.grow(trees, matrix, engine.scores(trees, matrix) - goal, np.ones((N, 2)))
    later = engine.scores(trees, engine.matrix(encoded, START.margin(encoded)))
    return engine.scores(trees, matrix), later


@pytest.mark.parametrize("drawn", [60, N])
@pytest.mark.parametrize("X", [TABLE, NUMBERS, csr_matrix(np.nan_to_num(NUMBERS))], ids=["table", "array", "sparse"])
def test_trees_treat_rows_in_training_as_later(X, drawn, tmp_path, monkeypatch):
    """Also a category and a largest value that no drawn row has."""
    monkeypatch.setattr(sampling, "VALUES_IN_MEMORY", drawn * X.shape[1])
    in_training, later = scores_in_training_and_later(X, tmp_path)
    np.testing.assert_allclose(in_training, later, atol=1e-6)
    assert np.ptp(in_training[:, 0]) > 0.1


def test_bins_do_not_depend_on_the_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "VALUES_IN_MEMORY", 200)
    cuts = []
    for size in (33, N):
        source = Batches([(NUMBERS[first : first + size], Y[first : first + size]) for first in range(0, N, size)])
        sample = read_batches(source, BaseEstimator(), cache=tmp_path)[1]
        cuts.append(batched_matrix(LocalEngine(SETTINGS, 2), sample, START).get_quantile_cut())
    for one, other in zip(*cuts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_as_many_rows_are_drawn_as_in_memory_with_up_to_500_columns():
    """A start that is fitted to fewer rows is worse where columns are many, and few trees do not make up for it."""
    drawn = POLICY.subjects_for_linear
    assert sampling.rows_to_load(drawn, np.empty((0, 500))) == drawn


def test_extremes_have_every_category_and_every_largest_value(tmp_path):
    extremes = read(TABLE, tmp_path)[1].X.extremes()
    assert extremes[:, 2].tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_array_equal(np.nanmax(extremes[:, :2], axis=0), np.nanmax(NUMBERS, axis=0))
