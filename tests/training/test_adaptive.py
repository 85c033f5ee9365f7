"""The adaptive ridge: sparse truths, its formula, its limit, and when it is used."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from hazboost import FPBoost
from hazboost.data.design import learn_design
from hazboost.data.features import Schema
from hazboost.data.target import Target
from hazboost.metrics import concordance_index
from hazboost.prediction.regression import LinearStart
from hazboost.training.adaptive import ridges_of_features
from hazboost.training.cross_validation import likely_index
from hazboost.training.linear import fit_linear_path
from hazboost.training.policy import POLICY
from tests.accelerated import BETA, log_logistic
from tests.training.simulated import automatic, linear_data

NUMBERS = Schema(None, {}, sparse=False)
TIMES = np.linspace(0.05, 3.0, 60)


def sparse_data(n, width, seed=0):
    """Weibull times that depend on four of many features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, width))
    beta = np.zeros(width)
    beta[:4] = [0.7, -0.7, 0.5, -0.5]
    time = (rng.exponential(size=n) * np.exp(-X @ beta)) ** (1 / 1.5)
    limit = rng.exponential(2.0, n)
    return X, (time <= limit, np.minimum(time, limit)), beta


@pytest.fixture
def start(make_mixture):
    """A constant start of a Weibull head, with the sample it is for."""

    def make(n=300, width=6):
        X, (event, time), _ = sparse_data(n, width)
        target = Target.of(time, np.where(event, time, np.inf))
        design = learn_design(X, NUMBERS, target.mass, POLICY.skewness, POLICY.farthest)
        mixture = make_mixture({"weibull": 1}, "exp", "scaled_softmax")
        first = LinearStart.constant(mixture, np.zeros(mixture.n_scores), design, POLICY.largest_shift)
        return first, X, target

    return make


@pytest.mark.parametrize(("n", "width"), [(150, 100), (120, 300)])
def test_few_effects_among_many_features_are_found(n, width, with_policy):
    """New subjects are ranked better, and whole curves are nearer to the truth, than with one ridge for all.

    The second case has more than twice as many columns as rows.
    """
    X, y, beta = sparse_data(n, width)
    new, *_ = sparse_data(500, width, seed=1)
    truth = np.exp(-(TIMES**1.5) * np.exp(new @ beta)[:, None])

    def judge(model):
        predicted = model.predict_survival_function(new, times=TIMES)
        ranked = concordance_index((np.ones(500, dtype=bool), np.exp(-new @ beta)), model.predict(new))
        return ranked, float(np.sqrt(np.mean((np.asarray(predicted) - truth) ** 2)))

    sparse = FPBoost(random_state=0).fit(X, y)
    assert sparse.adaptive_ridge_ is not None
    with_policy(adaptive_steps=())
    dense = FPBoost(random_state=0).fit(X, y)
    assert dense.adaptive_ridge_ is None
    (rank, error), (rank_before, error_before) = judge(sparse), judge(dense)
    assert rank > rank_before + 0.04
    assert error < 0.9 * error_before


def test_ridges_are_those_of_the_formula(start):
    first, *_ = start(width=4)
    fitted = replace(first, coefficient=np.array([[2.0], [1.0], [0.0], [0.0]]))
    size = np.array([4.0, 1.0, 0.0, 0.0]) + 1.25 / 10
    expected = 7.0 * np.sqrt(size.mean() / size)
    np.testing.assert_allclose(ridges_of_features(fitted, 7.0, 0.1), expected[:, None], rtol=1e-12)


def test_columns_of_a_category_have_one_ridge(start):
    first, *_ = start(width=4)
    coefficient = np.array([[0.2], [1.0], [0.0], [-0.6]])
    fitted = replace(first, coefficient=coefficient, design=SimpleNamespace(features=[0, 1, 1, 1]))
    ridges = ridges_of_features(fitted, 1.0, 0.1)[:, 0]
    assert ridges[1] == ridges[2] == ridges[3] < ridges[0]
    together = replace(fitted, coefficient=np.array([[0.2], *[[np.sqrt(np.mean(coefficient[1:] ** 2))]] * 3]))
    np.testing.assert_allclose(ridges, ridges_of_features(together, 1.0, 0.1)[:, 0], rtol=1e-12)


def test_every_cause_has_ridges_of_its_own(start):
    first, *_ = start(width=4)
    coefficient = np.array([[1.0, 0.0], [0.5, 0.0], [0.0, 1.5], [0.0, 3.0]])
    ridges = ridges_of_features(replace(first, coefficient=coefficient), 1.0, 0.1)
    assert ridges[0, 0] < ridges[1, 0] < ridges[2, 0]
    np.testing.assert_allclose(ridges[:, 1], ridges[::-1, 0], rtol=1e-12)


def test_without_any_effect_the_ridge_is_the_same_for_all(start):
    np.testing.assert_array_equal(ridges_of_features(start()[0], 3.0, 0.1), np.full((6, 1), 3.0))


