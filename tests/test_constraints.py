"""Monotone and interaction constraints hold for the whole model: start, trees, averages and every cause."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from hazboost import FPBoost
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads import HEADS
from hazboost.training.starts import STARTS

# Constraints against the data, and few rounds, leave poor curves.
pytestmark = pytest.mark.filterwarnings("ignore:the fitted curves are poor")

#: Activations with which constraints are allowed; weights may not be negative, and scales may not reach zero.
ALLOWED = [
    {"heads_activation": weight, "parameter_activation": parameter}
    for weight, parameter in product(WEIGHT_ACTIVATIONS, PARAMETER_ACTIVATIONS)
    if not WEIGHT_ACTIVATIONS[weight].signed and (parameter != "relu" or WEIGHT_ACTIVATIONS[weight].has_level)
]
FAMILIES = [{"heads": {name: 1}} for name in HEADS if name not in ("weibull", "loglogistic")]


def small(**parameters):
    cheap = {"n_estimators": 12, "learning_rate": 0.3, "max_depth": 3, "colsample_bytree": 1.0}
    return FPBoost(**{**cheap, "init": "marginal", "random_state": 0, **parameters})


def simulate(seed=0, n=80, n_features=3, n_causes=1):
    """Strong effects with random signs and interactions, so that constraints of random signs are violated freely."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    X[:, -1] = np.exp(2.0 * X[:, -1])  # a skewed feature gets a power transform in the linear start
    effect = X @ rng.normal(size=n_features) + 2.0 * X[:, 0] * X[:, 1] + np.abs(X[:, 0])
    shape = np.exp(0.5 * rng.normal() * (X[:, 1] > 0.0))
    time = rng.weibull(1.0, n) ** (1.0 / shape) * np.exp(-np.clip(effect, -4.0, 4.0) / shape)
    return X, (rng.integers(0 if n_causes == 1 else 1, n_causes + 1, n) * (rng.random(n) < 0.8), time)


def sweep(X, feature, values=25, subjects=6):
    """Subjects, each with one feature moved from below to above its range: an array of shape (subjects, values, p)."""
    path = np.quantile(X[:, feature], np.linspace(0.0, 1.0, values))
    path[[0, -1]] += [-1.0, 1.0]
    grid = np.repeat(X[:subjects, None], values, axis=1)
    grid[:, :, feature] = path
    return grid


def check_monotone(model, X, time, directions):
    """Along every constrained feature: hazards of every cause, survival, quantiles, means and the risk score."""
    times = np.quantile(time, [0.02, 0.2, 0.5, 0.8, 1.0]) * 1.5
    for feature, direction in enumerate(directions):
        if direction == 0:
            continue
        grid = sweep(X, feature)
        flat = grid.reshape(-1, X.shape[1])
        shape = grid.shape[:2]
        rising = {
            f"hazard of cause {cause}": model.predict_hazard_function(flat, times=times, cause=int(cause))
            for cause in model.causes_
        }
        rising["survival"] = -model.predict_survival_function(flat, times=times)
        rising["median"] = -model.predict_median(flat)[:, None]
        rising["restricted mean"] = -model.predict_rmst(flat)[:, None]
        rising["risk"] = model.predict(flat)[:, None]
        for what, curves in rising.items():
            values = curves.reshape(*shape, -1) * direction
            with np.errstate(invalid="ignore"):  # a median of infinity after another one
                steps = np.diff(values, axis=1)
            size = 1e-6 * np.maximum(np.abs(values[:, 1:]), 1e-9)
            assert not (steps < -size).any(), f"{what} moves against direction {direction} of feature {feature}"


