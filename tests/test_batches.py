"""Training on batches gives the model of data in memory, wherever the rows are cut."""

from __future__ import annotations

import pickle
import tempfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hazboost import Batches, FPBoost, Surv
from hazboost.data import sample as sampling
from hazboost.training import batched
from hazboost.training.policy import POLICY

N = 1_600
RNG = np.random.default_rng(0)
X = pd.DataFrame(np.round(RNG.normal(size=(N, 3)), 1), columns=["a", "b", "c"])
X["ward"] = pd.Categorical(RNG.choice(["north", "south", "west"], N))
X.loc[RNG.random(N) < 0.1, "b"] = np.nan
RISK = 0.8 * X["a"] + np.nan_to_num(np.abs(X["b"])) + (X["ward"] == "south")
TIME = RNG.weibull(1.5, N) * np.exp(-RISK.to_numpy())
CENSORED = RNG.exponential(1.0, N)
Y = Surv.right(TIME <= CENSORED, np.minimum(TIME, CENSORED))
WEIGHT = RNG.integers(0, 3, N) / 2.0
#: Fewer subjects than this are read into memory.
MANY = 500
SETTINGS = {"n_estimators": 5, "subsample": 1.0, "colsample_bytree": 1.0, "random_state": 0}


@pytest.fixture(autouse=True)
def many(monkeypatch):
    monkeypatch.setattr(FPBoost, "_policy", replace(POLICY, subjects_for_linear=MANY))


def cut(size, X=X, y=Y, weight=None):
    """A function that reads the rows in batches of this size."""

    def read():
        for first in range(0, len(X), size):
            rows = slice(first, first + size)
            yield (X[rows], y[rows]) if weight is None else (X[rows], y[rows], weight[rows])

    return read


def likelihood(model, X, y):
    """Mean log-likelihood of right-censored rows."""
    hazard, cumulative = (
        np.array([curve(time) for curve, time in zip(predict(X), y["time"], strict=True)])
        for predict in (model.predict_hazard_function, model.predict_cumulative_hazard_function)
    )
    return np.mean(y["event"] * np.log(np.where(y["event"], hazard, 1.0)) - cumulative)


@pytest.mark.parametrize("size", [300, N])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["unweighted", "weighted"])
def test_with_the_same_bins_the_model_is_that_of_data_in_memory(weight, size):
    expected = FPBoost(**SETTINGS).fit(X, Y, weight)
    found = FPBoost(**SETTINGS).fit_batches(cut(size, weight=weight))
    np.testing.assert_allclose(found.predict(X[:500]), expected.predict(X[:500]), rtol=1e-6)
    np.testing.assert_allclose(found.history_["train_loss"], expected.history_["train_loss"], rtol=1e-6)
    np.testing.assert_array_equal(found.unique_times_, expected.unique_times_)
    assert list(found.feature_names_in_) == list(X)
    assert found.ridge_ == expected.ridge_


OUTCOMES = {
    "causes": Surv.right(np.where(Y["event"], 1 + (X["c"] > 0.5), 0), Y["time"]),
    "interval": Surv.interval(np.floor(4 * Y["time"]), np.where(Y["event"], np.floor(4 * Y["time"]) + 1, np.inf)),
}


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")  # after two rounds
@pytest.mark.parametrize("kind", OUTCOMES)
def test_every_kind_of_outcome_can_be_in_batches(kind):
    settings = {**SETTINGS, "n_estimators": 2, "init": "marginal"}
    expected = FPBoost(**settings).fit(X, OUTCOMES[kind])
    found = FPBoost(**settings).fit_batches(cut(450, y=OUTCOMES[kind]))
    np.testing.assert_allclose(found.predict(X[:500]), expected.predict(X[:500]), rtol=1e-6)


