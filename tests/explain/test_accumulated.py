"""Accumulated local effects: against brute force, for additive functions, and where features go together."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from hazboost import FPBoost, Surv
from hazboost.explain import accumulated_effects, partial_dependence
from hazboost.hazards.distribution import Distribution
from tests.explain.conftest import NUMBERS, PAPER, Y


def brute_force(predict, X, feature, grid):
    """Interval by interval, subject by subject; the mean over subjects is zero."""
    effects = [0.0]
    for low, high in pairwise(grid):
        near = X[(X[feature] >= low) & (X[feature] <= high)]
        changes = predict(near.assign(**{feature: high})) - predict(near.assign(**{feature: low}))
        effects.append(effects[-1] + np.mean(changes))
    seen = X[feature][(X[feature] >= grid[0]) & (X[feature] <= grid[-1])]
    return np.array(effects) - np.interp(seen, grid, effects).mean()


@pytest.mark.parametrize("of", ["survival", "rmst", "median"])
@pytest.mark.parametrize("grid", [6, [-1.0, 0.1, 0.7]])
def test_effects_are_those_of_brute_force(fit, of, grid):
    model, X = fit("table")
    table = accumulated_effects(model, X, "a", of, times=1.0, grid=grid)
    predict = {
        "survival": lambda X: model.predict_survival_function(X, times=1.0),
        "rmst": lambda X: model.predict_rmst(X, 1.0),
        "median": lambda X: model.predict_quantile(X, 0.5),
    }[of]
    expected = brute_force(lambda X: np.ravel(predict(X)), X, "a", table["a"].tolist())
    np.testing.assert_allclose(table["value"], expected, rtol=1e-6, atol=1e-9)
    if grid == 6:
        assert table["a"].iloc[[0, -1]].tolist() == [X["a"].min(), X["a"].max()]
    else:
        assert table["a"].tolist() == grid


def test_several_times_are_effects_of_each():
    model = FPBoost(n_estimators=4, random_state=0).fit(NUMBERS, Y)
    table = accumulated_effects(model, NUMBERS, 1, times=[0.5, 1.0], grid=4)
    assert list(table) == ["x1", "time", "value"]
    for time in (0.5, 1.0):
        alone = accumulated_effects(model, NUMBERS, 1, times=time, grid=4)
        np.testing.assert_allclose(table["value"][table["time"] == time], alone["value"])


def test_of_an_additive_function_they_are_the_centred_effect():
    """Stumps make additive scores, and with ReLU a shape is its score: the effect is the same for every subject."""
    rng = np.random.default_rng(0)
    X = np.round(rng.multivariate_normal([0.0, 0.0], [[1.0, 0.9], [0.9, 1.0]], 160), 1)
    model = FPBoost.paper(**PAPER, max_depth=1).fit(X, Y)
    values = np.unique(X[:, 0])
    table = accumulated_effects(model, X, 0, "k", grid=len(values))
    anybody = np.column_stack([X[:, 0], np.zeros(len(X))])
    parameters = model.predict_parameters(anybody)
    for head, effects in table.groupby("head"):
        own = parameters["k"][parameters["head"] == head].to_numpy()
        assert own.min() > 0.0
        expected = [own[X[:, 0] == value][0] - own.mean() for value in values]
        np.testing.assert_allclose(effects["value"], expected, atol=1e-5)
    assert table["value"].abs().max() > 0.01


def test_where_features_go_together_nobody_is_moved_to_where_nobody_is():
    """The risk is high in a corner, of two features that differ much, and those of the explained subjects hardly do.

    Partial dependence draws conclusions from combinations that none of them has, and accumulated effects do not.
    """
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(1500, 2))
    time = rng.exponential(1.0, 1500) / np.where((X[:, 0] < 0.4) & (X[:, 1] > 0.6), 9.0, 1.0)
    y = Surv.right(time < 3.0, np.minimum(time, 3.0))
    model = FPBoost(n_estimators=20, init="marginal", random_state=0).fit(X, y)
    first = rng.uniform(size=400)
    alike = np.column_stack([first, np.clip(first + rng.normal(scale=0.02, size=400), 0.0, 1.0)])
    spread = [
        np.ptp(function(model, alike, 0, times=0.5)["value"]) for function in (partial_dependence, accumulated_effects)
    ]
    assert spread[0] > 0.2
    assert spread[1] < 0.07


def test_categories_are_taken_in_the_given_order(fit):
    model, X = fit("table")
    order = ["west", "north", "east"]
    table = accumulated_effects(model, X, "site", times=1.0, grid=order)
    assert table["site"].tolist() == order

    def predict(rows, site):
        changed = rows.assign(site=pd.Categorical([site] * len(rows), categories=X["site"].cat.categories))
        return np.ravel(model.predict_survival_function(changed, times=1.0))

    for k, (one, other) in enumerate(pairwise(order)):
        either = X[X["site"].isin([one, other])]
        change = np.mean(predict(either, other) - predict(either, one))
        assert table["value"].diff()[k + 1] == pytest.approx(change, abs=1e-9)
    shares = X["site"].value_counts()[order]
    assert table["value"] @ shares.to_numpy() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", ["sparse", "causes"])
def test_sparse_features_and_causes(fit, name):
    model, X = fit(name)
    table = accumulated_effects(model, X, 0, "cumulative_incidence", times=1.0, cause=1, grid=5)
    assert np.isfinite(table["value"]).all()
    assert np.ptp(table["value"]) > 0.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"feature": "z"},
            "feature must be given by name or position among the columns of X, such as 'a', 'b', 'c', 'd', 'site'",
        ),
        ({"feature": np.array(["a", "b"])}, "; got ndarray of shape (2,): ['a', 'b']."),
        ({"feature": "site"}, "grid must list the categories in the order in which effects are added up"),
        ({"feature": "site", "grid": ["west", "west"]}, "two or more different categories of the feature; got ['west'"),
        ({"grid": [1.0]}, "grid must have two or more increasing values of the feature; got [1.0]."),
        ({"grid": [1.0, 0.0]}, "grid must have two or more increasing values of the feature; got [1.0, 0.0]."),
        ({"grid": [0.0, np.nan]}, "grid must have two or more increasing values of the feature; got [0.0, nan]."),
        ({"grid": [0.0, 1.0, 50.0, 60.0]}, "grid: no row of X has a value from 50.0 to 60.0; leave one of them out."),
    ],
)
def test_wrong_arguments(fit, arguments, message):
    model, X = fit("table")
    with pytest.raises(ValueError, match=re.escape(message)):
        accumulated_effects(model, X, **{"feature": "a", **arguments})


def test_infinite_predictions_have_no_differences(fit, monkeypatch):
    """As a median is where the hazard ends before half of the subjects have had the event."""
    model, X = fit("table")
    monkeypatch.setattr(Distribution, "quantile", lambda distribution, p: np.full((len(distribution), 1), np.inf))
    with pytest.raises(ValueError, match="of='median' is infinite for row 0 of X, and has no differences"):
        accumulated_effects(model, X.fillna({"a": 0.0}), "a", "median")


@pytest.mark.parametrize("cause", [1, 2])
def test_the_cumulative_hazard_is_that_of_the_cause(fit, cause):
    model, X = fit("causes")
    table = partial_dependence(model, X, 0, "cumulative_hazard", times=1.0, cause=cause, grid=[0.5])
    changed = X.copy()
    changed.iloc[:, 0] = 0.5
    expected = model.model_.distribution(changed).of_cause(cause).cumulative_hazard(np.array([1.0])).mean()
    np.testing.assert_allclose(table["value"], expected)


@pytest.mark.parametrize("explain", [partial_dependence, accumulated_effects])
@pytest.mark.parametrize("of", ["survival", "rmst", "median", "k"])
def test_a_cause_is_refused_where_there_is_none(fit, explain, of):
    model, X = fit("causes")
    with pytest.raises(ValueError, match=f"^cause must not be given with of='{of}'.*; got 1"):
        explain(model, X, 0, of, cause=1)
