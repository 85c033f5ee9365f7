"""Lazy predictions, held against those of hazboost.FPBoost in memory. They need no cluster."""

from __future__ import annotations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import hazboost
from hazboost.dask import FPBoost
from hazboost.prediction.curves import Curve
from tests.dask.conftest import cut, simulate

X, Y = simulate()
X.index = np.arange(len(X)) + 1000
CAUSES = Y.assign(event=np.where(Y["event"], 1 + (X["c"].to_numpy() > 2), 0))
ALIVE = pd.Series(np.linspace(0.0, 0.3, len(X)), index=X.index)
GRID = [0.0, 0.1, 0.4]
START = pd.Series(0.0, index=X.index)


def adopt(local):
    fitted = FPBoost(**local.get_params())
    fitted._take(local)
    return fitted


@pytest.fixture(scope="module")
def local():
    return hazboost.FPBoost(n_estimators=3, init="marginal", heads=None, random_state=0).fit(
        X, CAUSES.set_index(X.index)
    )


@pytest.fixture(scope="module")
def fitted(local):
    return adopt(local)


@pytest.fixture(autouse=True)
def _in_this_process():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("predict", {}),
        ("predict", {"cause": 2}),
        ("predict_quantile", {}),
        ("predict_quantile", {"q": 0.2, "alive_at": 0.1}),
        ("predict_median", {}),
        ("predict_mean", {}),
        ("predict_rmst", {"tau": 0.3}),
    ],
)
def test_a_number_for_each_row_is_a_series_with_its_label(local, fitted, method, arguments):
    lazy = getattr(fitted, method)(cut(X), **arguments)
    assert isinstance(lazy, dd.Series)
    assert lazy.dtype == np.float64
    expected = getattr(local, method)(X, **arguments)
    computed = lazy.compute()
    np.testing.assert_array_equal(computed.index, X.index)
    np.testing.assert_allclose(computed, expected, rtol=1e-10)
    array = getattr(fitted, method)(da.from_array(X.to_numpy(), chunks=(250, 3)), **arguments)
    assert (array.chunks, array.dtype) == (((250, 250, 100),), np.float64)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize(
    ("method", "arguments", "tail"),
    [
        ("predict_survival_function", {"times": GRID}, (3,)),
        ("predict_survival_function", {"times": 0.3, "alive_at": 0.1}, (1,)),
        ("predict_cumulative_hazard_function", {"times": GRID}, (3,)),
        ("predict_hazard_function", {"times": GRID, "cause": 2}, (3,)),
        ("predict_cumulative_incidence_function", {"times": GRID}, (2, 3)),
        ("predict_cumulative_incidence_function", {"times": GRID, "cause": 1, "alive_at": 0.2}, (3,)),
        ("predict_quantile", {"q": [0.1, 0.5]}, (2,)),
    ],
)
def test_values_at_times_are_arrays(local, fitted, method, arguments, tail):
    expected = getattr(local, method)(X, **arguments)
    lazy = getattr(fitted, method)(cut(X), **arguments)
    assert isinstance(lazy, da.Array)
    assert (lazy.shape[1:], lazy.dtype) == (tail, np.float64)
    assert np.isnan(lazy.shape[0])
    np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-10, atol=1e-15)
    known = getattr(fitted, method)(da.from_array(X.to_numpy(), chunks=(250, 2)), **arguments)
    assert known.shape == (len(X), *tail)
    np.testing.assert_allclose(known.compute(), expected, rtol=1e-10, atol=1e-15)


def test_default_times_are_those_of_training(local, fitted):
    lazy = fitted.predict_survival_function(cut(X.iloc[:90]), return_array=True)
    np.testing.assert_array_equal(lazy.compute(), local.predict_survival_function(X.iloc[:90], return_array=True))


def test_curves(local, fitted):
    lazy = fitted.predict_survival_function(cut(X.iloc[:90], (0, 40)))
    assert lazy.dtype == object
    curves = lazy.compute()
    assert curves.shape == (90,)
    assert isinstance(curves[50], Curve)
    assert curves[50](0.2) == local.predict_survival_function(X.iloc[[50]])[0](0.2)
    assert fitted.predict_cumulative_incidence_function(cut(X.iloc[:90], (0, 40))).compute().shape == (90, 2)