def test_constraints_hold_for_batches():
    settings = {**SETTINGS, "monotone_constraints": {"a": 1}}
    expected = FPBoost(**settings).fit(X, Y)
    found = FPBoost(**settings).fit_batches(cut(450))
    np.testing.assert_allclose(found.predict(X[:500]), expected.predict(X[:500]), rtol=1e-6)


def test_with_the_same_bins_the_chosen_model_is_that_of_data_in_memory(tmp_path, monkeypatch):
    """The bins of one fold are on disk at a time, and its rows are read by one thread."""
    files, original = [], batched.batched_matrix

    def watched(*arguments):
        matrix = original(*arguments)
        files.append(len([file for folder in tmp_path.iterdir() for file in folder.iterdir()]))
        return matrix

    monkeypatch.setattr("hazboost.training.single.batched_matrix", watched)
    expected = FPBoost(random_state=0, n_jobs=2).fit(X, Y)
    found = FPBoost(random_state=0, n_jobs=2).fit_batches(cut(450), cache=tmp_path)
    assert len(found.model_.boosters) == len(expected.model_.boosters) > 1
    assert set(files) == {1}
    assert len(files) >= len(found.model_.boosters)
    assert found.heads_ == expected.heads_
    assert found.ridge_ == expected.ridge_
    np.testing.assert_allclose(found.predict(X[:500]), expected.predict(X[:500]), rtol=1e-6)


def test_the_automatic_fit_is_as_good_as_in_memory_and_does_not_depend_on_the_batches(monkeypatch):
    """Also where only some of the rows can be in memory; then the bins of the trees are those of drawn rows, too."""
    monkeypatch.setattr(sampling, "VALUES_IN_MEMORY", 1600)
    train, test = slice(0, 1_200), slice(1_200, N)
    in_memory = FPBoost(random_state=0).fit(X[train], Y[train])
    models = [FPBoost(random_state=0).fit_batches(cut(size, X[train], Y[train])) for size in (170, 900)]
    np.testing.assert_array_equal(models[0].predict(X[test]), models[1].predict(X[test]))
    assert models[0].diagnostics_["subjects_compared"] <= 1600 / X.shape[1]  # of all that were held out
    marginal = FPBoost(init="marginal", n_estimators=1, learning_rate=1e-6, random_state=0).fit(X[train], Y[train])
    expected, nothing = (likelihood(model, X[test], Y[test]) for model in (in_memory, marginal))
    assert likelihood(models[0], X[test], Y[test]) > expected - 0.05 * (expected - nothing)


def test_few_subjects_are_read_into_memory():
    some = slice(0, 200)
    settings = {**SETTINGS, "init": "marginal", "tree_method": "exact"}  # which is not possible with data on disk
    numbers = X[["a", "b", "c"]]
    expected = FPBoost(**settings).fit(numbers[some], Y[some])
    found = FPBoost(**settings).fit_batches(cut(77, numbers[some], Y[some]))
    np.testing.assert_array_equal(found.predict(numbers), expected.predict(numbers))


def test_rows_of_few_subjects_with_the_same_features_are_joined():
    subject, numbers = np.repeat(np.arange(200), 2), X[["a", "b", "c"]][:200]
    event, time = Y["event"][:200], Y["time"][:200]
    start, stop = (np.column_stack(pair).ravel() for pair in ((0.0 * time, 0.5 * time), (0.5 * time, time)))
    y = Surv.counting(start, stop, np.column_stack([0 * event, event]).ravel(), id=subject)
    settings = {"n_estimators": 5, "init": "marginal", "random_state": 0}
    expected = FPBoost(**settings).fit(numbers, Y[:200])
    found = FPBoost(**settings).fit_batches(cut(78, numbers.iloc[subject].reset_index(drop=True), y))
    np.testing.assert_array_equal(found.predict(numbers), expected.predict(numbers))