@pytest.mark.filterwarnings("ignore:training made the loss worse")  # strong effects, long steps
@settings(max_examples=25)
@given(
    st.integers(0, 1000),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3).filter(any),
    st.sampled_from(ALLOWED),
    st.sampled_from([{}, {"weibull_heads": 2}, {"uniform_heads": True}, *FAMILIES]),
    st.sampled_from(["linear", *STARTS]),
    st.sampled_from([1, 2]),
    st.sampled_from([{}, {"solver": "gradient", "reg_lambda": 0.0}, {"tree_method": "exact"}]),
)
def test_the_risk_moves_only_in_the_given_direction(seed, directions, activations, heads, init, n_causes, growing):
    if heads.get("uniform_heads") and activations["parameter_activation"] == "relu":
        activations = {**activations, "parameter_activation": "exp"}
    if any(HEADS[name].cumulative_limit < np.inf for name in heads.get("heads", ())):
        activations = {**activations, "heads_activation": "scaled_softmax"}
    X, y = simulate(seed, n_causes=n_causes)
    model = small(monotone_constraints=directions, init=init, n_folds=2, **activations, **heads, **growing).fit(X, y)
    check_monotone(model, X, y[1], directions)


@pytest.mark.parametrize("container", [np.array, csr_matrix])
@pytest.mark.parametrize("directions", [(1, 0, 0), (-1, 0, 1), (1, 1, -1)])
def test_the_automatic_fit_keeps_the_constraints(container, directions):
    """With the linear start, chosen rounds, shrinkage and the average of the folds."""
    X, y = simulate(3, n=300)
    model = FPBoost(monotone_constraints=directions, n_folds=3, learning_rate=0.3, random_state=0).fit(container(X), y)
    check_monotone(model, X, y[1], directions)


def falling_with_the_first_feature():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(300, 2))
    return X, (np.ones(300, dtype=bool), rng.weibull(1.5, 300) * np.exp(3.0 * X[:, 0]))


def test_a_constraint_against_the_data_leaves_no_effect():
    """The risk falls with the first feature and may only rise."""
    X, y = falling_with_the_first_feature()
    grid = sweep(X, 0).reshape(-1, 2)
    free = FPBoost(random_state=0, n_folds=3).fit(X, y).predict_survival_function(grid, times=[1.0])
    assert np.ptp(free) > 0.3
    model = FPBoost(random_state=0, n_folds=3, monotone_constraints=[1, 0]).fit(X, y)
    held = model.predict_survival_function(grid, times=[1.0]).reshape(6, -1)
    assert np.ptp(held, axis=1).max() < 0.03


def test_a_constraint_with_the_data_costs_little():
    X, y = falling_with_the_first_feature()
    free, held = (FPBoost(random_state=0, n_folds=3, monotone_constraints=one).fit(X, y) for one in (None, [-1, 0]))
    assert held.score(X, y) > free.score(X, y) - 0.01