def test_one_strength_for_all_is_the_plain_ridge(start):
    first, X, target = start()
    (plain,) = fit_linear_path(first, X, target, [5.0], POLICY)
    (same,) = fit_linear_path(first, X, target, [np.full((6, 1), 5.0)], POLICY)
    np.testing.assert_allclose(same.coefficient, plain.coefficient, rtol=1e-10)


def test_repeated_it_ends_at_a_lasso(start):
    """At the minimum of a lasso all effects that are left pull equally, and no other pulls more."""
    first, X, target = start()
    (at,) = fit_linear_path(first, X, target, [30.0], POLICY)
    for _ in range(60):
        ridges = ridges_of_features(at, 30.0, 1e-9)
        (at,) = fit_linear_path(at, X, target, [ridges], POLICY)
    pull = np.abs(ridges * at.coefficient)[:, 0]
    left = np.abs(at.coefficient[:, 0]) > 1e-3
    assert left[:4].all()
    assert not left.all()
    np.testing.assert_allclose(pull[left], pull[left][0], rtol=1e-3)
    assert pull[~left].max() < pull[left][0]


def test_what_was_tried_can_be_read_and_the_best_is_used():
    X, y, _ = sparse_data(200, 20)
    model = automatic(n_estimators=1).fit(X, y)
    ridges, losses = model.cv_results_["adaptive_ridges"], model.cv_results_["adaptive_loss"]
    assert ridges == [model.ridge_ * step for step in POLICY.adaptive_steps[: len(ridges)]]
    without = dict(zip(model.cv_results_["ridges"], model.cv_results_["ridge_loss"], strict=True))[model.ridge_]
    assert min(losses) < without
    assert model.adaptive_ridge_ == [None, *ridges][likely_index(np.array([without, *losses]), 200.0)] is not None
    # The first step that is worse than the one before is the last, but for the first of all.
    assert (np.diff(losses[:-1]) < 0.0).all()
    assert len(losses) == len(POLICY.adaptive_steps) or losses[-1] >= losses[-2]


def test_the_final_fit_takes_the_steps_that_were_chosen():
    """Coefficients of the model are those of its steps, made by hand."""
    X, y, _ = sparse_data(200, 20)
    model = automatic(n_estimators=1).fit(X, y)
    start = model.model_.starts[0]
    target = Target.of(y[1] / model.model_.unit, np.where(y[0], y[1] / model.model_.unit, np.inf))
    (at,) = fit_linear_path(start.without_features(), X, target, [model.ridge_], POLICY)
    assert not np.allclose(at.coefficient, start.coefficient, atol=1e-3)
    steps = model.cv_results_["adaptive_ridges"]
    for ridge in steps[: steps.index(model.adaptive_ridge_) + 1]:
        (at,) = fit_linear_path(at, X, target, [ridges_of_features(at, ridge, POLICY.least_effect)], POLICY)
    np.testing.assert_allclose(at.coefficient, start.coefficient, atol=1e-3)


def test_it_is_not_used_where_held_out_subjects_are_worse_for_it():
    """Forty features that matter equally."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 40))
    time = rng.weibull(1.5, 200) * np.exp(-X @ np.full(40, 0.2))
    model = automatic(n_estimators=1).fit(X, (time < 3.0, np.minimum(time, 3.0)))
    assert model.adaptive_ridge_ is None
    assert min(model.cv_results_["adaptive_loss"]) >= min(model.cv_results_["ridge_loss"])


def test_features_that_act_on_time_adapt_as_well():
    X, y = log_logistic(1500)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(1500, 8))])
    model = FPBoost(n_estimators=1, random_state=0).fit(X, y)
    assert model.linear_effect_ == "time"
    assert model.adaptive_ridge_ is not None
    size = np.abs(model.model_.starts[0].coefficient[:, 0])
    assert size[3:].max() < 0.2 * size[:3][BETA != 0.0].min()


def test_directions_are_kept():
    X, y = linear_data(300)
    X = np.column_stack([X, np.random.default_rng(0).normal(size=(300, 8))])
    model = automatic(n_estimators=1, monotone_constraints=[-1, *[0] * 11]).fit(X, y)
    assert model.adaptive_ridge_ is not None
    assert model.model_.starts[0].coefficient[0, 0] == 0.0


def test_losses_are_in_the_time_of_the_user():
    X, y, _ = sparse_data(150, 10)
    years, days = (automatic(n_estimators=1).fit(X, (y[0], unit * y[1])) for unit in (1.0, 365.25))
    shift = np.log(365.25) * y[0].mean()
    for name in ("ridge_loss", "adaptive_loss"):
        np.testing.assert_allclose(days.cv_results_[name], np.add(years.cv_results_[name], shift), rtol=1e-6)


def test_the_summary_says_so():
    X, y, _ = sparse_data(200, 20)
    model = automatic(n_estimators=1).fit(pd.DataFrame(X, columns=[f"x{i}" for i in range(20)]), y)
    assert f"then an adaptive one of {model.adaptive_ridge_:g}" in str(model.summary()).replace("\n", " ")
    assert model.summary().facts["start"]["adaptive_ridge"] == model.adaptive_ridge_
