"""What is remembered of the features of the training data."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hazboost.data.cohort import LEVELS, MOST_VALUES, describe_features

NUMBERS = st.floats(-1e300, 1e300) | st.sampled_from([0.0, 1.0]) | st.just(np.nan)


@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=30), elements=NUMBERS))
def test_numbers_have_the_quantiles_values_and_missing_share_that_numpy_finds(X):
    features = describe_features(X, {})
    assert len(features) == X.shape[1]
    for column, feature in zip(X.T, features, strict=True):
        known = column[~np.isnan(column)]
        assert feature.missing == pytest.approx(np.isnan(column).mean())
        if len(known):
            np.testing.assert_allclose(feature.quantiles, np.quantile(known, LEVELS), rtol=1e-12)
        values, counts = np.unique(known, return_counts=True)
        if len(values) <= MOST_VALUES:
            np.testing.assert_array_equal(feature.values, values)
            np.testing.assert_array_equal(feature.counts, counts)
        else:
            assert len(feature.values) == len(feature.counts) == 0


def test_categories_are_counted_in_the_order_of_the_schema_also_those_without_rows():
    X = np.array([[0.5, 2.0], [1.5, 0.0], [2.5, np.nan], [0.5, 2.0]])
    number, category = describe_features(X, {1: ["a", "b", "c"]})
    assert category.counts.tolist() == [1, 0, 2]
    assert category.missing == 0.25
    assert np.isnan(category.quantiles).all()
    assert number.values.tolist() == [0.5, 1.5, 2.5]


def test_entries_that_are_not_stored_are_zeros():
    X = np.array([[0.0, 3.0], [1.0, 0.0], [0.0, 0.0]])
    dense, sparse = describe_features(X, {}), describe_features(scipy.sparse.csr_matrix(X), {})
    for one, other in zip(dense, sparse, strict=True):
        np.testing.assert_array_equal(one.quantiles, other.quantiles)
        assert one.missing == other.missing == 0.0


def test_a_slice_is_a_list_of_features():
    features = describe_features(np.arange(6.0).reshape(2, 3), {})
    assert [one.quantiles[0] for one in features[1:]] == [1.0, 2.0]
    assert features[-1].quantiles[0] == 2.0