def test_other_features_still_change_the_course_of_the_hazard():
    """Constrained features act on the level only; the others may make hazards cross."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=800), rng.integers(2, size=800)])
    time = rng.weibull(np.where(X[:, 1] == 1.0, 0.7, 3.0)) * np.exp(-0.5 * X[:, 0])
    model = small(n_estimators=60, monotone_constraints=[1, 0]).fit(X, (np.ones(800, dtype=bool), time))
    early, late = np.diff(model.predict_hazard_function([[0.0, 0.0], [0.0, 1.0]], times=[0.1, 1.5]), axis=0)[0]
    assert early > 0.0 > late
    check_monotone(model, X, time, [1, 0])


def test_constraints_by_name():
    X, y = falling_with_the_first_feature()
    frame = pd.DataFrame(X, columns=["dose", "age"])
    by_name, by_position = (small(monotone_constraints=one).fit(frame, y) for one in ({"dose": -1}, {0: -1}))
    np.testing.assert_array_equal(by_name.predict(frame), by_position.predict(frame))
    order = frame.assign(age=0.5).sort_values("dose")
    assert (np.diff(by_name.predict(order)) <= 0.0).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"heads_activation": "tanh"}, "'tanh' allows negative weights.*use heads_activation='scaled_softmax'"),
        ({"heads_activation": "identity"}, "allows negative weights"),
        ({"heads_activation": "relu", "parameter_activation": "relu"}, "can switch off all heads.*'exp'"),
        ({"uniform_heads": True, "parameter_activation": "relu"}, "can switch off all heads"),
        ({"heads": {"bounded": 1}, "heads_activation": "exp"}, "comes and goes sooner.*'scaled_softmax'"),
    ],
    ids=str,
)
def test_models_without_a_direction_of_risk_are_refused(parameters, message):
    X, y = simulate()
    with pytest.raises(ValueError, match=f"monotone_constraints: .*{message}"):
        small(monotone_constraints=[1, 0, 0], **parameters).fit(X, y)


def test_categories_have_no_direction():
    X, y = simulate()
    frame = pd.DataFrame(X, columns=list("abc")).assign(c=pd.Categorical(np.where(X[:, 2] > 1.0, "high", "low")))
    with pytest.raises(ValueError, match=r"monotone_constraints: feature 'c' has categories.*convert"):
        small(monotone_constraints={"c": 1}).fit(frame, y)
    assert np.isfinite(small(monotone_constraints={"a": 1}).fit(frame, y).predict(frame)).all()


def interactions(model, X, features, subjects=8):
    """Second differences of all raw scores when two features move from their low to their high values."""
    one, other = features
    low, high = np.quantile(X, [0.1, 0.9], axis=0)
    scores = []
    for a, b in product((low[one], high[one]), (low[other], high[other])):
        moved = X[:subjects].copy()
        moved[:, one], moved[:, other] = a, b
        scores.append(model.model_.distribution(moved).scores)
    return scores[0] - scores[1] - scores[2] + scores[3]


#: Raw scores in which the linear start is a sum over features.
ADDITIVE = [
    {"heads_activation": weight, "parameter_activation": parameter}
    for weight, parameter in product(WEIGHT_ACTIVATIONS, PARAMETER_ACTIVATIONS)
    if parameter == "exp" or WEIGHT_ACTIVATIONS[weight].has_level
]


@settings(max_examples=20)
@given(
    st.integers(0, 1000),
    st.sampled_from([[[0, 1], [2]], [[0], [1, 2]], [[0, 2]]]),
    st.sampled_from(ADDITIVE),
    st.sampled_from(["linear", "marginal"]),
    st.sampled_from([None, [1, 0, 0], [0, 0, -1]]),
    st.sampled_from([1, 2]),
)
def test_features_of_different_groups_do_not_interact(seed, groups, activations, init, monotone, n_causes):
    if WEIGHT_ACTIVATIONS[activations["heads_activation"]].signed:
        monotone = None
    X, y = simulate(seed, n_causes=n_causes)
    constraints = {"interaction_constraints": groups, "monotone_constraints": monotone}
    model = small(init=init, n_folds=2, **constraints, **activations).fit(X, y)
    allowed = {frozenset(pair) for group in groups for pair in product(group, group)}
    for pair in [(0, 1), (0, 2), (1, 2)]:
        if frozenset(pair) not in allowed:
            np.testing.assert_allclose(interactions(model, X, pair), 0.0, atol=2e-5)


def test_features_of_one_group_interact():
    X, y = simulate(1, n=300)
    model = small(interaction_constraints=[[0, 1], [2]], n_estimators=40).fit(X, y)
    assert np.abs(interactions(model, X, (0, 1))).max() > 0.05


@pytest.mark.parametrize("parameter", ["softplus", "relu"])
def test_a_linear_start_that_would_let_features_interact_is_refused(parameter):
    X, y = simulate()
    model = small(interaction_constraints=[[0], [1, 2]], heads_activation="softmax", parameter_activation=parameter)
    with pytest.raises(ValueError, match=r"interaction_constraints: .* the linear start lets all features interact"):
        model.set_params(init="linear").fit(X, y)
    assert np.isfinite(model.set_params(init="marginal").fit(X, y).predict(X)).all()
