"""hazboost.dask.FPBoost with two worker processes, held against hazboost.FPBoost on the same rows."""

from __future__ import annotations

import pickle
from dataclasses import replace
from time import monotonic, sleep

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import hazboost
import hazboost.dask.training
from hazboost.dask import FPBoost
from hazboost.training.policy import POLICY
from tests.dask.conftest import cut, simulate

#: Few subjects and few rounds; how well the model fits is not what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:the fitted curves are poor")

X, Y = simulate()
N = len(X)
RNG = np.random.default_rng(1)
GRID = [0.05, 0.2, 0.5]
ALL_ROWS = {"subsample": 1.0, "colsample_bytree": 1.0, "random_state": 3}


def entry():
    return Y.assign(entry=np.where(RNG.random(N) < 0.3, 0.5 * Y["time"], 0.0))


def interval():
    lower = np.where(Y["event"], 0.8 * Y["time"], Y["time"])
    return pd.DataFrame({"lower": lower, "upper": np.where(Y["event"], 1.2 * Y["time"], np.inf)})


def causes():
    return Y.assign(event=np.where(Y["event"], 1 + (X["c"] > 2), 0))


def counting():
    """Subjects, each within one partition, have two rows of different lengths."""
    second = np.arange(N) % 2 == 1
    last = Y.iloc[1::2].loc[Y.index[1::2].repeat(2)].reset_index(drop=True)
    middle = RNG.uniform(0.1, 0.9, N // 2).repeat(2) * last["time"]
    return pd.DataFrame(
        {
            "event": last["event"] & second,
            "start": np.where(second, middle, 0.0),
            "stop": np.where(second, last["time"], middle),
            "id": np.arange(N) // 2,
        }
    )


def categories():
    """Categories that differ between partitions."""
    return X.assign(b=X["b"].map("city {:.0f}".format).astype("category"))


def check_same(distributed, local, features, collection):
    """The same likelihood to 1e-6, and the same predictions."""
    assert distributed.n_estimators_ == local.n_estimators_
    for name, values in local.history_.items():
        np.testing.assert_allclose(distributed.history_[name], values, rtol=1e-6, atol=1e-7)
    lazy = distributed.predict_survival_function(collection, times=GRID)
    assert isinstance(lazy, da.Array)
    np.testing.assert_allclose(lazy.compute(), local.predict_survival_function(features, times=GRID), rtol=1e-5)


@pytest.mark.parametrize(
    ("features", "outcome", "options"),
    [
        (X, Y, {"n_estimators": 20}),
        (X, Y, {"n_estimators": "auto", "n_folds": 2, "learning_rate": 0.5}),
        (X, entry(), {"n_estimators": 20}),
        (X, interval(), {"n_estimators": 20, "init": "marginal"}),
        (X, causes(), {"n_estimators": 15}),
        (X, counting(), {"n_estimators": 15}),
        (categories(), Y, {"n_estimators": 20}),
        (X, Y, {"n_estimators": 20, "monotone_constraints": {"c": 1}}),
        (X, Y, {"n_estimators": 20, "tree_method": "approx"}),
        (X, Y, {"n_estimators": 60, "learning_rate": 0.5, "patience": 3}),
        (X, counting(), {"n_estimators": 40, "learning_rate": 0.5, "patience": 3, "stopping_metric": "likelihood"}),
    ],
    ids=[
        "rounds", "auto", "entry", "interval", "causes", "counting", "categories", "monotone", "approx", "patience",
        "patience-counting",
    ],
)  # fmt: skip
def test_two_workers_make_the_model_of_one_machine(client, large, workers, features, outcome, options):
    local = hazboost.FPBoost(**ALL_ROWS, **options).fit(features, outcome)
    collection = cut(features)
    fitted = FPBoost(**ALL_ROWS, **options).fit(collection, cut(outcome))
    assert local.n_estimators_ > 0
    assert len(workers[-1]) == 2
    check_same(fitted, local, features, collection)
    assert fitted.model_.unit == local.model_.unit
    assert fitted.model_.horizon == local.model_.horizon
    assert fitted.ridge_ == local.ridge_
    np.testing.assert_array_equal(fitted.unique_times_, local.unique_times_)
    np.testing.assert_array_equal(fitted.feature_names_in_, local.feature_names_in_)


def test_the_largest_gradient_is_that_of_all_workers(client, large, workers):
    options = {"tree_method": "hist", "n_estimators": 20, "learning_rate": 0.5, "random_state": 0}
    local = hazboost.FPBoost.paper(**options).fit(X, Y)
    fitted = FPBoost.paper(**options).fit(cut(X), cut(Y))
    assert len(workers[-1]) == 2
    check_same(fitted, local, X, cut(X))


def test_weights_count_relative_to_the_mean_of_all_rows(client, large):
    """The first partition has large weights, so that its own mean says nothing; some rows count for nothing."""
    weight = pd.Series(np.where(np.arange(N) < 70, 50.0, 1.0) * RNG.integers(0, 3, N))
    options = {**ALL_ROWS, "n_estimators": 20, "patience": 4}
    local = hazboost.FPBoost(**options).fit(X, Y, sample_weight=weight)
    fitted = FPBoost(**options).fit(cut(X), cut(Y), sample_weight=cut(weight))
    check_same(fitted, local, X, cut(X))


def test_events_at_time_zero_move_to_half_the_smallest_time_of_all_rows(client, large):
    outcome = Y.assign(event=Y["event"] | (np.arange(N) > 580), time=np.where(np.arange(N) > 580, 0.0, Y["time"]))
    options = {**ALL_ROWS, "n_estimators": 10}
    check_same(FPBoost(**options).fit(cut(X), cut(outcome)), hazboost.FPBoost(**options).fit(X, outcome), X, cut(X))


def test_groups_stay_on_one_side(client, large):
    """Whole groups are set aside, although their rows lie in different partitions."""
    groups = pd.Series(np.arange(N) % 40).map("hospital {}".format)
    options = {**ALL_ROWS, "n_estimators": 40, "learning_rate": 0.5, "patience": 3}
    local = hazboost.FPBoost(**options).fit(X, Y, groups=groups)
    fitted = FPBoost(**options).fit(cut(X), cut(Y), groups=cut(groups))
    check_same(fitted, local, X, cut(X))


def test_validation_data_are_watched_on_all_workers(client, large):
    other, outcome = simulate(300, seed=9)
    options = {**ALL_ROWS, "n_estimators": 60, "learning_rate": 0.5, "patience": 3}
    local = hazboost.FPBoost(**options).fit(X, Y, eval_set=(other, outcome))
    fitted = FPBoost(**options).fit(cut(X), cut(Y), eval_set=(cut(other, (0, 100)), cut(outcome, (0, 100))))
    check_same(fitted, local, X, cut(X))


def test_few_subjects_are_fitted_in_memory(client):
    local = hazboost.FPBoost(random_state=0).fit(categories(), Y)
    fitted = FPBoost(random_state=0).fit(cut(categories()), cut(Y))
    np.testing.assert_array_equal(fitted.predict(categories()), local.predict(categories()))
    assert len(fitted.model_.boosters) == POLICY.folds_for(Y["event"].sum())


@pytest.mark.parametrize("kind", ["structured", "arrays", "series"])
def test_arrays_and_pairs(client, large, kind):
    options = {**ALL_ROWS, "n_estimators": 5}
    local = hazboost.FPBoost(**options).fit(X.to_numpy(), Y)
    features = da.from_array(X.to_numpy(), chunks=(250, 2))
    event, time = Y["event"].to_numpy(), Y["time"].to_numpy()
    outcome = {
        "structured": da.from_array(hazboost.Surv.right(event, time), chunks=200),
        "arrays": (da.from_array(event, chunks=250), da.from_array(time, chunks=600)),
        "series": (cut(Y["event"], (0, 250, 500)), cut(Y["time"], (0, 250, 500))),
    }[kind]
    fitted = FPBoost(**options).fit(features, outcome)
    risk = fitted.predict(features)
    assert risk.chunks == ((250, 250, 100),)
    np.testing.assert_allclose(risk.compute(), local.predict(X.to_numpy()), rtol=1e-5)
    unknown = dd.from_pandas(X, npartitions=3, sort=False).to_dask_array()
    np.testing.assert_allclose(fitted.predict(unknown).compute(), local.predict(X.to_numpy()), rtol=1e-5)


def test_scikit_learn_manners(client, large):
    estimator = FPBoost(n_estimators=3, random_state=0)
    assert (
        clone(estimator).get_params()
        == estimator.get_params()
        == hazboost.FPBoost(n_estimators=3, random_state=0).get_params()
    )
    fitted = pickle.loads(pickle.dumps(estimator.fit(cut(X), cut(Y))))
    local = fitted.to_local()
    assert type(local) is hazboost.FPBoost
    np.testing.assert_array_equal(local.predict(X), fitted.predict(X))
    assert local.score(X, Y) == pytest.approx(fitted.score(cut(X), cut(Y)), abs=1e-12)
    assert "rounds" in fitted._repr_html_()


def test_importing_the_library_does_not_import_dask(packages_imported):
    assert not {"dask", "distributed"} & packages_imported


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"X": X}, "X must be a Dask DataFrame or array; got .*hazboost.FPBoost"),
        ({"y": Y}, "y must be a Dask collection"),
        ({"y": None}, "y must be a Dask collection"),
        ({"y": cut(Y, (0, 100))}, "y has 2 partitions and X has 5"),
        ({"y": cut(Y, (0, 80, 80, 250, 400))}, r"partition \d: X has \d+ rows and y has \d+; both need one"),
        ({"y": cut(Y.assign(time=Y["time"].where(np.arange(N) != 300, -0.1)))}, "partition 3: y: every time must be n"),
        ({"y": cut(Y.assign(event=False))}, "y has no event: all 600 subjects are censored"),
        ({"y": cut(pd.DataFrame({"lower": np.zeros(N), "upper": Y["time"]}))}, "y: every event is left-censored"),
        ({"X": cut(X.assign(a=np.nan))}, "every value is missing in 'a'"),
        ({"X": cut(X.assign(a=[np.inf] + [0.0] * (N - 1)))}, "partition 0: X: column 'a' is infinite in row 0"),
        ({"y": cut(counting().assign(id=np.arange(N) % 500, start=np.arange(N) / N, stop=np.arange(N) / N + 1e-9))},
         r"rows of id \d+ lie in the partitions 0 and 4; .*shuffle"),
        ({"sample_weight": cut(pd.Series(np.zeros(N)))}, "sample_weight is zero for every subject"),
        ({"sample_weight": cut(pd.Series(np.where(np.arange(N) < 70, 1.0, 1e-20)))}, "sample_weight must be 0 or at"),
        ({"sample_weight": np.ones(N)}, "sample_weight must be a Dask collection"),
    ],
)  # fmt: skip
def test_bad_input(client, large, arguments, message):
    estimator = FPBoost(n_estimators=2)
    with pytest.raises((TypeError, ValueError), match=message):
        estimator.fit(**({"X": cut(X), "y": cut(Y)} | arguments))
    assert not hasattr(estimator, "model_")


