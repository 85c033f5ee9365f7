"""From encoded features to standardised columns: power transforms, imputation by the mean, indicators."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.preprocessing import PowerTransformer

from hazboost.data.design import POWERS, Straightening, learn_design
from hazboost.data.features import Schema, learn_schema
from hazboost.training.policy import POLICY

NUMBERS = Schema(None, {}, sparse=False)
#: As a fit finds them: zero or not, but not so close to it that products with them underflow.
powers = st.floats(*POWERS).map(lambda power: round(power, 9)) | st.sampled_from([0.0, 1.0, 2.0])


FARTHEST = POLICY.farthest


def learn(X, schema, weight):
    return learn_design(X, schema, weight, POLICY.skewness, FARTHEST)


def design_of(column, weight=None):
    column = np.asarray(column, dtype=float)[:, None]
    return learn(column, NUMBERS, np.ones(len(column)) if weight is None else weight)


def test_numbers_are_standardised_filled_and_cut():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 5.0], [1e9, 5.0]])
    columns = learn(X[:3], NUMBERS, np.ones(3))(X)
    np.testing.assert_allclose(columns[:3, 0], [-np.sqrt(1.5), 0.0, np.sqrt(1.5)])
    assert columns[3, 0] == FARTHEST
    np.testing.assert_array_equal(columns[:, 1], 0.0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_skewed_column_becomes_nearly_normal(sign, unit):
    normal = np.random.default_rng(0).normal(size=4000)
    column = sign * unit * np.exp(normal)
    assert abs(stats.skew(column)) > 3.0
    straight = design_of(column)(column[:, None])[:, 0]
    assert abs(stats.skew(straight)) < 0.25
    assert abs(np.corrcoef(straight, normal)[0, 1]) > 0.98
    assert (np.diff(straight[np.argsort(column)]) >= 0.0).all()


def test_symmetric_and_mildly_skewed_columns_are_left_as_they_are():
    rng = np.random.default_rng(1)
    for column in (rng.normal(size=500), rng.uniform(size=500), rng.gamma(9.0, size=500)):
        assert abs(stats.skew(column)) < 0.9
        design = design_of(column)
        assert not design.straightening
        standard = (column - column.mean()) / column.std()
        np.testing.assert_allclose(design(column[:, None])[:, 0], np.clip(standard, -FARTHEST, FARTHEST), rtol=1e-9)


def test_rare_binary_column_is_not_straightened():
    column = (np.arange(200) < 4).astype(float)
    assert stats.skew(column) > 5.0
    assert not design_of(column).straightening
    assert not design_of(np.where(np.arange(200) % 3 == 0, np.nan, column)).straightening


def test_power_is_that_of_scikit_learn_in_units_of_the_mean_size():
    column = np.random.default_rng(2).gamma(0.8, 30.0, 800)
    straightening = design_of(column).straightening[0]
    theirs = PowerTransformer(standardize=False).fit((column / column.mean())[:, None])
    assert straightening.unit == pytest.approx(column.mean())
    assert straightening.power == pytest.approx(theirs.lambdas_[0], abs=1e-3)
    np.testing.assert_allclose(
        Straightening(column.mean(), theirs.lambdas_[0])(column),
        theirs.transform((column / column.mean())[:, None])[:, 0],
        rtol=1e-9,
    )


@given(power=powers, unit=st.floats(1e-3, 1e3), factor=st.floats(1e-6, 1e6))
def test_straightening_rises_keeps_zero_and_missing_values_and_follows_the_unit(power, unit, factor):
    column = unit * np.r_[np.nan, np.linspace(-5.0, 5.0, 41)]
    straight = Straightening(unit, power)(column)
    assert np.isnan(straight[0])
    assert straight[21] == 0.0
    assert (np.diff(straight[1:]) > 0.0).all()
    np.testing.assert_allclose(Straightening(unit * factor, power)(column * factor), straight, rtol=1e-9, atol=1e-12)


@given(power=powers)
def test_straightening_has_slope_one_at_zero_on_both_sides(power):
    near = Straightening(2.0, power)(np.array([-2e-6, 2e-6]))
    np.testing.assert_allclose(near, [-1e-6, 1e-6], rtol=1e-4)


@pytest.mark.parametrize("factor", [1e-9, 1e-3, 1e3, 1e9])
def test_design_does_not_depend_on_the_unit_of_a_feature(factor):
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.lognormal(size=300), rng.normal(size=300), rng.lognormal(size=300) - 3.0])
    one, other = (learn(data, NUMBERS, np.ones(300)) for data in (X, factor * X))
    assert set(one.straightening) == set(other.straightening) == {0, 2}
    np.testing.assert_allclose(other(factor * X), one(X), rtol=1e-4, atol=1e-5)


def test_weight_is_equivalent_to_repetition():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.lognormal(size=200), rng.normal(size=200)])
    X[::9, 0] = np.nan
    times = rng.integers(1, 4, 200)
    weighted = learn(X, NUMBERS, times.astype(float))
    repeated = learn(np.repeat(X, times, axis=0), NUMBERS, np.ones(times.sum()))
    assert set(weighted.straightening) == set(repeated.straightening) == {0}
    np.testing.assert_allclose(weighted(X), repeated(X), rtol=1e-6, atol=1e-8)
    assert np.abs(weighted(X) - learn(X, NUMBERS, np.ones(200))(X)).max() > 0.01


def test_rows_without_weight_have_no_effect():
    rng = np.random.default_rng(5)
    column = rng.normal(size=100)
    with_outlier, weight = np.r_[column, 1e6], np.r_[np.ones(100), 0.0]
    assert not design_of(with_outlier, weight).straightening
    np.testing.assert_allclose(design_of(with_outlier, weight)(column[:, None]), design_of(column)(column[:, None]))


EXTREMES = {
    "one huge value": [*range(20), 1e300],
    "all huge": [1e300, 2e300, 5e300, 1e305, -1e300],
    "from the smallest to the largest": [5e-324, 1e-300, 1e-100, 1.0, 1e100, 1e300],
    "both signs": [-1e300, -1.0, 0.0, 1e-300, 1.0, 1e300],
    "denormal": [5e-324, 1e-323, 2e-323, 5e-322, 0.0],
    "denormal and one": [5e-324, 1e-323, 2e-323, 0.0, 1.0],
    "tiny": [1e-300, 2e-300, 3e-300, 4e-299],
    "nearly constant": [1.0, 1.0 + 1e-15, 1.0 - 1e-15, 1.0, 1.0 + 4e-15],
    "large and nearly constant": [1e15, 1e15 + 1.0, 1e15 + 2.0, 1e15 + 40.0],
    "constant": [3.0] * 5,
    "constant zero": [0.0] * 5,
    "constant and huge": [1e300] * 5,
    "only one seen": [np.nan, np.nan, 7.0, np.nan],
    "none seen": [np.nan] * 4,
    "single row": [2.0],
}


@pytest.mark.parametrize("values", EXTREMES.values(), ids=EXTREMES)
def test_extreme_columns_give_finite_columns_without_a_warning(values):
    column = np.array(values)
    new = np.r_[column, np.nan, 0.0, 1e300, -1e300, 5e-324]
    with np.errstate(all="raise", under="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        columns = design_of(column)(new[:, None])
    assert np.isfinite(columns).all()
    assert np.abs(columns).max() <= FARTHEST


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-3, 1e12])
def test_constant_columns_become_zero(value):
    column = np.full(30, value)
    np.testing.assert_array_equal(design_of(column)(np.array([[value], [value + 1.0], [np.nan]])), 0.0)


def test_missing_values_are_at_the_mean_and_do_not_move_it():
    rng = np.random.default_rng(6)
    for column in (rng.normal(size=100), rng.lognormal(size=100)):
        some = np.r_[column, [np.nan] * 30]
        design = design_of(some)
        np.testing.assert_allclose(design(some[:, None])[100:], 0.0)
        np.testing.assert_allclose(design(column[:, None]), design_of(column)(column[:, None]), rtol=1e-9)


def frame_of(groups, n=12):
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {"x": rng.normal(size=n), "group": pd.Categorical(np.resize(groups, n)), "z": rng.normal(size=n)}
    )


def columns_of(frame):
    schema = learn_schema(frame)
    encoded = schema.encode(frame)
    return learn(encoded, schema, np.ones(len(frame)))(encoded)


def test_a_binary_category_is_one_column_between_its_neighbours():
    frame = frame_of(["a", "b", "b"])
    columns = columns_of(frame)
    assert columns.shape == (12, 3)
    second = (frame["group"] == "b").to_numpy()
    np.testing.assert_allclose(columns[:, 1], (second - second.mean()) / second.std())
    for position, name in ((0, "x"), (2, "z")):
        np.testing.assert_allclose(columns[:, position], stats.zscore(frame[name]))


@pytest.mark.parametrize("n_categories", [1, 3, 5])
def test_other_categories_have_a_column_each(n_categories):
    groups = [f"g{i}" for i in range(n_categories)]
    frame = frame_of(groups, 15)
    columns = columns_of(frame)[:, 1:-1]
    assert columns.shape == (15, n_categories)
    if n_categories > 1:
        for position, group in enumerate(groups):
            np.testing.assert_allclose(columns[:, position], stats.zscore((frame["group"] == group).astype(float)))
    else:
        np.testing.assert_array_equal(columns, 0.0)


@pytest.mark.parametrize("groups", [["a", "b"], ["a", "b", "c"]])
def test_missing_and_unknown_categories_are_at_the_mean(groups):
    frame = frame_of([*groups, None])
    schema = learn_schema(frame)
    design = learn(schema.encode(frame), schema, np.ones(len(frame)))
    new = frame_of([None, "unseen", *groups], 4 + 2 * len(groups))
    rows = new["group"].isna() | (new["group"] == "unseen")
    np.testing.assert_allclose(design(schema.encode(new))[rows, 1:-1], 0.0, atol=1e-12)


def test_a_rare_category_is_not_straightened():
    frame = frame_of(["a"] * 99 + ["b"] * 2 + ["c"], 102)
    schema = learn_schema(frame)
    assert set(learn(schema.encode(frame), schema, np.ones(102)).straightening) == set()


def test_a_sparse_matrix_gives_the_columns_of_its_dense_form():
    rng = np.random.default_rng(8)
    dense = np.where(rng.random((80, 3)) < 0.3, rng.lognormal(size=(80, 3)), 0.0)
    one, other = (learn(X, NUMBERS, np.ones(80)) for X in (dense, scipy.sparse.csr_matrix(dense)))
    np.testing.assert_array_equal(one(dense), other(scipy.sparse.csr_matrix(dense)))
