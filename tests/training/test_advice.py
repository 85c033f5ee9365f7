"""Warnings say what to do."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from hazboost import FPBoost
from hazboost.training.advice import advise_on_course

CHEAP = {"init": "marginal", "subsample": 1.0, "random_state": 0}


def simulate(n=200):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    time = rng.weibull(1.5, n) * np.exp(-0.7 * X[:, 0])
    return X, (rng.random(n) < 0.8, time)


@pytest.mark.parametrize(
    ("parameters", "sample_weight", "advice"),
    [
        ({"learning_rate": 50.0}, None, "use a lower learning_rate"),
        ({"solver": "gradient", "min_child_weight": 101.0}, None, "a lower min_child_weight"),
        ({"patience": 5, "learning_rate": 0.01, "colsample_bytree": 1.0}, None, "use a larger n_estimators"),
    ],
    ids=["diverged", "no split", "stopped too early"],
)
def test_a_training_that_went_wrong_is_said_with_what_to_do(parameters, sample_weight, advice):
    model = FPBoost(**{**CHEAP, "n_estimators": 8, "stopping_metric": "likelihood", **parameters})
    with pytest.warns(ConvergenceWarning, match=advice) as caught:
        model.fit(*simulate(), sample_weight)
    assert {one.filename for one in caught} == {__file__}, "the warning points at the call of fit"


@pytest.mark.parametrize("unit", [1.0, 365.25])
def test_the_rise_of_the_loss_is_that_of_the_history(unit):
    X, (event, time) = simulate()
    model = FPBoost(**CHEAP, n_estimators=8, learning_rate=50.0)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, (event, time * unit))
    losses = model.history_["train_loss"]
    assert f"rose by {losses[-1] - losses[0]:.4g};" in str(caught[0].message)


def test_a_training_that_went_well_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FPBoost(**CHEAP, n_estimators=30).fit(*simulate())
        FPBoost(**CHEAP, n_estimators=30, patience=29).fit(*simulate())


def test_the_round_that_is_kept_is_judged():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not advise_on_course([1.0, 0.5, 2.0], rounds=2, kept=1, patience=1)
    with pytest.warns(ConvergenceWarning, match=r"rose by 0\.5;"):
        assert advise_on_course([1.0, 1.5, 0.9], rounds=2, kept=1, patience=1)


def test_rounds_are_too_few_only_where_training_could_have_stopped():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not advise_on_course([1.0, 0.9, 0.8], rounds=2, kept=2, patience=2)
    with pytest.warns(ConvergenceWarning, match="still improving after all 2 rounds"):
        assert advise_on_course([1.0, 0.9, 0.8], rounds=2, kept=2, patience=1)
