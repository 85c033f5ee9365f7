"""Where batches come from: functions, lists, and what cannot be read twice."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hazboost import Batches, Surv

X = np.arange(12.0).reshape(6, 2)
Y = Surv.right(np.ones(6, dtype=bool), np.arange(1.0, 7.0))


def read():
    yield X[:4], Y[:4]
    yield X[4:], Y[4:], np.ones(2)


@pytest.mark.parametrize("source", [read, list(read())], ids=["function", "list"])
def test_batches_can_be_read_again_and_again(source):
    batches = Batches(source)
    for _ in range(2):
        first, second = batches
        np.testing.assert_array_equal(first.X, X[:4])
        assert first.sample_weight is None
        np.testing.assert_array_equal(second.y, Y[4:])
        assert (first.n_rows, second.n_rows, len(second.sample_weight)) == (4, 2, 2)


def test_a_batch_may_have_features_only():
    (batch,) = Batches([X])
    assert batch.y is None
    np.testing.assert_array_equal(batch.X, X)


def test_a_batch_may_be_a_list_as_data_loaders_make_them():
    first, second = Batches([[X[:4], Y[:4]], [X[4:], Y[4:], np.ones(2)]])
    np.testing.assert_array_equal(first.X, X[:4])
    np.testing.assert_array_equal(second.y, Y[4:])
    assert (first.sample_weight, len(second.sample_weight)) == (None, 2)


def test_a_list_of_rows_has_features_only():
    (batch,) = Batches([X[:2].tolist()])
    assert batch.y is None
    np.testing.assert_array_equal(batch.X, X[:2])


def test_a_generator_is_refused_at_once():
    with pytest.raises(TypeError, match=r"can be read only once.*pass the function that makes it"):
        Batches(read())


@pytest.mark.parametrize("source", [3, None, "folder", pd.DataFrame(X)], ids=["number", "None", "text", "table"])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(TypeError, match=r"source must be a function that begins to read.*Batches\.from_parquet"):
        Batches(source)


def test_a_function_must_return_batches():
    with pytest.raises(TypeError, match="the function must return or yield batches; got None"):
        list(Batches(lambda: None))


def test_a_batch_with_too_many_parts_is_named():
    with pytest.raises(ValueError, match=r"batches: batch 1: source: give a pair \(X, y\).*got 4 parts"):
        list(Batches([(X, Y), (X, Y, None, None)]))
