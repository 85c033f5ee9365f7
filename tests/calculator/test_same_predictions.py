"""The JavaScript predicts what the library predicts, to many digits, for models of every kind."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.special import log_ndtr

from hazboost import FPBoost, load
from hazboost.calculator.encoding import FAMILIES, encode_model
from hazboost.calculator.forest import encode_forest, pack
from hazboost.calculator.page import model_script
from hazboost.engines.structure import NO_CHILD, Tree
from hazboost.hazards import clipping
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.prediction.regression import ConstantStart
from tests.calculator.models import MODELS, categories, competing, curved, fit, numbers, rows, single
from tests.calculator.running import (
    NODE,
    PREDICT_ALL,
    as_arrays,
    largest_errors,
    predict_in_node,
    predict_in_python,
    run_node,
)

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="needs Node.js"),
    pytest.mark.filterwarnings("ignore:training has not converged"),
]
SHARES = [0.0, 1e-6, 0.01, 0.1, 0.3, 0.6, 1.0, 1.7]


def errors(model, X):
    times = model.model_.longest * np.array(SHARES)
    encoded = model.model_.schema.encode(X)
    encoded = encoded.toarray() if scipy.sparse.issparse(encoded) else encoded
    return largest_errors(predict_in_node(model, encoded, times), predict_in_python(model, X, times))


#: Fits that take little time: in the first one, the models of several folds are averaged.
FEW = {"n_estimators": 6, "max_depth": 3, "heads": None}
FAST = {"numbers": {**FEW, "n_folds": 2, "n_estimators": "auto", "init": "marginal"}, "paper": {"n_estimators": 12}}


@pytest.mark.parametrize("name", MODELS)
def test_the_four_models(name, tmp_path):
    model = fit(name, 120, **FAST.get(name, FEW))
    assert (len(model.model_.boosters) > 1) == (name == "numbers")
    assert max(errors(model, rows(name, 60)).values()) < 1e-9
    model.save(tmp_path / "model.hzb")
    assert max(errors(load(tmp_path / "model.hzb"), rows(name, 10)).values()) < 1e-9


QUICK = {**FEW, "random_state": 0}
KINDS = {
    "monotone": (FPBoost(**QUICK, monotone_constraints={"age": 1, "treated": -1}), categories, single),
    "monotone competing": (FPBoost(**QUICK, monotone_constraints={"age": 1}), categories, competing),
    "no rounds of trees": (FPBoost(n_estimators=1, max_depth=1, min_child_weight=1e9, random_state=0), numbers, single),
    "linear relu": (FPBoost(**QUICK, parameter_activation="relu", heads_activation="relu"), categories, single),
    "linear softplus": (FPBoost(**QUICK, parameter_activation="softplus", heads_activation="exp"), numbers, single),
    "uniform": (FPBoost(**QUICK, uniform_heads=True), numbers, single),
    "signed": (FPBoost(**QUICK, heads_activation="tanh", init="random", weibull_heads=2), numbers, single),
    "deep": (FPBoost(**{**QUICK, "max_depth": 7}, min_child_weight=0.1), categories, single),
}


def test_the_mean_of_five_models():
    """Each has a start and trees of its own."""
    X = numbers(300, 0)
    model = FPBoost(n_folds=5, learning_rate=0.5, heads=None, random_state=0).fit(X, curved(X, 0))
    assert model.model_.mixture.n_models == 5
    assert max(errors(model, rows("numbers", 60)).values()) < 1e-9


def test_a_single_head_of_several_models():
    X = numbers(200, 0)
    model = FPBoost(n_folds=2, heads=None, loglogistic_heads=0, init="marginal", learning_rate=0.5, random_state=0).fit(
        X, competing(X, 0)
    )
    assert (model.model_.mixture.n_models, model.model_.mixture.n_heads) == (2, 4)
    assert max(errors(model, rows("numbers", 60)).values()) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
def test_other_kinds(kind):
    model, make, outcome = KINDS[kind]
    X = make(120, 3)
    model.fit(X, outcome(X, 3))
    new = make(60, 4)
    new.loc[:20, "age"] *= 4.0
    assert max(errors(model, new).values()) < 1e-9


def test_a_sparse_matrix_with_zeros_that_count_as_missing():
    rng = np.random.default_rng(0)
    X = scipy.sparse.random_array((300, 6), density=0.3, rng=rng, format="csr")
    y = single(numbers(300, 0), 0)
    model = FPBoost(**QUICK).fit(X, y)
    assert max(errors(model, X[:50]).values()) < 1e-9


def test_more_sets_of_categories_than_two_bytes_can_count(monkeypatch):
    """Each tree asks for another set of categories, and counts those that have the category of the row."""
    sets = [[code for code in range(17) if number >> code & 1] for number in range(1, 2**16 + 100)]
    lower, upper = np.array([1, NO_CHILD, NO_CHILD]), np.array([2, NO_CHILD, NO_CHILD])
    feature, values, left = np.zeros(3, dtype=int), np.array([0.0, 0.0, 1.0]), np.ones(3, dtype=bool)
    trees = [Tree(0, lower, upper, feature, values, left, {0: np.array(one)}) for one in sets]
    monkeypatch.setattr("hazboost.calculator.forest.read_trees", lambda *_: trees)
    forest = encode_forest(SimpleNamespace(engine=None, boosters=[None]))
    program = """
    const forest = readForest(JSON.parse(require("fs").readFileSync(0, "utf8")));
    console.log(JSON.stringify([0, 1, 5, 16].map((code) => forest.sums([code], 0, 1)[0])));"""
    found = run_node(f'"use strict";{model_script()}{program}', forest)
    assert found == [sum(code in one for one in sets) for code in (0, 1, 5, 16)]


@pytest.mark.parametrize(
    ("values", "kind"), [([2**16], "Uint16"), ([0, -1], "Uint8"), ([1.5], "Uint8"), ([0.1], "Float32")]
)
def test_numbers_that_a_type_does_not_hold_are_refused(values, kind):
    with pytest.raises(ValueError, match=kind):
        pack(values, kind)


def test_a_calculator_knows_all_families():
    assert set(HEADS) == FAMILIES


def test_heads_of_all_families_with_all_activations(make_mixture):
    """Scores from small to extreme, of two causes; each is the start of a model whose trees do not count."""
    rng, times = np.random.default_rng(5), np.array([1e-6, 0.05, 1.0, 30.0])
    empty, models, laws = fit("numbers", 60, **FEW).model_, [], []
    for parameter, weight in zip(cycle(PARAMETER_ACTIVATIONS), [*WEIGHT_ACTIVATIONS, "uniform"], strict=False):
        mixture = make_mixture(dict.fromkeys(HEADS, 1), parameter, weight, n_causes=2)
        scores = rng.normal(size=(2, mixture.n_scores)) * np.array([[0.7], [4.0]])
        laws.append(Distribution(mixture, scores))
        for one in scores:
            starts, shrinkage = (ConstantStart(one),), np.zeros(mixture.n_scores)
            models.append(replace(empty, starts=starts, mixture=mixture, shrinkage=shrinkage, unit=1.0))
    program = """
    const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
    console.log(JSON.stringify(given.models.map((one) => predictAll(readModel(one), [0], given.times, 2))));"""
    given = {
        "models": [encode_model(one, len(empty.engine.features.highest)) for one in models],
        "times": times.tolist(),
    }
    found = as_arrays(run_node(f'"use strict";{model_script()}{PREDICT_ALL}{program}', given))
    survival, incidence, mean, median = (
        np.concatenate([function(law) for law in laws])
        for function in (
            lambda law: law.survival(times),
            lambda law: np.stack([law.cumulative_incidence(times, cause) for cause in (1, 2)], axis=1),
            lambda law: law.restricted_mean(2.0),
            lambda law: law.quantile(np.array([0.5]))[:, 0],
        )
    )
    assert np.allclose(found[0], survival, atol=1e-9, rtol=0.0)
    assert np.allclose(found[1], incidence, atol=1e-7, rtol=0.0)
    assert np.allclose(found[2], mean, rtol=1e-7, atol=0.0)
    assert np.allclose(found[3], median, rtol=1e-7, atol=0.0)


@pytest.mark.parametrize("name", HEADS)
def test_heads_at_late_times(name):
    """Up to the latest time that there is; parameters are ordinary."""
    parameters = np.array([0.4, 1.1, 0.3])[: len(HEADS[name].parameters)]
    log_t = np.array([-40.0, -1.0, 0.0, 1.0, 4.0, 30.0, 40.0, 120.0, 690.0])
    program = """
    const given = JSON.parse(require("fs").readFileSync(0, "utf8")), head = HEADS[given.name](given.parameters);
    console.log(JSON.stringify([given.times.map(head.cumulative), given.times.map(head.logHazard)]));"""
    given = {"name": name, "parameters": parameters.tolist(), "times": log_t.tolist()}
    cumulative, log_hazard = run_node(f'"use strict";{model_script()}{program}', given)
    at = HEADS[name].evaluate(log_t, *parameters)
    assert np.allclose(cumulative, at.cumulative, rtol=1e-10, atol=0.0)
    assert np.allclose(log_hazard, at.log_hazard, rtol=1e-10, atol=1e-10)


def test_zeros_of_clipped_hazards_are_searched_between_the_same_times():
    program = 'require("fs").readFileSync(0); console.log(JSON.stringify(LOG_GRID))'
    assert np.allclose(run_node(model_script() + program, None), clipping.LOG_GRID, rtol=1e-12, atol=1e-12)


def test_the_normal_distribution_to_the_last_digits():
    x = np.concatenate([np.linspace(-30.0, 8.0, 400), [-1e3, -1.0, 0.0, 1e-8]])
    program = 'console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(logNormal)))'
    assert np.allclose(run_node(model_script() + program, x.tolist()), log_ndtr(x), rtol=1e-13, atol=1e-18)


@pytest.mark.filterwarnings("ignore:X. column .* are not in the training data")
def test_categories_that_are_unknown_are_missing():
    model = fit("categories", 120, **FEW)
    X = rows("categories", 20)
    X["hospital"] = pd.Categorical(np.where(np.arange(20) % 3, "H1", "elsewhere"))
    assert max(errors(model, X).values()) < 1e-9
