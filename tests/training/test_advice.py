"""Warnings say what to do."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from hazboost import FPBoost
from hazboost.training.advice import advise_on_duplicates
from hazboost.training.policy import POLICY

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
        ({"solver": "gradient"}, np.full(200, 1 / 200), "a lower min_child_weight"),
        ({"patience": 5, "learning_rate": 0.01, "colsample_bytree": 1.0}, None, "use a larger n_estimators"),
    ],
    ids=["diverged", "no split", "stopped too early"],
)
def test_a_training_that_went_wrong_is_said_with_what_to_do(parameters, sample_weight, advice):
    model = FPBoost(**{**CHEAP, "n_estimators": 8, "stopping_metric": "likelihood", **parameters})
    with pytest.warns(ConvergenceWarning, match=advice) as caught:
        model.fit(*simulate(), sample_weight)
    assert {one.filename for one in caught} == {__file__}, "the warning points at the call of fit"


def learned_by_heart():
    """Five duplicates of each subject, whose features are noise that identifies the subject."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(40), 5)
    return rng.normal(size=(40, 3))[person], (np.ones(200, dtype=bool), rng.weibull(1.5, 40)[person]), person


@pytest.mark.parametrize("container", [np.array, csr_matrix])
def test_duplicates_that_choose_deep_trees_are_noticed(container, monkeypatch):
    monkeypatch.setattr("hazboost.estimator.POLICY", replace(POLICY, events_for_depth=100))
    X, y, person = learned_by_heart()
    model = FPBoost(**CHEAP, n_folds=2, learning_rate=1.0)
    with pytest.warns(ConvergenceWarning, match="chose trees of depth ., and 160 of 200 rows are duplicates"):
        model.fit(container(X), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(container(X), y, groups=person)


def test_few_duplicates_are_not_worth_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        advise_on_duplicates(4, 20, 200)
    with pytest.warns(ConvergenceWarning, match="21 of 200 rows"):
        advise_on_duplicates(4, 21, 200)


def test_a_training_that_went_well_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FPBoost(**CHEAP, n_estimators=30).fit(*simulate())
        FPBoost(**CHEAP, n_estimators=30, patience=29).fit(*simulate())
