"""The linear start: a parametric regression under the trees."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from hazboost import FPBoost, Surv
from hazboost.activations import PARAMETER_ACTIVATIONS
from hazboost.features import Schema, learn_schema
from hazboost.likelihood import loss_and_gradient
from hazboost.linear import FARTHEST, fit_linear_path, learn_design
from hazboost.start import marginal_start
from hazboost.target import Target

BETA = np.array([0.8, -0.5, 0.0])
NUMBERS = Schema(None, {}, sparse=False)


def simulate(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 3.0]
    eta = np.exp(((X - [0.0, 5.0, 3.0]) / [1.0, 10.0, 0.1]) @ BETA)
    time = (rng.exponential(size=n) / eta) ** (1 / 1.5)
    limit = rng.exponential(2.0, n)
    event, time = time <= limit, np.minimum(time, limit)
    unit = time.max()
    return X, Target.of(time / unit, np.where(event, time / unit, np.inf), np.ones(n))


def path_of(mixture, X, target, ridges, schema=NUMBERS):
    return fit_linear_path(
        mixture, schema, X, target, marginal_start(mixture, target, np.random.default_rng(0)), ridges
    )


def test_coefficients_of_a_weibull_regression_are_recovered(make_mixture):
    X, target = simulate(8000)
    (start,) = path_of(make_mixture({"weibull": 1}, "exp", "uniform"), X, target, [0.1])
    np.testing.assert_allclose(start.coefficient, BETA, atol=0.05)


def test_fit_is_a_minimum_of_the_penalised_loss(make_mixture):
    X, target = simulate(400)
    mixture, ridge = make_mixture({"weibull": 1, "loglogistic": 1}, "exp", "softmax"), 10.0
    (start,) = path_of(mixture, X, target, [ridge])
    columns = start.design(X)

    def loss(beta):
        scores = start.log_intercept + np.outer(columns @ beta, mixture.scale_scores)
        return loss_and_gradient(mixture, scores, target)[0].mean() + 0.5 * ridge / len(X) * beta @ beta

    best = loss(start.coefficient)
    rng = np.random.default_rng(0)
    assert all(loss(start.coefficient + 0.05 * rng.normal(size=3)) > best - 1e-6 for _ in range(20))


def test_a_stronger_ridge_shrinks_the_coefficients_but_keeps_a_ranking(make_mixture):
    X, target = simulate(300)
    path = path_of(make_mixture({"weibull": 1}, "exp", "uniform"), X, target, [10_000.0, 100.0, 1.0])
    sizes = [np.linalg.norm(start.coefficient) for start in path]
    assert 0.0 < sizes[0] < sizes[1] < sizes[2]
    assert np.corrcoef(path[0].design(X) @ path[0].coefficient, X[:, 0])[0, 1] > 0.6


@pytest.mark.parametrize("parameter", list(PARAMETER_ACTIVATIONS))
def test_margin_gives_the_same_parameters_under_every_activation(make_mixture, parameter):
    X, target = simulate(200)
    mixture = make_mixture({"weibull": 1, "gompertz": 1}, parameter, "softmax")
    logs = make_mixture({"weibull": 1, "gompertz": 1}, "exp", "softmax")
    intercept = marginal_start(logs, target, np.random.default_rng(0))
    (start,) = fit_linear_path(mixture, NUMBERS, X, target, intercept, [10.0])
    (plain,) = fit_linear_path(logs, NUMBERS, X, target, intercept, [10.0])
    for one, other in zip(
        mixture.parameters(start.margin(X)).activated, logs.parameters(plain.margin(X)).activated, strict=True
    ):
        for left, right in zip(one, other, strict=True):
            np.testing.assert_allclose(left.log_value, right.log_value, atol=1e-6)


def test_design_standardises_fills_and_cuts():
    X = np.array([[1.0, 5.0], [2.0, np.nan], [3.0, 5.0], [1e9, 5.0]])
    columns = learn_design(X[:3], NUMBERS, np.ones(3))(X)
    np.testing.assert_allclose(columns[:3, 0], [-np.sqrt(1.5), 0.0, np.sqrt(1.5)])
    assert columns[3, 0] == FARTHEST
    np.testing.assert_array_equal(columns[:, 1], 0.0)


def test_design_makes_categories_indicators_and_missing_ones_the_mean():
    frame = pd.DataFrame({"c": pd.Categorical(["a", "b", "a", None]), "x": [1.0, 2.0, 3.0, 4.0]})
    schema = learn_schema(frame)
    columns = learn_design(schema.encode(frame), schema, np.ones(4))(schema.encode(frame))
    assert columns.shape == (4, 3)
    np.testing.assert_array_equal(columns[0], columns[2] - [0.0, 0.0, columns[2, 2] - columns[0, 2]])
    assert columns[0, 0] > 0.0 > columns[1, 0]
    np.testing.assert_allclose(columns[3, :2], 0.0)


def test_weight_two_is_a_row_given_twice(make_mixture):
    X, target = simulate(120)
    mixture, twice = make_mixture({"weibull": 1}, "exp", "uniform"), np.arange(120) < 40
    heavy = Target.of(target.lower, target.upper, 1.0 + twice)
    rows = np.concatenate([np.arange(120), np.flatnonzero(twice)])
    (one,), (other,) = path_of(mixture, X, heavy, [5.0]), path_of(mixture, X[rows], target[rows], [5.0])
    np.testing.assert_allclose(one.coefficient, other.coefficient, atol=1e-4)


def test_each_cause_has_coefficients_of_its_own():
    """A feature that brings one cause forward and puts the other off."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(2000, 1))
    times = rng.exponential(1.0, (2, 2000)) * np.exp([-X[:, 0], X[:, 0]])
    y = Surv.right(times.argmin(axis=0) + 1, times.min(axis=0))
    start = FPBoost(1, 0, init="linear", n_estimators=1, n_folds=2, random_state=0).fit(X, y).model_.start
    np.testing.assert_allclose(start.coefficient / start.design.scale, [1.0, -1.0], atol=0.1)
