"""Features in every container: NumPy, pandas, polars, Arrow and sparse."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from hazboost import FPBoost
from hazboost.data.features import Schema, learn_schema, readable
from hazboost.engines.dialect import feature_types

N = 120
RNG = np.random.default_rng(0)
KINDS = np.array(["blue", "green", "red"])[RNG.integers(3, size=N)]
NUMBERS = RNG.normal(size=(N, 2))
EFFECT = np.select([KINDS == "red", KINDS == "green"], [1.5, -1.0], 0.0)
TIME = RNG.weibull(1.5, N) * np.exp(-EFFECT - 0.5 * NUMBERS[:, 0])
Y = RNG.random(N) < 0.8, TIME


#: The warning is tested in `test_categories`.
new_categories = pytest.mark.filterwarnings("ignore:X. column .* are not in the training data")


def small(**parameters):
    """Some rounds from the start without features, with two heads: nothing is chosen."""
    return FPBoost(**{"n_estimators": 10, "init": "marginal", "heads": None, "random_state": 0, **parameters})


def pandas_frame(kinds=KINDS, categories=None):
    return pd.DataFrame({"a": NUMBERS[:, 0], "kind": pd.Categorical(kinds, categories), "b": NUMBERS[:, 1]})


POLARS_KINDS = {"categorical": pl.Categorical, "enum": lambda: pl.Enum(["red", "unused", "green", "blue"])}


def polars_frame(kinds=KINDS, dtype="categorical"):
    column = pl.Series(list(kinds), dtype=POLARS_KINDS[dtype]())
    return pl.DataFrame({"a": NUMBERS[:, 0], "kind": column, "b": NUMBERS[:, 1]})


def arrow_table(kinds=KINDS):
    columns = {"a": NUMBERS[:, 0], "kind": pa.array(list(kinds)).dictionary_encode(), "b": NUMBERS[:, 1]}
    return pa.table(columns)


# Categories


def test_categories_are_learned_natively():
    frame = pandas_frame()
    model = small().fit(frame, Y)
    assert feature_types(model.model_.engine.features) == ["q", "c", "q"]
    risk = model.predict(frame.assign(a=0.0, b=0.0))
    assert risk[KINDS == "red"].min() > risk[KINDS == "blue"].max()
    assert risk[KINDS == "blue"].min() > risk[KINDS == "green"].max()


def test_the_order_of_categories_at_prediction_does_not_matter():
    model = small().fit(pandas_frame(), Y)
    expected = model.predict(pandas_frame())
    for categories in (["red", "green", "blue"], ["new", "green", "blue", "red"]):
        np.testing.assert_array_equal(model.predict(pandas_frame(categories=categories)), expected)


def test_categories_absent_at_prediction_do_not_shift_the_others():
    model = small().fit(pandas_frame(), Y)
    only = KINDS == "red"
    frame = pandas_frame()[only].assign(kind=pd.Categorical(["red"] * only.sum()))
    np.testing.assert_array_equal(model.predict(frame), model.predict(pandas_frame())[only])


@new_categories
def test_unseen_categories_are_missing():
    model = small().fit(pandas_frame(np.where(np.arange(N) % 7 == 0, None, KINDS)), Y)
    new = np.arange(N) % 3 == 0
    unseen, missing = (pandas_frame(np.where(new, kind, KINDS)) for kind in ("violet", None))
    np.testing.assert_array_equal(model.predict(unseen), model.predict(missing))
    assert (model.predict(unseen) != model.predict(pandas_frame()))[new].any()


def test_categories_may_be_numbers():
    codes = np.select([KINDS == "red", KINDS == "green"], [30, 7], 11)
    model = small().fit(pandas_frame(codes), Y)
    np.testing.assert_array_equal(model.predict(pandas_frame(codes, [11, 30, 7])), model.predict(pandas_frame(codes)))


def test_ordered_categories_are_accepted():
    frame = pandas_frame().assign(kind=pd.Categorical(KINDS, ordered=True))
    np.testing.assert_array_equal(small().fit(frame, Y).predict(frame), small().fit(pandas_frame(), Y).predict(frame))


@new_categories
def test_a_validation_set_may_have_other_categories():
    other = pandas_frame(np.where(np.arange(N) % 3 == 0, "violet", KINDS))
    plain, watched = small().fit(pandas_frame(), Y), small().fit(pandas_frame(), Y, eval_set=(other, Y))
    np.testing.assert_array_equal(plain.predict(other), watched.predict(other))
    assert np.isfinite(watched.history_["validation_loss"]).all()


@pytest.mark.parametrize("dtype", POLARS_KINDS)
def test_polars_and_pandas_give_the_same_model(dtype):
    model = small().fit(polars_frame(dtype=dtype), Y)
    assert list(model.feature_names_in_) == ["a", "kind", "b"]
    expected = small().fit(pandas_frame(), Y).predict(pandas_frame())
    np.testing.assert_array_equal(model.predict(polars_frame(dtype=dtype)), expected)
    np.testing.assert_array_equal(model.predict(pandas_frame()), expected)
    other = "enum" if dtype == "categorical" else "categorical"
    np.testing.assert_array_equal(model.predict(polars_frame(dtype=other)), expected)


@new_categories
@pytest.mark.parametrize("dtype", POLARS_KINDS)
def test_polars_categories_keep_their_meaning(dtype):
    model = small().fit(polars_frame(dtype=dtype), Y)
    expected = model.predict(polars_frame())
    np.testing.assert_array_equal(model.predict(polars_frame(dtype=dtype)[::-1]), expected[::-1])
    only = np.flatnonzero(KINDS == "red")
    np.testing.assert_array_equal(model.predict(polars_frame(dtype=dtype)[only]), expected[only])
    new = np.arange(N) % 3 == 0
    missing, unseen = polars_frame(np.where(new, None, KINDS), dtype), polars_frame(np.where(new, "violet", KINDS))
    np.testing.assert_array_equal(model.predict(missing), model.predict(unseen))


def test_a_column_that_changes_its_kind_is_refused():
    categorical, numeric = pandas_frame(), pandas_frame().assign(kind=1.0)
    with pytest.raises(ValueError, match="'kind' was categorical when the model was fitted and is numeric now"):
        small().fit(categorical, Y).predict(numeric)
    with pytest.raises(ValueError, match="'kind' was numeric when the model was fitted and is categorical now"):
        small().fit(numeric, Y).predict(categorical)


EMPTY = {
    "objects": lambda names: pd.DataFrame({name: [None, None] for name in names}),
    "numbers": lambda names: pd.DataFrame({name: [np.nan, np.nan] for name in names}),
    "text": lambda names: pd.DataFrame({name: pd.Series([None, None], dtype="string") for name in names}),
    "dates": lambda names: pd.DataFrame({name: [pd.NaT, pd.NaT] for name in names}),
    "categories": lambda names: pd.DataFrame({name: pd.Categorical([None, None]) for name in names}),
    "polars, null": lambda names: pl.DataFrame({name: [None, None] for name in names}),
    "polars, NaN": lambda names: pl.DataFrame({name: [np.nan, np.nan] for name in names}),
    "polars, text": lambda names: pl.DataFrame(
        {name: [None, None] for name in names}, schema=dict.fromkeys(names, pl.String)
    ),
    "polars, dates": lambda names: pl.DataFrame(
        {name: [None, None] for name in names}, schema=dict.fromkeys(names, pl.Date)
    ),
    "Arrow, null": lambda names: pa.table({name: pa.nulls(2) for name in names}),
    "Arrow, dates": lambda names: pa.table({name: pa.nulls(2, pa.timestamp("s")) for name in names}),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_a_column_without_any_value_is_missing_whatever_its_type(kind):
    """Of numbers, too: one row of JSON, in which a number is null, has no type."""
    schema = learn_schema(pandas_frame())
    np.testing.assert_array_equal(schema.encode(EMPTY[kind](["a", "kind", "b"])), np.full((2, 3), np.nan))


# Names


def test_names_are_remembered_and_forgotten():
    frame = pandas_frame()
    model = small().fit(frame, Y)
    assert list(model.feature_names_in_) == ["a", "kind", "b"]
    assert model.n_features_in_ == 3
    model.fit(NUMBERS, Y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 2


def test_an_array_without_names_is_accepted_with_a_warning():
    frame = pd.DataFrame(NUMBERS, columns=["a", "b"])
    model = small().fit(frame, Y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        found = model.predict(NUMBERS)
    np.testing.assert_array_equal(found, model.predict(frame))


@pytest.mark.parametrize("names", [["dose [mg]", "t<5"], ["a b", "é=1"], [0, 1]])
def test_every_name_is_accepted(names):
    frame = pd.DataFrame(NUMBERS, columns=names)
    model = small().fit(frame, Y)
    np.testing.assert_array_equal(model.predict(frame), small().fit(NUMBERS, Y).predict(NUMBERS))


def test_every_name_can_be_constrained():
    frame = pd.DataFrame(NUMBERS, columns=["dose [mg]", "t<5"])
    model = small(monotone_constraints={"dose [mg]": 1}).fit(frame, Y)
    assert (np.diff(model.predict(frame.assign(**{"t<5": 0.0}).sort_values("dose [mg]"))) >= 0.0).all()


NAMED = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "Arrow": pa.table}
COLUMNS = {"a": NUMBERS[:, 0], "b": NUMBERS[:, 1], "c": NUMBERS.sum(axis=1)}


@pytest.mark.parametrize("trained_on", NAMED)
@pytest.mark.parametrize("kind", NAMED)
def test_columns_are_matched_by_name_in_every_kind_of_table(trained_on, kind):
    model = small().fit(NAMED[trained_on](COLUMNS), Y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    make = NAMED[kind]
    np.testing.assert_array_equal(
        model.predict(make(COLUMNS)), small().fit(pd.DataFrame(COLUMNS), Y).predict(pd.DataFrame(COLUMNS))
    )
    for names, message in (
        ("bac", "must be in the same order"),
        ("ab", "now missing:\n- c"),
        ("abcd", "unseen .*\n- d"),
    ):
        wrong = make({name: COLUMNS.get(name, NUMBERS[:, 0]) for name in names})
        for call in (model.predict, model.predict_median, lambda X: model.score(X, Y)):
            with pytest.raises(ValueError, match=f"(?s)^The feature names should match those .*{message}"):
                call(wrong)
        with pytest.raises(ValueError, match=f"(?s)^eval_set: The feature names should match .*{message}"):
            small().fit(NAMED[trained_on](COLUMNS), Y, eval_set=(wrong, Y))


@pytest.mark.parametrize("kind", NAMED)
def test_a_table_for_a_model_of_an_array_is_read_by_position_with_a_warning(kind):
    model = small().fit(np.column_stack(list(COLUMNS.values())), Y)
    with pytest.warns(UserWarning, match="X has feature names, but FPBoost was fitted without feature names") as caught:
        model.predict(NAMED[kind](COLUMNS))
    assert caught[0].filename == __file__


def test_columns_named_by_numbers_are_matched_too():
    frame = pd.DataFrame(NUMBERS, columns=[10, 20])
    model = small().fit(frame, Y)
    expected = model.predict(frame)
    for wrong in (frame[[20, 10]], frame.rename(columns={10: 30})):
        with pytest.raises(ValueError, match=r"X: the columns are .*, and were 10, 20 when the model was fitted"):
            model.predict(wrong)
    np.testing.assert_array_equal(model.predict(frame.rename(columns={10: 0, 20: 1})), expected)
    numbered = small().fit(pd.DataFrame(NUMBERS), Y)
    with pytest.raises(ValueError, match="X: the columns are 1, 0, and were 0, 1 when the model was fitted"):
        numbered.predict(pd.DataFrame(NUMBERS)[[1, 0]])


def test_names_of_two_types_are_refused():
    with pytest.raises(TypeError, match=r"either all column names must be strings or none; got .* int, str"):
        small().fit(pd.DataFrame(NUMBERS, columns=["a", 1]), Y)


# Arrow


def test_arrow_and_pandas_give_the_same_model():
    model = small().fit(arrow_table(), Y)
    assert list(model.feature_names_in_) == ["a", "kind", "b"]
    expected = small().fit(pandas_frame(), Y).predict(pandas_frame())
    for table in (arrow_table(), pandas_frame(), polars_frame()):
        np.testing.assert_array_equal(model.predict(table), expected)


ARROW = {
    "int": pa.array([None, *range(1, N)]),
    "bool": pa.array([None, *(NUMBERS[1:, 0] > 0)]),
    "float": pa.array([None, np.nan, *NUMBERS[2:, 0]]),
    "null": pa.nulls(N),
    "chunks": pa.chunked_array([pa.array(NUMBERS[:50, 0]), pa.array(NUMBERS[50:, 0])]),
}


@pytest.mark.parametrize("kind", ARROW)
def test_arrow_numbers_and_nulls(kind):
    table = pa.table({"a": ARROW[kind]})
    plain = [[np.nan if one is None else float(one)] for one in ARROW[kind].to_pylist()]
    np.testing.assert_array_equal(learn_schema(table).encode(table), plain)


@pytest.mark.parametrize("frame", [pl.LazyFrame({"a": [1.0]}), polars_frame().lazy()])
def test_lazy_frames_are_refused(frame):
    with pytest.raises(TypeError, match=r"polars.LazyFrame is not supported; pass X.collect"):
        small().fit(frame, Y)
    with pytest.raises(TypeError, match=r"polars.LazyFrame is not supported"):
        small().fit(NUMBERS, frame)
    with pytest.raises(TypeError, match=r"polars.LazyFrame is not supported"):
        small().fit(NUMBERS, Y).predict(frame)


def test_one_row_of_a_table_with_categories_is_no_table():
    frame = pd.DataFrame(NUMBERS, columns=["a", "b"]).assign(b=pd.Categorical(["x", "y"] * (N // 2)))
    with pytest.raises(ValueError, match=r"X must be a table with one row for each subject.*got 1 dimension "):
        small().fit(frame, Y).predict(frame.iloc[0])


def test_dask_frames_are_refused():
    frame = dd.from_pandas(pd.DataFrame(NUMBERS, columns=["a", "b"]).assign(b=pd.Categorical(["x"] * N)), npartitions=2)
    with pytest.raises(TypeError, match=r"X is a Dask DataFrame.*use hazboost\.dask\.FPBoost, or X\.compute\(\)"):
        small().fit(frame, Y)
    with pytest.raises(TypeError, match="X is a Dask DataFrame"):
        small().fit(NUMBERS, Y).predict(frame)


# Missing values


@pytest.mark.parametrize("dtype", [float, int])
def test_masked_entries_are_missing(dtype):
    values = (10 * NUMBERS).astype(dtype)
    masked = np.ma.array(values, mask=RNG.random(NUMBERS.shape) < 0.2)
    plain = np.where(masked.mask, np.nan, values)
    model = small().fit(masked, Y)
    np.testing.assert_array_equal(model.predict(masked), small().fit(plain, Y).predict(plain))
    assert (model.predict(masked) != model.predict(values)).any()


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
def test_missing_values_are_informative(tree_method):
    X = NUMBERS.copy()
    X[KINDS == "red", 1] = np.nan
    model = small(tree_method=tree_method).fit(X, Y)
    risk = model.predict(np.array([[0.0, np.nan], [0.0, 0.0]]))
    assert risk[0] > risk[1]


def test_values_missing_at_prediction_only():
    model = small().fit(NUMBERS, Y)
    assert np.isfinite(model.predict(np.full((1, 2), np.nan))).all()


# Numbers of other kinds


NUMERIC = {
    "float32": lambda: pd.Series(NUMBERS[:, 0], dtype="float32"),
    "int": lambda: pd.Series((NUMBERS[:, 0] * 10).astype(int)),
    "bool": lambda: pd.Series(NUMBERS[:, 0] > 0),
    "nullable int": lambda: pd.Series([None, *(NUMBERS[1:, 0] * 10).astype(int)], dtype="Int64"),
    "nullable float": lambda: pd.Series([None, *NUMBERS[1:, 0]], dtype="Float64"),
    "nullable bool": lambda: pd.Series([None, *(NUMBERS[1:, 0] > 0)], dtype="boolean"),
    "object": lambda: pd.Series([None, *NUMBERS[1:, 0]], dtype=object),
    "sparse": lambda: pd.Series(pd.arrays.SparseArray(np.where(NUMBERS[:, 0] > 0, NUMBERS[:, 0], 0.0), fill_value=0.0)),
    "Arrow": lambda: pd.Series([None, *NUMBERS[1:, 0]], dtype="double[pyarrow]"),
}


@pytest.mark.parametrize("kind", NUMERIC)
def test_numbers_of_every_dtype(kind):
    series = NUMERIC[kind]()
    frame = pd.DataFrame({"a": series, "b": NUMBERS[:, 1]})
    plain = np.c_[[np.nan if pd.isna(value) else float(value) for value in series], NUMBERS[:, 1]]
    np.testing.assert_array_equal(small().fit(frame, Y).predict(frame), small().fit(plain, Y).predict(plain))


@pytest.mark.parametrize("dtype", [pl.Int32, pl.Float32, pl.Boolean])
def test_polars_numbers_and_nulls(dtype):
    values = [None, *((NUMBERS[1:, 0] > 0) if dtype == pl.Boolean else (NUMBERS[1:, 0] * 10).astype(int)).tolist()]
    frame = pl.DataFrame({"a": pl.Series(values, dtype=dtype), "b": NUMBERS[:, 1]})
    plain = np.c_[np.array(values, dtype=float), NUMBERS[:, 1]]
    np.testing.assert_array_equal(small().fit(frame, Y).predict(frame), small().fit(plain, Y).predict(plain))


def test_lists_are_arrays():
    np.testing.assert_array_equal(
        small().fit(NUMBERS.tolist(), Y).predict(NUMBERS), small().fit(NUMBERS, Y).predict(NUMBERS)
    )


@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_order_and_dtype_of_arrays_do_not_matter(order):
    integers = (NUMBERS * 10).astype(int)
    found = small().fit(np.asarray(integers, order=order), Y).predict(integers)
    np.testing.assert_array_equal(found, small().fit(integers.astype(float), Y).predict(integers.astype(float)))


def test_fitting_does_not_change_its_input():
    X, frame, weight = NUMBERS.copy(), pandas_frame(), np.ones(N)
    sparse = sp.csr_matrix(np.where(np.abs(X) < 0.5, 0.0, X))
    sparse.data[:3] = 0.0
    before = frame.copy(), sparse.copy(), Y[0].copy(), Y[1].copy()
    small().fit(X, Y, weight)
    small().fit(frame, Y, weight)
    small().fit(sparse, Y, weight)
    np.testing.assert_array_equal(X, NUMBERS)
    pd.testing.assert_frame_equal(frame, before[0])
    np.testing.assert_array_equal(sparse.data, before[1].data)
    np.testing.assert_array_equal(sparse.indices, before[1].indices)
    np.testing.assert_array_equal(Y, before[2:])


# Sparse


SPARSE = {
    "csr matrix": sp.csr_matrix,
    "csc matrix": sp.csc_matrix,
    "coo matrix": sp.coo_matrix,
    "dok array": sp.dok_array,
    "csr array": sp.csr_array,
    "csc array": sp.csc_array,
}
DENSE = np.where(np.abs(NUMBERS) < 0.5, 0.0, NUMBERS)


@pytest.mark.parametrize("trained_on", SPARSE)
def test_prediction_does_not_depend_on_the_container(trained_on):
    model = small().fit(SPARSE[trained_on](DENSE), Y)
    expected = model.predict(DENSE)
    assert len(np.unique(expected)) > 3
    for make in SPARSE.values():
        np.testing.assert_array_equal(model.predict(make(DENSE)), expected)
    assert model.score(DENSE, Y) > 0.55


@pytest.mark.parametrize("container", SPARSE)
def test_a_model_of_dense_data_reads_sparse_data(container):
    model = small().fit(DENSE, Y)
    np.testing.assert_array_equal(model.predict(SPARSE[container](DENSE)), model.predict(DENSE))


def test_stored_zeros_are_zeros():
    stored = sp.csr_matrix(np.ones_like(DENSE))
    stored.data[:] = DENSE.ravel()
    assert stored.nnz == DENSE.size
    model = small().fit(stored, Y)
    np.testing.assert_array_equal(model.predict(stored), model.predict(DENSE))
    np.testing.assert_array_equal(model.predict(DENSE), small().fit(sp.csr_matrix(DENSE), Y).predict(DENSE))


def test_a_sparse_model_may_be_validated_on_dense_data():
    sparse, dense = (
        small().fit(sp.csr_matrix(DENSE), Y, eval_set=(make(DENSE), Y)) for make in (sp.csr_matrix, np.array)
    )
    assert sparse.history_ == dense.history_


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
def test_sparse_data_can_be_split_for_stopping(tree_method):
    model = small(patience=2, tree_method=tree_method).fit(sp.csr_matrix(DENSE), Y)
    assert np.isfinite(model.predict(DENSE)).all()


def test_an_unstored_column_is_not_a_missing_one():
    empty = np.c_[DENSE, np.zeros(N)]
    assert np.isfinite(small().fit(sp.csr_matrix(empty), Y).predict(empty)).all()


# The target


def test_every_form_of_y_gives_the_same_model():
    event, time = Y
    forms = [
        np.array(list(zip(event, time, strict=True)), dtype=[("died", bool), ("days", float)]),
        np.array(list(zip(event, time, strict=True)), dtype=[("x", np.int8), ("y", np.float32)]),
        pd.DataFrame({"time": time, "event": event, "extra": 0}),
        pd.DataFrame({"status": event.astype(int), "days": time}),
        pl.DataFrame({"time": time, "event": event}),
        [event.tolist(), time.tolist()],
        (pd.Series(event, index=range(N, 0, -1)), pd.Series(time)),
        (event.astype(float), time),
    ]
    expected = small().fit(NUMBERS, Y).predict(NUMBERS)
    for y in forms:
        np.testing.assert_allclose(small().fit(NUMBERS, y).predict(NUMBERS), expected, rtol=1e-3)


# The schema


def test_a_schema_reads_names_categories_and_sparsity():
    assert learn_schema(NUMBERS) == Schema(None, {}, sparse=False)
    assert learn_schema(sp.csr_matrix(NUMBERS)) == Schema(None, {}, sparse=True)
    assert learn_schema(pandas_frame()) == Schema(["a", "kind", "b"], {1: ["blue", "green", "red"]}, sparse=False)


@new_categories
def test_a_schema_encodes_categories_as_codes():
    frame = pd.DataFrame({"kind": pd.Categorical(["b", "a", None, "z"])})
    schema = Schema(["kind"], {0: ["a", "b"]}, sparse=False)
    np.testing.assert_array_equal(schema.encode(frame)[:, 0], [1.0, 0.0, np.nan, np.nan])


def test_a_model_with_categories_refuses_arrays():
    schema = learn_schema(pd.DataFrame({"grade": pd.Categorical(["a", "b"]), "size": [1.0, 2.0]}))
    with pytest.raises(ValueError, match="fitted with categories in 'grade'"):
        schema.encode(np.ones((2, 2)))


@pytest.mark.parametrize("tree_method", ["hist", "exact", "approx"])
@pytest.mark.parametrize("container", [np.array, sp.csr_matrix, lambda values: pd.DataFrame(values, columns=["x"])])
def test_a_value_above_those_of_training_is_not_missing(container, tree_method):
    """A split off the missing values has a threshold of twice the largest value, above which values used to follow."""
    rng = np.random.default_rng(0)
    missing = rng.random(200) < 0.4
    values = np.where(missing, np.nan, rng.uniform(1.0, 2.0, 200))[:, None]
    y = np.ones(200, dtype=bool), rng.weibull(1.5, 200) * np.where(missing, 0.2, 1.0)
    model = small(n_estimators=30, colsample_bytree=1.0, tree_method=tree_method).fit(container(values), y)
    highest = np.nanmax(values)
    risk = model.predict(container(np.array([[highest], [3.9], [4.1], [1e6], [1e38], [np.nan]])))
    np.testing.assert_array_equal(risk[1:5], risk[0])
    assert risk[5] > risk[0] + 0.05


def test_tables_of_cudf_are_read_as_those_of_pandas():
    """Stands in for cuDF, which needs a GPU."""
    table = pd.DataFrame({"age": np.arange(40.0, 60.0), "sex": pd.Categorical(["f", "m", "f", "m"] * 5)})
    frame = type("DataFrame", (), {"__module__": "cudf.core.dataframe", "to_pandas": lambda self: table})()
    column = type("Series", (), {"__module__": "cudf.core.series", "to_pandas": lambda self: table["age"]})()
    assert readable(frame) is table
    y = (np.ones(20, dtype=bool), column)
    same = FPBoost(n_estimators=2, init="marginal", random_state=0).fit(table, (y[0], table["age"]))
    model = FPBoost(n_estimators=2, init="marginal", random_state=0).fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), same.predict(table))


@pytest.mark.parametrize("kind", [np.asarray, lambda X: pd.DataFrame(X, columns=["a", "b"])])
def test_missing_values_of_r_are_those_of_numpy(kind):
    """R's NA is a NaN that signals: arithmetic with it warns."""
    X = np.array([[1.0, 2.0], [0.0, 3.0], [4.0, 5.0]])
    X[1, 0] = np.array(0x7FF00000000007A2, dtype=np.uint64).view(np.float64)
    X = kind(X)
    encoded = learn_schema(X).encode(X)
    np.testing.assert_array_equal(encoded, [[1.0, 2.0], [np.nan, 3.0], [4.0, 5.0]])
    assert (encoded.view(np.uint64)[1, 0]) == np.array(np.nan).view(np.uint64)


@pytest.mark.parametrize("rows", [1, 2, 3, 8, 100])
def test_missing_values_of_r_are_not_too_large(rows):
    """The largest of a NaN that signals and a number is NaN."""
    X = np.ones((rows, 43))
    X.view(np.uint64)[:, ::3] = 0x7FF00000000007A2
    table = pd.DataFrame(X)
    encoded = learn_schema(table).encode(table)
    np.testing.assert_array_equal(np.isnan(encoded[0]), np.arange(43) % 3 == 0)