def test_all_partitions_empty(client):
    with pytest.raises(ValueError, match="all partitions are empty"):
        FPBoost().fit(cut(X.iloc[:0], (0, 0)), cut(Y.iloc[:0], (0, 0)))


def test_exact_trees_cannot_be_distributed(client, large):
    with pytest.raises(ValueError, match="tree_method='exact' needs all rows in one process; use tree_method='hist'"):
        FPBoost.paper().fit(cut(X), cut(Y))


def test_without_a_client():
    with pytest.raises(RuntimeError, match="needs a Dask client"):
        FPBoost().fit(cut(X), cut(Y))


def test_warnings_are_about_all_rows(client, large):
    """One partition without censoring says nothing; all of them without any, and with two causes, do."""
    codes = Y.assign(event=np.where(np.arange(N) < 70, 1 + np.arange(N) % 2, causes()["event"]))
    FPBoost(n_estimators=1).fit(cut(X), cut(codes))
    with pytest.warns(UserWarning, match="codes 1, 2, and no 0"):
        FPBoost(n_estimators=1).fit(cut(X), cut(codes.assign(event=1 + np.arange(N) % 2)))
    with pytest.warns(UserWarning, match="there is no event of cause 3"):
        FPBoost(n_estimators=1, n_causes=3).fit(cut(X), cut(codes))


