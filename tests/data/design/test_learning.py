"""From encoded features to standardised columns: power transforms, imputation by the mean, indicators."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy import stats
from scipy.optimize import minimize_scalar

from hazboost.data.design import learn_design
from hazboost.data.design import learning as design_module
from hazboost.data.design.products import DenseColumns
from hazboost.data.features import Schema, learn_schema
from hazboost.training.policy import POLICY

NUMBERS = Schema(None, {}, sparse=False)
FARTHEST = POLICY.farthest


def learn(X, schema, weight):
    return learn_design(X, schema, weight, POLICY.skewness, FARTHEST)


def written(design, X):
    """The columns of a design, written out."""
    columns = design.columns(X)
    return columns @ np.eye(columns.shape[1])


def straightened(design):
    """Features that are power-transformed."""
    return set(design.numeric[design.standardisation.skewed].tolist())


def design_of(column, weight=None):
    column = np.asarray(column, dtype=float)[:, None]
    return learn(column, NUMBERS, np.ones(len(column)) if weight is None else weight)


def test_numbers_are_standardised_filled_and_cut():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 5.0], [1e9, 5.0]])
    columns = written(learn(X[:3], NUMBERS, np.ones(3)), X)
    np.testing.assert_allclose(columns[:3, 0], [-np.sqrt(1.5), 0.0, np.sqrt(1.5)])
    assert columns[3, 0] == FARTHEST
    np.testing.assert_array_equal(columns[:, 1], 0.0)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_skewed_column_becomes_nearly_normal(sign, unit):
    normal = np.random.default_rng(0).normal(size=4000)
    column = sign * unit * np.exp(normal)
    assert abs(stats.skew(column)) > 3.0
    straight = written(design_of(column), column[:, None])[:, 0]
    assert abs(stats.skew(straight)) < 0.25
    assert abs(np.corrcoef(straight, normal)[0, 1]) > 0.98
    assert (np.diff(straight[np.argsort(column)]) >= 0.0).all()


def test_symmetric_and_mildly_skewed_columns_are_left_as_they_are():
    rng = np.random.default_rng(1)
    for column in (rng.normal(size=500), rng.uniform(size=500), rng.gamma(9.0, size=500)):
        assert abs(stats.skew(column)) < 0.9
        design = design_of(column)
        assert not straightened(design)
        standard = (column - column.mean()) / column.std()
        np.testing.assert_allclose(
            written(design, column[:, None])[:, 0], np.clip(standard, -FARTHEST, FARTHEST), rtol=1e-9, atol=1e-12
        )


def test_rare_binary_column_is_not_straightened():
    column = (np.arange(200) < 4).astype(float)
    assert stats.skew(column) > 5.0
    assert not straightened(design_of(column))
    assert not straightened(design_of(np.where(np.arange(200) % 3 == 0, np.nan, column)))


@pytest.mark.parametrize("factor", [1e-9, 1e-3, 1e3, 1e9])
def test_design_does_not_depend_on_the_unit_of_a_feature(factor):
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.lognormal(size=300), rng.normal(size=300), rng.lognormal(size=300) - 3.0])
    one, other = (learn(data, NUMBERS, np.ones(300)) for data in (X, factor * X))
    assert straightened(one) == straightened(other) == {0, 2}
    np.testing.assert_allclose(written(other, factor * X), written(one, X), rtol=1e-6, atol=1e-7)


def test_weight_is_equivalent_to_repetition():
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.lognormal(size=200), rng.normal(size=200)])
    X[::9, 0] = np.nan
    times = rng.integers(1, 4, 200)
    weighted = learn(X, NUMBERS, times.astype(float))
    repeated = learn(np.repeat(X, times, axis=0), NUMBERS, np.ones(times.sum()))
    assert straightened(weighted) == straightened(repeated) == {0}
    np.testing.assert_allclose(written(weighted, X), written(repeated, X), rtol=1e-6, atol=1e-8)
    assert np.abs(written(weighted, X) - written(learn(X, NUMBERS, np.ones(200)), X)).max() > 0.01


def test_rows_without_weight_have_no_effect():
    rng = np.random.default_rng(5)
    column = rng.normal(size=100)
    with_outlier, weight = np.r_[column, 1e6], np.r_[np.ones(100), 0.0]
    assert not straightened(design_of(with_outlier, weight))
    np.testing.assert_allclose(
        written(design_of(with_outlier, weight), column[:, None]), written(design_of(column), column[:, None])
    )


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
        columns = written(design_of(column), new[:, None])
    assert np.isfinite(columns).all()
    assert np.abs(columns).max() <= FARTHEST


@pytest.mark.parametrize("value", [0.0, 3.0, -1e-3, 1e12])
def test_constant_columns_become_zero(value):
    column = np.full(30, value)
    np.testing.assert_array_equal(written(design_of(column), np.array([[value], [value + 1.0], [np.nan]])), 0.0)


def test_missing_values_are_at_the_mean_and_do_not_move_it():
    rng = np.random.default_rng(6)
    for column in (rng.normal(size=100), rng.lognormal(size=100)):
        some = np.r_[column, [np.nan] * 30]
        design = design_of(some)
        np.testing.assert_array_equal(written(design, some[:, None])[100:], 0.0)
        np.testing.assert_allclose(
            written(design, column[:, None]), written(design_of(column), column[:, None]), rtol=1e-9, atol=1e-12
        )


def frame_of(groups, n=12):
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {"x": rng.normal(size=n), "group": pd.Categorical(np.resize(groups, n)), "z": rng.normal(size=n)}
    )


def columns_of(frame):
    schema = learn_schema(frame)
    encoded = schema.encode(frame)
    design = learn(encoded, schema, np.ones(len(frame)))
    return written(design, encoded), design.features


def test_a_binary_category_is_one_column():
    frame = frame_of(["a", "b", "b"])
    columns, features = columns_of(frame)
    np.testing.assert_array_equal(features, [0, 1, 2])
    second = (frame["group"] == "b").to_numpy()
    np.testing.assert_allclose(columns[:, 1], (second - second.mean()) / second.std())
    for position, name in ((0, "x"), (2, "z")):
        np.testing.assert_allclose(columns[:, position], stats.zscore(frame[name]))


@pytest.mark.parametrize("n_categories", [1, 3, 5])
def test_other_categories_have_a_column_each(n_categories):
    groups = [f"g{i}" for i in range(n_categories)]
    frame = frame_of(groups, 15)
    columns, features = columns_of(frame)
    assert sorted(features) == [0, *[1] * n_categories, 2]
    indicators = columns[:, features == 1]
    if n_categories > 1:
        for position, group in enumerate(groups):
            np.testing.assert_allclose(indicators[:, position], stats.zscore((frame["group"] == group).astype(float)))
    else:
        np.testing.assert_array_equal(indicators, 0.0)
    for position, name in ((0, "x"), (2, "z")):
        np.testing.assert_allclose(columns[:, np.flatnonzero(features == position)[0]], stats.zscore(frame[name]))


@pytest.mark.parametrize("groups", [["a", "b"], ["a", "b", "c"]])
def test_missing_and_unknown_categories_are_at_the_mean(groups):
    frame = frame_of([*groups, None])
    schema = learn_schema(frame)
    design = learn(schema.encode(frame), schema, np.ones(len(frame)))
    new = frame_of([None, "unseen", *groups], 4 + 2 * len(groups))
    rows = new["group"].isna() | (new["group"] == "unseen")
    with pytest.warns(UserWarning, match="categories that are not in the training data: 'unseen'"):
        encoded = schema.encode(new)
    np.testing.assert_array_equal(written(design, encoded)[rows][:, design.features == 1], 0.0)


def test_a_rare_category_is_not_straightened():
    frame = frame_of(["a"] * 99 + ["b"] * 2 + ["c"], 102)
    schema = learn_schema(frame)
    assert straightened(learn(schema.encode(frame), schema, np.ones(102))) == set()


def naive_column(train, new, weight):
    """A standardised column of a numeric feature, one step after the other."""
    seen = ~np.isnan(train)
    train, weight = train[seen], weight[seen] / weight[seen].sum()
    size = weight @ np.abs(train)

    def moments(values):
        return weight @ values, np.sqrt(weight @ (values - weight @ values) ** 2)

    def power_transform(values, power):
        with np.errstate(invalid="ignore"):
            above, below = ((1.0 + sign * values / size) for sign in (1.0, -1.0))
            return np.where(
                values >= 0.0, (above**power - 1.0) / power, -(below ** (2.0 - power) - 1.0) / (2.0 - power)
            )

    def loss(power):
        jacobian = weight @ (np.sign(train) * np.log1p(np.abs(train) / size))
        return np.log(moments(power_transform(train, power))[1]) - (power - 1.0) * jacobian

    center, spread = moments(train)
    if len(np.unique(train)) > 2 and abs(weight @ ((train - center) / spread) ** 3) > POLICY.skewness:
        power = minimize_scalar(loss, bounds=(-4.0, 6.0), method="bounded", options={"xatol": 1e-9}).x
        train, new = power_transform(train, power), power_transform(new, power)
        center, spread = moments(train)
    return np.where(np.isnan(new), 0.0, np.clip((new - center) / spread, -FARTHEST, FARTHEST))


@pytest.mark.parametrize("written_out", [True, False])
def test_columns_are_those_of_a_naive_computation(monkeypatch, written_out):
    """Symmetric, skewed and rare numbers and categories, with weights and missing values."""
    if not written_out:
        monkeypatch.setattr(design_module, "WRITTEN_OUT", 0)
    rng = np.random.default_rng(9)
    numbers = {
        "normal": rng.normal(size=300),
        "right": rng.lognormal(size=300),
        "left": 5.0 - rng.lognormal(size=300),
        "rare": (rng.random(300) < 0.05).astype(float),
        "zeros": np.where(rng.random(300) < 0.8, 0.0, rng.lognormal(size=300)),
    }
    groups = {"two": rng.choice(["a", "b"], 300), "five": rng.choice(list("abcde"), 300, p=[0.6, 0.2, 0.1, 0.09, 0.01])}
    frame = (
        pd.DataFrame({**numbers, **groups})
        .mask(rng.random((300, 7)) < 0.05)
        .astype({"two": "category", "five": "category"})
    )
    frame, weight = frame[["five", "normal", "right", "two", "left", "rare", "zeros"]], rng.uniform(0.5, 2.0, 300)
    schema = learn_schema(frame)
    encoded = schema.encode(frame)
    train, new = encoded[:250], encoded[200:]
    design = learn(train, schema, weight[:250])
    assert isinstance(design.columns(new), DenseColumns) == written_out
    assert straightened(design) == {2, 4, 6}
    levels = [np.where(np.isnan(encoded[:, :1]), np.nan, encoded[:, :1] == np.arange(5)), encoded[:, 1:]]
    numeric = np.column_stack(levels)
    expected = np.column_stack([naive_column(column[:250], column[200:], weight[:250]) for column in numeric.T])
    np.testing.assert_array_equal(design.features, [1, 2, 3, 4, 5, 6, *[0] * 5])
    np.testing.assert_allclose(written(design, new), np.roll(expected, -5, axis=1), atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_a_sparse_matrix_gives_the_columns_of_its_dense_form(seed):
    """Skewed to the right and to the left, missing values, full and empty columns, weights."""
    rng = np.random.default_rng(seed)
    dense = np.where(rng.random((80, 6)) < 0.3, rng.lognormal(size=(80, 6)), 0.0) * [1, -1, 1, 1e-6, 1e6, 1]
    dense[rng.random((80, 6)) < 0.1] = np.nan
    dense[:, 2], dense[:, 5] = rng.normal(size=80), 0.0
    weight = rng.uniform(0.5, 2.0, 80)
    one, other = learn(dense, NUMBERS, weight), learn(scipy.sparse.csr_matrix(dense), NUMBERS, weight)
    assert straightened(one) == straightened(other) == {0, 1, 3, 4}
    new = np.vstack([dense, 3.0 * dense[:20]])
    np.testing.assert_allclose(written(other, scipy.sparse.csr_matrix(new)), written(one, new), atol=1e-7)


def test_duplicate_entries_of_a_sparse_matrix_count_as_their_sum():
    row, column = np.array([0, 0, 1, 2, 3]), np.array([0, 0, 0, 0, 0])
    twice = scipy.sparse.coo_matrix(([1.0, 2.0, 5.0, -1.0, 4.0], (row, column)), shape=(5, 1))
    data = scipy.sparse.csr_matrix((twice.data, twice.col, [0, 2, 3, 4, 5, 5]), shape=(5, 1))
    assert data.nnz == 5
    once = data.toarray()
    expected = written(learn(once, NUMBERS, np.ones(5)), once)
    np.testing.assert_allclose(written(learn(data, NUMBERS, np.ones(5)), data), expected, atol=1e-12)
    assert data.nnz == 5  # the user's matrix is left as it is


def peak_memory(function):
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def test_a_category_of_many_levels_needs_little_memory():
    """Its indicators written out would be 800 MB."""
    code = np.random.default_rng(0).integers(0, 5000, 20_000).astype(float)[:, None]
    schema, coefficient = Schema(["city"], {0: list(range(5000))}, sparse=False), np.ones((5000, 1))

    def use():
        columns = learn(code, schema, np.ones(20_000)).columns(code)
        columns.transposed_product(columns @ coefficient)

    assert peak_memory(use) < 10.0
    design = learn(code, schema, np.ones(20_000))
    assert peak_memory(lambda: design.columns(code[:1]) @ coefficient) < 1.0  # one subject alone, too


def test_a_sparse_matrix_is_not_written_out():
    """That would be 160 MB."""
    rng = np.random.default_rng(0)
    places = (np.repeat(np.arange(2000), 100), rng.integers(0, 10_000, 200_000))
    X = scipy.sparse.csr_matrix((rng.lognormal(size=200_000), places), shape=(2000, 10_000))
    coefficient = np.ones((10_000, 1))

    def use():
        columns = learn(X, NUMBERS, np.ones(2000)).columns(X)
        columns.transposed_product(columns @ coefficient)

    assert peak_memory(use) < 40.0


def test_a_nan_that_arises_on_the_way_is_not_taken_for_a_missing_value():
    design = design_of([1.0, 2.0, 3.0])
    design.standardisation.center[:] = np.nan
    assert np.isnan(written(design, np.array([[1.0], [np.nan]]))).tolist() == [[True], [False]]
