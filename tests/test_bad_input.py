"""Bad input: a clear error that names the offender, and an estimator left as it was."""

import datetime as dt
from copy import copy

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from hazboost import FPBoost, Surv
from tests.wording import faults

N = 40
RNG = np.random.default_rng(0)
ARRAY = RNG.normal(size=(N, 3))
EVENT = np.arange(N) % 4 > 0
TIME = RNG.weibull(1.5, N) + 0.1
Y = (EVENT, TIME)
FRAME = pd.DataFrame(ARRAY, columns=["age", "dose", "size"])
CATEGORIES = FRAME.assign(size=pd.Categorical(["s", "m"] * (N // 2)))


def small(**parameters):
    return FPBoost(**{"n_estimators": 3, "init": "marginal", "heads": None, "random_state": 0, **parameters})


def changed(values, row, value):
    values = np.array(values, dtype=float)
    values[row] = value
    return values


def structured(*fields):
    return np.zeros(N, dtype=list(fields))


def learned(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def check_refused(arguments, message, **parameters):
    """Fit a fitted and a fresh estimator with bad arguments or parameters."""
    model, prediction = copy(FITTED).set_params(**parameters), FITTED.predict(FRAME)
    before = dict(vars(model))
    fresh = small(**parameters)
    for estimator in (model, fresh):
        with pytest.raises((ValueError, TypeError), match=message):
            estimator.fit(**{"X": ARRAY, "y": Y, **arguments})
    after = vars(model)
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in before)
    model.set_params(n_jobs=None)  # the only parameter that predictions read
    np.testing.assert_array_equal(model.predict(FRAME), prediction)
    assert not learned(fresh)
    with pytest.raises(NotFittedError):
        fresh.predict(ARRAY)


BAD_Y = {
    "negative time": ((EVENT, changed(TIME, 5, -2.0)), r"y: every time must be non-negative; got -2\.0 \(row 5\)"),
    "NaN time": ((EVENT, changed(TIME, 7, np.nan)), r"y: every time must be finite; got nan \(row 7\)"),
    "infinite time": ((EVENT, changed(TIME, 0, np.inf)), r"y: every time must be finite; got inf \(row 0\)"),
    "far too long": ((EVENT, changed(TIME, 0, 1e60)), r"y: the longest time, 1e\+60, is more than 1e\+38 times"),
    "many bad times": ((EVENT, -TIME), r"\(row 0\).*\(row 1\).*\(row 2\) and 37 more"),
    "no event": ((np.zeros(N, dtype=bool), TIME), f"y has no event: all {N} subjects are censored"),
    "all left-censored": (Surv.interval(np.zeros(N), TIME), "y: every event is left-censored, so that nobody is known"),
    "all times zero": ((EVENT, np.zeros(N)), "y: all observed times are 0"),
    "event 1.5": ((changed(EVENT, 3, 1.5), TIME), r"y: the event must be .*; got 1\.5 \(row 3\)"),
    "event 21": ((changed(EVENT, 3, 21.0), TIME), r"got 21\.0 \(row 3\).* times that were given as events"),
    "event NaN": ((changed(EVENT, 3, np.nan), TIME), r"y: the event must be .*; got nan \(row 3\)"),
    "event text": ((np.array(["yes"] * N), TIME), r"y: the event must be .*; got text \(type <U3\)"),
    "event NA": ((pd.array([pd.NA] * N, dtype="boolean"), TIME), "y: the event must be boolean"),
    "time text": ((EVENT, ["long"] * N), "y: the time must be numeric"),
    "time and event swapped": ((TIME, EVENT.astype(int)), "y: event and time look exchanged"),
    "masked time": ((EVENT, np.ma.array(TIME, mask=np.arange(N) == 7)), r"time must be finite; got nan \(row 7\)"),
    "dates": ((EVENT, pd.date_range("2020", periods=N)), "y: the time must be numeric; got dates or durations"),
    "durations": ((EVENT, pl.Series([dt.timedelta(days=1)] * N)), "y: the time must be numeric; got dates or"),
    "two times": (pl.DataFrame({"start": TIME, "stop": TIME + 1.0}), "'start' and 'stop' both look like times"),
    "two kinds": (
        pd.DataFrame({"event": EVENT, "time": TIME, "start": 0.0}),
        "y has the columns event, time, and also s",
    ),
    "lazy": (pl.LazyFrame({"event": EVENT, "time": TIME}), "polars.LazyFrame is not supported"),
    "lengths differ": ((EVENT[:10], TIME), f"y: one value .* got 10 in event, {N} in time"),
    "another length than X": ((EVENT[:10], TIME[:10]), f"X has {N} rows and y has 10"),
    "event of two dimensions": ((np.c_[EVENT, EVENT], TIME), "y must be .* a pair"),
    "time of two dimensions": ((EVENT, np.c_[TIME, TIME]), r"y: the time must be one-dimensional; got shape \(40, 2\)"),
    "times only": (TIME, r"y must be a structured array .* got ndarray of shape \(40,\)"),
    "a matrix": (np.c_[EVENT, TIME], r"y must be a structured array .* got ndarray of shape \(40, 2\)"),
    "three arrays": ((EVENT, TIME, TIME), "y must be .* got tuple"),
    "nothing": (None, "y must be .*None"),
    "a number": (3, "y must be .* got int"),
    "text": ("abc", "y must be .* got str"),
    "a dict": ({"event": EVENT, "time": TIME}, "y must be .* got dict"),
    "one field": (structured(("event", bool)), "y must have two fields, event and time, .* got 1: event"),
    "three fields": (structured(("a", bool), ("b", float), ("c", float)), "got 3: a, b, c"),
    "fields swapped": (np.rec.fromarrays([TIME, EVENT.astype(int)]), "y: event and time look exchanged"),
    "three columns": (
        pd.DataFrame({"a": EVENT, "b": TIME, "c": TIME}),
        "y must have two columns, event and time, .* got 3: a, b, c",
    ),
    "one column": (pl.DataFrame({"time": TIME}), "y must have two columns, event and time, .* got 1: time"),
    "empty": ((EVENT[:0], TIME[:0]), "y is empty"),
}


@pytest.mark.parametrize("case", BAD_Y)
def test_bad_y(case):
    y, message = BAD_Y[case]
    check_refused({"y": y}, message)


ONLY_OF_A_FIT = ("all left-censored", "no event", "all times zero", "far too long")


@pytest.mark.parametrize("case", [case for case in BAD_Y if case not in ONLY_OF_A_FIT])
def test_bad_y_of_a_score(case):
    y, message = BAD_Y[case]
    with pytest.raises((ValueError, TypeError), match=message):
        FITTED_ON_ARRAY.score(ARRAY, y)


def with_bad(value, name="dose", row=4):
    frame = FRAME.copy()
    frame.loc[row, name] = value
    return frame


BAD_X = {
    "infinite in an array": (changed(ARRAY, (4, 1), np.inf), "X: column 1 is infinite in row 4"),
    "minus infinity in an array": (changed(ARRAY, (4, 1), -np.inf), "X: column 1 is infinite in row 4"),
    "infinite in a sparse matrix": (sp.csr_matrix(changed(ARRAY, (4, 1), np.inf)), "X: column 1 is infinite in row 4"),
    "infinite in pandas": (with_bad(np.inf), "X: column 'dose' is infinite in row 4"),
    "infinite in polars": (pl.DataFrame(with_bad(-np.inf).to_dict("list")), "X: column 'dose' is infinite in row 4"),
    "all missing in an array": (np.c_[ARRAY[:, :2], [np.nan] * N], "X: every value is missing in column 2"),
    "all missing in pandas": (FRAME.assign(dose=np.nan), "X: every value is missing in 'dose'"),
    "all missing in polars": (
        pl.DataFrame({"age": ARRAY[:, 0], "dose": [None] * N}),
        "X: every value is missing in 'dose'",
    ),
    "all categories missing": (FRAME.assign(dose=pd.Categorical([None] * N, ["a"])), "missing in 'dose'"),
    "text in pandas": (
        FRAME.assign(dose="high"),
        r"X: column 'dose' must be numeric or categorical.*; got text \(type",
    ),
    "numbers as text in pandas": (FRAME.assign(dose="1.5"), "X: column 'dose' must be numeric .*got text"),
    "text in polars": (pl.DataFrame({"dose": ["high"] * N}), r"X: column 'dose' must be .*; got text \(type String\)"),
    "numbers as text in polars": (pl.DataFrame({"dose": ["1.5"] * N}), "X: column 'dose' must be .*; got text"),
    "text in Arrow": (pa.table({"dose": ["high"] * N}), r"X: column 'dose' must be .*; got text \(type string\)"),
    "lists in pandas": (FRAME.assign(dose=[[1]] * N), r"X: column 'dose' must be .*; got values of type list"),
    "arrays in polars": (
        pl.DataFrame({"dose": pl.Series([[1.0, 2.0]] * N, dtype=pl.Array(pl.Float64, 2))}),
        "X: column 'dose' must be .*; got several values in each row",
    ),
    "records": (np.zeros(N, dtype=[("a", float), ("b", float)]), "X must be numeric; got records"),
    "a dict": ({"dose": ARRAY[:, 0]}, "X must be an array or a table; got dict"),
    "complex in a sparse matrix": (sp.csr_matrix(ARRAY * 1j), "X must be numeric; got complex numbers"),
    "complex in pandas": (FRAME.assign(dose=1j), "X: column 'dose' must be .*; got complex numbers"),
    "dates in pandas": (FRAME.assign(dose=pd.Timestamp("2020-01-01")), "X: column 'dose' must be .*; got dates"),
    "dates of Arrow in pandas": (
        FRAME.assign(dose=pd.Series([pd.Timestamp("2020-01-01")] * N, dtype="timestamp[ns][pyarrow]")),
        r"X: column 'dose' must be .*; got dates or durations \(type timestamp\[ns\]\[pyarrow\]\)",
    ),
    "durations in pandas": (
        FRAME.assign(dose=pd.Timedelta(1, "D")),
        "X: column 'dose' must be .*; got dates or durations",
    ),
    "dates in Arrow": (
        pa.table({"dose": [pd.Timestamp("2020-01-01")] * N}),
        "X: column 'dose' must be .*; got dates or",
    ),
    "dates in an array": (np.full((N, 2), np.datetime64("2020-01-01")), "X must be numeric; got dates or durations"),
    "durations in an array": (np.full((N, 2), np.timedelta64(1, "D")), "X must be numeric; got dates or durations"),
    "duration objects in an array": (
        np.full((N, 2), np.timedelta64(1, "D"), dtype=object),
        "X must be numeric; got dates or durations",
    ),
    "dates in polars": (
        pl.DataFrame({"dose": [pd.Timestamp("2020-01-01")] * N}),
        "X: column 'dose' must be .*; got dates or durations .type Datetime",
    ),
    "text in an array": (np.array([["a", "b"]] * N), "X must be numeric; got text"),
    "numbers as text in an array": (np.array([["1", "2"]] * N), "X must be numeric; got text"),
    "a lazy table": (pl.LazyFrame({"dose": [1.0] * N}), "polars.LazyFrame is not supported"),
    "too large in an array": (changed(ARRAY, (4, 1), 1e39), r"X: column 1 is 1e\+39 in row 4, .* too large .* rescale"),
    "too large in pandas": (with_bad(-1e39), r"X: column 'dose' is -1e\+39 in row 4, .* or take its logarithm"),
    "too large in polars": (pl.DataFrame(with_bad(1e300).to_dict("list")), r"X: column 'dose' is 1e\+300 in row 4"),
    "too large in a sparse matrix": (sp.csc_matrix(changed(ARRAY, (4, 1), 1e39)), r"X: column 1 is 1e\+39 in row 4"),
    "complex in an array": (ARRAY * 1j, "Complex data not supported"),
    "no rows": (ARRAY[:0], r"0 sample\(s\)"),
    "no columns": (ARRAY[:, :0], r"0 feature\(s\)"),
    "no rows in pandas": (FRAME[:0], r"0 sample\(s\) \(shape=\(0, 3\)\)"),
    "no columns in pandas": (FRAME[[]], r"0 feature\(s\) \(shape=\(40, 0\)\)"),
    "no rows in polars": (pl.DataFrame({"dose": [], "age": []}), r"0 sample\(s\) \(shape=\(0, 2\)\)"),
    "one dimension": (ARRAY[:, 0], "X must be a table"),
    "three dimensions": (ARRAY[None], "X must be a table.*3 dimensions"),
    "a series": (FRAME["dose"], "X must be a table.*1 dimension "),
    "nothing": (None, "X must be a table"),
    "a repeated name": (pd.DataFrame(ARRAY, columns=["a", "b", "a"]), "column names must be unique; 'a' is repeated"),
    "names of mixed types": (pd.DataFrame(ARRAY, columns=["a", 1, 2]), "names.*(str|string)"),
}


@pytest.mark.filterwarnings("ignore")  # an error is needed where NumPy would only warn
@pytest.mark.parametrize("case", BAD_X)
def test_bad_features(case):
    X, message = BAD_X[case]
    check_refused({"X": X}, message)


BAD_WEIGHT = {
    "too short": (np.ones(5), r"sample_weight must have one value for each of the 40 rows; got shape \(5,\)"),
    "two dimensions": (np.ones((N, 1)), r"sample_weight must have one value for each of the 40"),
    "a number": (2.0, r"sample_weight must have one value for each of the 40"),
    "negative": (changed(np.ones(N), 6, -1.0), r"sample_weight must be finite and non-negative; got -1\.0 \(row 6\)"),
    "NaN": (changed(np.ones(N), 6, np.nan), r"sample_weight must be finite and non-negative; got nan \(row 6\)"),
    "infinite": (changed(np.ones(N), 6, np.inf), r"sample_weight must be finite and non-negative; got inf \(row 6\)"),
    "text": (["heavy"] * N, "sample_weight"),
    "masked": (np.ma.array(np.ones(N), mask=np.arange(N) == 6), r"sample_weight must be finite .*; got nan \(row 6\)"),
    "dates": (pd.date_range("2020", periods=N), "sample_weight must be numeric; got dates"),
    "all zero": (np.zeros(N), "sample_weight.*zero"),
    "zero for every event": (1.0 - EVENT, "no event.*weight 0"),
}


@pytest.mark.parametrize("case", BAD_WEIGHT)
def test_bad_sample_weight(case):
    weight, message = BAD_WEIGHT[case]
    check_refused({"sample_weight": weight}, message)


BAD_EVAL_SET = {
    "far too long": ((ARRAY, (EVENT, changed(TIME, 1, 1e60))), r"y: the longest time, 1e\+60, is more than 1e\+38"),
    "not a pair": (ARRAY, "eval_set must be a pair"),
    "text": ("ab", "eval_set must be a pair"),
    "three parts": ((ARRAY, EVENT, TIME), "eval_set must be a pair"),
    "an empty list": ([], "eval_set must be a pair"),
    "two pairs": ([(ARRAY, Y), (ARRAY, Y)], "eval_set must be a pair"),
    "lengths differ": ((ARRAY[:5], Y), "eval_set: X has 5 rows and y has 40"),
    "too few columns": ((ARRAY[:, :2], Y), "eval_set.*2 features.*3 features"),
    "infinite features": ((changed(ARRAY, (0, 0), np.inf), Y), "eval_set: X: column 0 is infinite in row 0"),
    "negative time": ((ARRAY, (EVENT, -TIME)), "eval_set: y: every time must be non-negative"),
    "wrong y": ((ARRAY, TIME), "eval_set: y must be a structured array"),
    "all times zero": ((ARRAY, (EVENT, np.zeros(N))), "eval_set.*times are 0"),
}


@pytest.mark.parametrize("case", BAD_EVAL_SET)
def test_bad_eval_set(case):
    eval_set, message = BAD_EVAL_SET[case]
    check_refused({"eval_set": eval_set}, message)


def test_an_eval_set_with_other_names_is_refused():
    check_refused({"X": FRAME, "eval_set": (FRAME[["dose", "age", "size"]], Y)}, "(?s)eval_set.*feature names")


def test_a_c_index_that_is_not_defined_cannot_stop_training():
    eval_set = (ARRAY, (np.zeros(N, dtype=bool), TIME))
    check_refused({"eval_set": eval_set}, "no comparable pair.*stopping_metric='likelihood'", patience=2)


@pytest.mark.parametrize("fraction", [0.001, 0.999])
def test_a_fraction_that_leaves_nothing_is_refused(fraction):
    check_refused({}, "validation_fraction", patience=2, validation_fraction=fraction)


def test_exact_trees_take_no_categories():
    check_refused({"X": CATEGORIES}, "tree_method='exact' takes no categorical features.*'hist'", tree_method="exact")


BAD_PARAMETERS = {
    "weibull_heads": [-1, 65, 1.5, "2", None],
    "loglogistic_heads": [-1, 65, 1.5, "2", None],
    "heads": [["gompertz"], "gompertz", 1],
    "n_estimators": [0, -1, 1.5, "10", None],
    "max_depth": [0, -1, 1.5, "deep", None],
    "learning_rate": [0.0, -0.1, np.nan, np.inf, "0.1", None],
    "alpha": [-0.1, np.nan, np.inf, "0", None],
    "l1_ratio": [-0.1, 1.1, np.nan, None],
    "uniform_heads": ["yes", None, 2],
    "heads_activation": ["swish", None, 1],
    "parameter_activation": ["swish", "sigmoid", None],
    "init": ["zeros", None],
    "solver": ["fast", None],
    "n_folds": [1, 2.5, "5", None],
    "gradient_scaling": ["mean", None],
    "patience": [0, -1, 1.5, "3"],
    "stopping_metric": ["brier", None],
    "validation_fraction": [0.0, 1.0, -0.1, 1.5, None],
    "risk_horizon": ["median", 1.0, None],
    "subsample": [0.0, 1.1, -0.1, None],
    "colsample_bytree": [0.0, 1.1, -0.1, None],
    "min_child_weight": [-1.0, np.nan, None],
    "reg_lambda": [-1.0, np.nan, None],
    "max_bin": [1, 2.5, None],
    "tree_method": ["gpu_hist", None],
    "monotone_constraints": ["(1,0,0)", 1, [1, 0], [1, 0, 0, 0], [2, 0, 0], [0.5, 0, 0], {"weight": 1}, [["a"], 0, 0]],
    "interaction_constraints": ["[[0, 1]]", 1, [0, 1], [[0, 9]], [["weight", "age"]]],
    "n_causes": [0, -1, 21, 1.5, "2"],
    "n_jobs": [0, 1.5, "2"],
    "device": ["tpu", 1, None],
    "random_state": [-1, 1.5, "seed"],
    "verbose": [-1, "loud", None],
}


def test_every_parameter_has_bad_values_here():
    assert BAD_PARAMETERS.keys() == FPBoost().get_params().keys()


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD_PARAMETERS.items() for value in values], ids=str
)
def test_bad_parameters(name, value):
    check_refused({}, name, **{name: value})


@pytest.mark.parametrize("n_jobs", BAD_PARAMETERS["n_jobs"])
def test_a_bad_number_of_threads_is_refused_by_predictions_too(n_jobs):
    with pytest.raises(ValueError, match=r"^n_jobs must be a whole number other than 0.*; got ") as refusal:
        copy(FITTED).set_params(n_jobs=n_jobs).predict(FRAME)
    assert not faults(str(refusal.value))


def test_bad_constraints_by_name():
    for name, value in (
        ("monotone_constraints", {"weight": 1}),
        ("monotone_constraints", {"age": 5}),
        ("monotone_constraints", {"age": "up"}),
        ("interaction_constraints", [["age", "weight"]]),
    ):
        check_refused({"X": FRAME}, name, **{name: value})


BAD_HEADS = {
    "unknown": (
        {"cauchy": 1},
        "heads: unknown family 'cauchy'; known ones are bounded, exponential, exponentiated_weibull",
    ),
    "own parameter": ({"weibull": 1}, "heads: set the number of weibull heads with weibull_heads=1 instead"),
    "too many": ({"gompertz": 65}, "heads: the number of gompertz heads must be a whole number from 0 to 64; got 65"),
    "negative": ({"gompertz": -1}, "heads: the number of gompertz heads .* got -1"),
    "fraction": ({"gompertz": 1.5}, r"heads: the number of gompertz heads .* got 1\.5"),
    "bool": ({"gompertz": True}, "heads: the number of gompertz heads .* got True"),
    "not a name": ({1: 1}, "heads: unknown family 1"),
}


@pytest.mark.parametrize("case", BAD_HEADS)
def test_bad_heads(case):
    heads, message = BAD_HEADS[case]
    check_refused({}, message, heads=heads)


@pytest.mark.parametrize("heads", [None, {}, {"gompertz": 0}])
def test_no_head_at_all(heads):
    check_refused({}, "at least one head is needed", weibull_heads=0, loglogistic_heads=0, heads=heads)


# Predictions

PREDICTIONS = {
    "predict": lambda model, X: model.predict(X),
    "survival": lambda model, X: model.predict_survival_function(X),
    "cumulative hazard": lambda model, X: model.predict_cumulative_hazard_function(X),
    "hazard": lambda model, X: model.predict_hazard_function(X),
    "quantile": lambda model, X: model.predict_quantile(X, 0.1),
    "median": lambda model, X: model.predict_median(X),
    "mean": lambda model, X: model.predict_mean(X),
    "rmst": lambda model, X: model.predict_rmst(X, 1.0),
    "parameters": lambda model, X: model.predict_parameters(X),
    "contributions": lambda model, X: model.head_contributions(X, [1.0]),
    "score": lambda model, X: model.score(X, Y),
}

BAD_NEW_X = {
    "too few columns": (FRAME[["age", "dose"]], "(?s)feature names.*size"),
    "another name": (FRAME.rename(columns={"dose": "weight"}), "(?s)feature names.*weight.*dose"),
    "another order": (FRAME[["dose", "age", "size"]], "(?s)feature names.*order"),
    "an extra column": (FRAME.assign(extra=1.0), "(?s)feature names.*extra"),
    "infinite": (with_bad(np.inf), "X: column 'dose' is infinite in row 4"),
    "text": (FRAME.assign(dose="high"), "X: column 'dose' must be .*; got text"),
    "too large": (with_bad(1e39), r"X: column 'dose' is 1e\+39 in row 4, which is too large"),
    "categories": (FRAME.assign(dose=pd.Categorical(["a"] * N)), "X: column 'dose' was numeric"),
    "no rows": (FRAME[:0], r"X has 0 sample\(s\)"),
}


@pytest.mark.parametrize("method", PREDICTIONS)
def test_nothing_is_predicted_before_fit(method):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        PREDICTIONS[method](small(), ARRAY)


@pytest.mark.parametrize("case", BAD_NEW_X)
@pytest.mark.parametrize("method", PREDICTIONS)
def test_bad_features_at_prediction(method, case):
    X, message = BAD_NEW_X[case]
    with pytest.raises(ValueError, match=message):
        PREDICTIONS[method](FITTED, X)


FITTED = small().fit(FRAME, Y)
FITTED_ON_ARRAY = small().fit(ARRAY, Y)


@pytest.mark.parametrize(
    "X", [ARRAY[:, :2], np.c_[ARRAY, ARRAY], sp.csr_matrix(ARRAY[:, :2])], ids=["2", "6", "sparse"]
)
def test_wrong_number_of_columns(X):
    with pytest.raises(ValueError, match=f"X has {X.shape[1]} features, but FPBoost is expecting 3 features"):
        FITTED_ON_ARRAY.predict(X)


BAD_TIMES = {
    "negative": [1.0, -1.0],
    "NaN": [1.0, np.nan],
    "infinite": [np.inf],
    "two dimensions": [[1.0], [2.0]],
    "text": "soon",
    "texts": ["1", "soon"],
}


@pytest.mark.parametrize("case", BAD_TIMES)
def test_bad_times(case):
    for call in (
        FITTED.predict_survival_function,
        FITTED.predict_cumulative_hazard_function,
        FITTED.predict_hazard_function,
        FITTED.head_contributions,
    ):
        with pytest.raises(ValueError, match="times must be"):
            call(FRAME, times=BAD_TIMES[case])


@pytest.mark.parametrize("times", [-1.0, [1.0, np.nan], np.inf, "soon"], ids=str)
def test_bad_times_of_a_curve(times):
    curve = FITTED.predict_survival_function(FRAME[:1])[0]
    with pytest.raises(ValueError, match="times must be"):
        curve(times)


@pytest.mark.parametrize("value", [np.full(10_000, -1.0), [-1.0] * 10_000, np.full((100, 100), 2.0), "x" * 10_000])
def test_messages_do_not_print_the_whole_input(value):
    frame = FRAME[:1]
    for call in (
        lambda: FITTED.predict_quantile(frame, value),
        lambda: FITTED.predict_rmst(frame, value),
        lambda: FITTED.predict_median(frame, alive_at=value),
        lambda: FITTED.predict_hazard_function(frame, cause=value),
        lambda: FITTED.predict_survival_function(frame, times=value),
        lambda: FITTED.fit(FRAME, (EVENT, [value] * N)),
        lambda: FITTED.fit(FRAME, Y, sample_weight=value),
        lambda: small(interaction_constraints=[value]).fit(FRAME, Y),
        lambda: small(monotone_constraints=[value, 0, 0]).fit(FRAME, Y),
        lambda: small(heads={"gompertz": value}).fit(FRAME, Y),
    ):
        with pytest.raises((ValueError, TypeError)) as refusal:
            call()
        assert len(str(refusal.value)) < 250


@pytest.mark.parametrize("q", [-0.1, 1.1, np.nan, [0.5, 2.0], [[0.5]], "half"], ids=str)
def test_bad_quantiles(q):
    with pytest.raises(ValueError, match=r"q must be (a probability|numeric)"):
        FITTED.predict_quantile(FRAME, q)


@pytest.mark.parametrize("tau", [0.0, -1.0, np.nan, np.inf, "late", [1.0]], ids=str)
def test_bad_tau(tau):
    with pytest.raises(ValueError, match="tau must be a positive, finite time"):
        FITTED.predict_rmst(FRAME, tau)


def test_a_score_needs_as_many_rows_in_x_and_y():
    with pytest.raises(ValueError, match="X has 40 rows and y has 10"):
        FITTED.score(FRAME, (EVENT[:10], TIME[:10]))


def test_an_error_inside_training_leaves_the_model_alone(monkeypatch):
    model = copy(FITTED)
    before, prediction = dict(vars(model)), model.predict(FRAME)

    def fail(*arguments, **keywords):
        raise MemoryError

    monkeypatch.setattr("hazboost.estimator.train_model", fail)
    with pytest.raises(MemoryError):
        model.fit(ARRAY, Y)
    assert vars(model) == before
    np.testing.assert_array_equal(model.predict(FRAME), prediction)
