"""Choices by cross-validation, and the models that come of them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from hazboost import FPBoost
from hazboost.selection import MAX_ROWS_FOR_FOLDS, RIDGES, splits
from hazboost.target import Target


def linear_data(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    time = rng.weibull(1.5, n) * np.exp(-0.7 * X[:, 0] + 0.5 * X[:, 1])
    limit = rng.exponential(2.0, n)
    return X, (time <= limit, np.minimum(time, limit))


def curved_data(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 3))
    time = rng.weibull(1.5, n) * np.exp(-2.0 * (np.abs(X[:, 0]) > 0.5))
    limit = rng.exponential(2.0, n)
    return X, (time <= limit, np.minimum(time, limit))


def second_order(**parameters):
    settings = {
        "solver": "newton",
        "init": "linear",
        "n_estimators": "auto",
        "reg_lambda": 1.0,
        "max_depth": 2,
        "n_folds": 3,
    }
    return FPBoost(**{**settings, "random_state": 0, **parameters})


def test_linear_data_get_a_weak_ridge_and_noise_a_strong_one():
    X, y = linear_data()
    learned = second_order().fit(X, y)
    noise = second_order().fit(np.random.default_rng(5).normal(size=X.shape), y)
    assert learned.ridge_ < noise.ridge_
    assert noise.n_estimators_ < 20


def test_trees_add_what_is_not_linear():
    X, y = curved_data()
    X_new, y_new = curved_data(seed=1)
    model = second_order().fit(X, y)
    assert model.n_estimators_ > 10
    assert model.score(X_new, y_new) > 0.65


def test_choice_is_the_minimum_of_what_can_be_read_afterwards():
    X, y = curved_data()
    model = second_order().fit(X, y)
    results = model.cv_results_
    assert results["ridges"] == list(RIDGES)
    assert model.ridge_ == results["ridges"][int(np.argmin(results["ridge_loss"]))]
    assert model.n_estimators_ == int(np.argmin(results["round_loss"]))
    assert len(model.history_["train_loss"]) == model.n_estimators_ + 1


def test_model_is_the_one_with_the_chosen_number_of_rounds():
    X, y = curved_data()
    auto = second_order().fit(X, y)
    fixed = second_order(n_estimators=auto.n_estimators_).fit(X, y)
    np.testing.assert_array_equal(auto.predict(X), fixed.predict(X))


def test_without_a_linear_start_there_is_no_ridge():
    X, y = curved_data(300)
    model = second_order(init="marginal").fit(X, y)
    assert model.ridge_ is None
    assert set(model.cv_results_) == {"round_loss"}
    assert FPBoost(n_estimators=3).fit(X, y).cv_results_ == {}


def test_choice_and_model_do_not_depend_on_the_number_of_threads():
    X, y = curved_data(300)
    one, two = (second_order(n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert (one.ridge_, one.n_estimators_) == (two.ridge_, two.n_estimators_)
    np.testing.assert_allclose(one.predict(X), two.predict(X), rtol=1e-5)


def test_linear_part_is_in_every_prediction_and_travels_with_the_model():
    X, y = linear_data()
    model = second_order(n_estimators=1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert model.score(X, y) > 0.65
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    np.testing.assert_allclose(model.predict(X)[:5], model.predict(X[:5]))


def test_no_round_at_all_is_a_model_too():
    X, y = linear_data(150)
    model = second_order(min_child_weight=1e6).fit(X, y)
    survival = model.predict_survival_function(X, times=[0.0, 1.0])
    assert (survival[:, 0] == 1.0).all()
    assert ((survival[:, 1] > 0.0) & (survival[:, 1] < 1.0)).all()


def test_missing_values_and_categories():
    X, y = linear_data(300)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["group"] = pd.Categorical(np.where(X[:, 0] > 0, "high", "low"))
    frame.loc[::7, "b"] = np.nan
    frame.loc[::11, "group"] = None
    model = second_order(n_estimators=5).fit(frame, y)
    assert np.isfinite(model.predict(frame)).all()
    assert model.score(frame, y) > 0.65


@pytest.mark.parametrize("activation", ["tanh", "identity"])
def test_newton_refuses_negative_weights(activation):
    with pytest.raises(ValueError, match="solver='newton' needs weights that are not negative"):
        second_order(heads_activation=activation).fit(*linear_data(50))


def test_auto_refuses_patience():
    with pytest.raises(ValueError, match="patience=3 has no meaning"):
        second_order(patience=3).fit(*linear_data(50))


def test_large_data_are_held_out_once():
    n = MAX_ROWS_FOR_FOLDS + 1
    target = Target.of(np.ones(n), np.where(np.arange(n) % 3 == 0, 1.0, np.inf), np.ones(n))
    ((kept, held),) = splits(target, 5, 0)
    assert len(held) == pytest.approx(n / 5, abs=1)
    assert len(splits(target[:90], 5, 0)) == 5
    assert target.event[held].mean() == pytest.approx(target.event[kept].mean(), abs=0.01)


@pytest.mark.parametrize("n", [60, 6000])
def test_a_subject_stays_on_one_side_and_causes_are_spread(n):
    subject = np.repeat(np.arange(n), 3)
    last = np.tile([False, False, True], n)
    cause = np.where(last, np.repeat(np.arange(n) % 3, 3), 0)
    start = np.tile([0.0, 1.0, 2.0], n)
    target = Target.of(start + 1.0, np.where(cause > 0, start + 1.0, np.inf), entry=start, cause=cause, subject=subject)
    rng = np.random.default_rng(0)
    target = target[rng.permutation(3 * n)]
    for kept, held in splits(target, 5, 0):
        assert not set(target.subject[kept]) & set(target.subject[held])
        assert len(kept) + len(held) == 3 * n
        counts = np.bincount(target.cause[held])[1:]
        assert counts.max() - counts.min() <= 2


def test_folds_are_those_of_the_subjects():
    whole = Target.of(np.ones(50), np.where(np.arange(50) % 2, 1.0, np.inf))
    subject = np.repeat(np.arange(50), 2)
    start = np.tile([0.0, 0.5], 50)
    upper = np.where(np.tile([False, True], 50) & (subject % 2 == 1), 1.0, np.inf)
    parts = Target.of(start + 0.5, upper, entry=start, subject=subject)
    for (_, one), (_, other) in zip(splits(whole, 5, 3), splits(parts, 5, 3), strict=True):
        np.testing.assert_array_equal(np.unique(parts.subject[other]), np.sort(one))