@pytest.mark.filterwarnings("ignore:the validation metric was still improving")
def test_early_stopping_sets_rows_aside_and_takes_an_eval_set():
    settings = {"n_estimators": 4, "patience": 3, "init": "marginal", "random_state": 0}
    aside = FPBoost(**settings).fit_batches(cut(600))
    assert len(aside.history_["validation_concordance"]) == 5
    given = FPBoost(**settings).fit_batches(cut(600), eval_set=(X[:200], Y[:200]))
    assert len(given.history_["validation_loss"]) == 5


def test_parquet_files(tmp_path):
    table = X.assign(dead=Y["event"], days=Y["time"], share=WEIGHT)
    for number, first in enumerate(range(0, N, 700)):
        table[first : first + 700].to_parquet(tmp_path / f"{number}.parquet")
    batches = Batches.from_parquet(tmp_path, event="dead", time="days", weight="share", batch_rows=250)
    found = FPBoost(**SETTINGS).fit_batches(batches)
    expected = FPBoost(**SETTINGS).fit(X, Y, WEIGHT)
    np.testing.assert_allclose(found.predict(X[:500]), expected.predict(X[:500]), rtol=1e-6)


def test_nothing_is_left_on_disk(tmp_path, monkeypatch):
    seen = []
    original = batched.batched_matrix

    def watched(*arguments):
        matrix = original(*arguments)
        seen.extend(file for folder in tmp_path.iterdir() for file in folder.iterdir())
        return matrix

    monkeypatch.setattr("hazboost.training.single.batched_matrix", watched)
    model = FPBoost(**SETTINGS).fit_batches(cut(600), cache=tmp_path)
    assert len(seen) == 1
    assert not list(tmp_path.iterdir())
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X[:50]), model.predict(X[:50]))


def test_an_absent_cache_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cache must be an existing folder; got .*absent"):
        FPBoost(**SETTINGS).fit_batches(cut(600), cache=tmp_path / "absent")


def test_nothing_is_left_after_an_error_and_the_model_is_as_before(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    model = FPBoost(**SETTINGS).fit(X[:200], Y[:200])
    before = model.predict(X[:50])
    passes = iter(range(10))

    def read():
        if next(passes) == 3:
            raise OSError("the disk is gone")
        yield from cut(600)()

    with pytest.raises(OSError, match="the disk is gone"):
        model.fit_batches(read)
    assert not list(tmp_path.iterdir())
    np.testing.assert_array_equal(model.predict(X[:50]), before)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tree_method": "approx"}, "tree_method='approx' needs all data in memory; use tree_method='hist'"),
        ({"device": "cuda"}, "device='cuda' needs all data in memory; use device='cpu'"),
    ],
)
def test_what_needs_all_data_in_memory_is_refused(settings, message, monkeypatch):
    monkeypatch.setattr("hazboost.estimator.check_cuda", lambda device: None)
    with pytest.raises(ValueError, match=message):
        FPBoost(**settings).fit_batches(cut(600))


def test_bad_data_are_refused_as_in_memory():
    nothing = Surv.right(np.zeros(N, dtype=bool), Y["time"])
    with pytest.raises(ValueError, match="y has no event: all 1600 subjects are censored"):
        FPBoost().fit_batches(cut(600, y=nothing))
    with pytest.raises(ValueError, match="every value is missing in 'c'"):
        FPBoost().fit_batches(cut(600, X.assign(c=np.nan)))
    with pytest.warns(UserWarning, match="there is no event of cause 1, 2"):
        FPBoost(n_estimators=1, init="marginal").fit_batches(cut(600, y=Surv.right(3 * Y["event"], Y["time"])))


@pytest.mark.filterwarnings("ignore:the fitted curves are poor")
def test_rounded_times_are_noticed_in_all_batches_together():
    coarse = Surv.right(Y["event"], np.ceil(Y["time"]))
    with pytest.warns(UserWarning, match="events share only 3 distinct times"):
        FPBoost(n_estimators=1, init="marginal").fit_batches(cut(600, y=coarse))