def test_times_alive_can_differ_between_rows(local, fitted):
    expected = local.predict_median(X, alive_at=ALIVE)
    np.testing.assert_array_equal(fitted.predict_median(cut(X), alive_at=cut(ALIVE)).compute(), expected)
    survival = fitted.predict_survival_function(cut(X), times=GRID, alive_at=cut(ALIVE)).compute()
    np.testing.assert_array_equal(survival, local.predict_survival_function(X, times=GRID, alive_at=ALIVE))


@pytest.mark.parametrize(("method", "arguments"), [("predict_parameters", {}), ("head_contributions", {"times": GRID})])
def test_tables_number_subjects_through_all_partitions(local, fitted, method, arguments):
    lazy = getattr(fitted, method)(cut(X), **arguments)
    assert isinstance(lazy, dd.DataFrame)
    expected = getattr(local, method)(X, **arguments)
    assert list(lazy.columns) == list(expected.columns)
    pd.testing.assert_frame_equal(lazy.compute().reset_index(drop=True), expected, check_dtype=False)


def test_survival_along_rows_of_subjects(local, fitted):
    subject = pd.Series(np.arange(len(X)) // 2, index=X.index)
    start = pd.Series(np.arange(len(X)) % 2 * 0.2, index=X.index)
    rows = {"start": start, "stop": start + 0.2, "id": subject}
    lazy = fitted.predict_survival_along(cut(X), **{name: cut(one) for name, one in rows.items()}, times=GRID)
    np.testing.assert_array_equal(lazy.compute(), local.predict_survival_along(X, **rows, times=GRID))
    curves = fitted.predict_survival_along(cut(X), **{name: cut(one) for name, one in rows.items()}).compute()
    assert curves.shape == (len(X) // 2,)
    divided = {**rows, "id": pd.Series(np.arange(len(X)) % 300, index=X.index)}
    with pytest.raises(ValueError, match="id: some subjects have rows in several partitions"):
        fitted.predict_survival_along(cut(X), **{name: cut(one) for name, one in divided.items()}).compute()
    with pytest.raises(ValueError, match="id must be given if X has several partitions"):
        fitted.predict_survival_along(cut(X), cut(start), cut(start + 0.2))


def test_score_and_data_in_memory(local, fitted):
    y = CAUSES.set_index(X.index)
    assert fitted.score(cut(X), cut(y)) == local.score(X, y) == fitted.score(X, y)
    assert fitted.score(cut(X), cut(y), cause=2) == local.score(X, y, cause=2)
    np.testing.assert_array_equal(fitted.predict(X), local.predict(X))
    np.testing.assert_array_equal(fitted.predict_mean(X), local.predict_mean(X))
    pd.testing.assert_frame_equal(fitted.predict_parameters(X), local.predict_parameters(X))
    for method in ("predict_survival_function", "predict_cumulative_hazard_function", "predict_hazard_function"):
        np.testing.assert_array_equal(getattr(fitted, method)(X, times=GRID), getattr(local, method)(X, times=GRID))


def test_the_model_is_in_the_graph_once(fitted):
    lazy = fitted.predict_survival_function(cut(X), times=GRID)
    models = [key for key in lazy.dask if "FPBoost" in str(key)]
    assert len(models) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model: model.predict(cut(X[["a", "b"]])), "feature names should match"),
        (lambda model: model.predict(cut(X), cause=3), "cause must be one of"),
        (lambda model: model.predict_survival_function(cut(X), times=[-1.0]), "times must be finite and non-negative"),
        (lambda model: model.predict_median(cut(X), alive_at=[0.1, 0.2]), "alive_at must be one time, or a Dask coll"),
        (lambda model: model.predict_median(cut(X), alive_at=cut(ALIVE, (0, 9))), "alive_at has 2 partitions and X"),
        (lambda model: FPBoost().predict(cut(X)), "not fitted"),
    ],
)
def test_mistakes_are_noticed_before_anything_is_computed(fitted, call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(fitted)


def test_values_are_checked_when_they_are_computed(fitted):
    broken = cut(X.assign(a=X["a"].where(np.arange(len(X)) != 400, np.inf)))
    with pytest.raises(ValueError, match="partition 4: X: column 'a' is infinite in row 0"):
        fitted.predict(broken).compute()