@pytest.mark.parametrize("outcome", [Y, counting()], ids=["rows", "counting"])
@pytest.mark.parametrize("rounds", [20, "auto"])
def test_draws_are_those_of_data_in_memory(client, huge, workers, outcome, rounds):
    """With more rows than are used for choices, the same subjects are drawn and held out as from data in memory."""
    options = {**ALL_ROWS, "n_estimators": rounds, "max_depth": 2, "n_folds": 2, "learning_rate": 0.5}
    local = hazboost.FPBoost(**options).fit(X, outcome)
    fitted = FPBoost(**options).fit(cut(X), cut(outcome))
    check_same(fitted, local, X, cut(X))
    for name, values in local.cv_results_.items():
        np.testing.assert_allclose(fitted.cv_results_[name], values, rtol=1e-6)
    assert all(len(one) == 2 for one in workers)
    assert len(fitted.unique_times_) < len(local.unique_times_)


def test_depth_is_chosen_by_the_trees_of_all_workers(client, large, workers, monkeypatch):
    monkeypatch.setattr(hazboost.FPBoost, "_policy", replace(hazboost.FPBoost._policy, events_for_leaf=10.0))
    options = {**ALL_ROWS, "n_folds": 2, "learning_rate": 0.5}
    local = hazboost.FPBoost(**options).fit(X, Y)
    fitted = FPBoost(**options).fit(cut(X), cut(Y))
    assert fitted.max_depth_ == local.max_depth_
    assert len(fitted.model_.boosters) == 2
    assert len(workers) > 2
    check_same(fitted, local, X, cut(X))


def test_where_trees_do_not_help_there_are_none(client, large):
    unrelated = X.sample(frac=1.0, random_state=0).reset_index(drop=True)
    options = {**ALL_ROWS, "n_folds": 2}
    local = hazboost.FPBoost(**options).fit(unrelated, Y)
    fitted = FPBoost(**options).fit(cut(unrelated), cut(Y))
    assert local.n_estimators_ == 0
    check_same(fitted, local, unrelated, cut(unrelated))


def test_of_many_held_out_subjects_some_are_drawn(client, large, monkeypatch):
    monkeypatch.setattr(hazboost.dask.training, "MOST_HELD_OUT", 400)
    fitted = FPBoost(**ALL_ROWS, n_folds=2, learning_rate=0.5).fit(cut(X), cut(Y))
    assert fitted.n_estimators_ > 0
    assert fitted.diagnostics_["subjects_compared"] == 400


def test_dask_keeps_nothing_of_the_fit(client, large):
    FPBoost(n_estimators=1).fit(cut(X), cut(Y))
    deadline = monotonic() + 20.0
    while any(client.has_what().values()):  # workers are told to forget a little later
        assert monotonic() < deadline
        sleep(0.1)
