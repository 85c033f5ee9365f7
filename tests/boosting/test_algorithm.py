"""Algorithm 1, held against an explicit loop over scikit-learn regression trees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from hazboost.boosting.algorithm import boost
from hazboost.boosting.callbacks import History
from hazboost.boosting.columns import target_columns
from hazboost.boosting.objective import Objective
from hazboost.boosting.penalty import elastic_net
from hazboost.boosting.steps import STEPS
from hazboost.data.target import Target
from hazboost.engines import LocalEngine
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS, UniformWeight
from hazboost.hazards.heads import HEADS
from hazboost.hazards.mixture import Mixture
from hazboost.training.starts import random_start
from tests.rows import loss_of_rows

N, ROUNDS, DEPTH = 160, 12, 2
SETTINGS = {"tree_method": "exact", "max_depth": DEPTH, "reg_lambda": 0.0, "min_child_weight": 0.0, "nthread": 1}


def grow(mixture, start, X, target, *, step, rounds, alpha=0.0, l1_ratio=0.5, caution=16.0, **settings):
    """Boost from a constant start; the engine, its matrix, the trees and the history of the losses."""
    engine = LocalEngine({**SETTINGS, **settings}, mixture.n_scores)
    matrix = engine.matrix(X, np.tile(start, (len(target), 1)), target_columns(target))
    history = History(engine)
    objective = Objective(mixture, alpha, l1_ratio, STEPS[step], caution)
    trees = boost(engine, objective, matrix, rounds, [history])
    return engine, matrix, trees, history.values["train_loss"]


def simulate(seed: int, n: int = N) -> tuple[np.ndarray, Target]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(np.float64)
    time = np.clip(rng.weibull(1.3, n) * np.exp(-0.5 * X[:, 0]), 0.01, 3.0) / 3.0
    event = rng.random(n) < 0.7
    return X, Target.of(time, np.where(event, time, np.inf), np.ones(n))


def explicit_loop(
    mixture: Mixture, start: np.ndarray, X: np.ndarray, target: Target, *, rate: float, alpha: float, by_maximum: bool
) -> np.ndarray:
    """Algorithm 1 as the paper writes it; returns the scores before each round and after the last."""
    scores = np.tile(start, (len(target), 1))
    path = [scores]
    for _ in range(ROUNDS):
        residual = -(loss_of_rows(mixture, scores, target).gradient + elastic_net(scores.T, alpha, 0.5).gradient.T)
        if by_maximum:
            residual /= np.abs(residual).max()
        trees = [
            DecisionTreeRegressor(max_depth=DEPTH, random_state=0).fit(X, column, sample_weight=target.weight)
            for column in residual.T
        ]
        scores = scores + rate * np.column_stack([tree.predict(X) for tree in trees])
        path.append(scores)
    return np.array(path)


@pytest.mark.parametrize("by_maximum", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize(
    ("parameter", "weight", "alpha"),
    [("relu", "relu", 0.0), ("softplus", "softmax", 0.3), ("exp", "sigmoid", 0.0), ("exp", "identity", 0.0)],
)
def test_boosting_is_the_explicit_loop_over_regression_trees(parameter, weight, alpha, weighted, by_maximum):
    X, target = simulate(1)
    if weighted:
        target = Target.of(target.lower, target.upper, np.random.default_rng(2).integers(1, 4, N).astype(float))
    mixture = Mixture(
        {"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS[parameter], WEIGHT_ACTIVATIONS[weight], background=0.01
    )
    start = random_start(mixture, target, np.random.default_rng(3))
    rate = 0.5 if by_maximum else 0.05
    path = explicit_loop(mixture, start, X, target, rate=rate, alpha=alpha, by_maximum=by_maximum)

    step = "max" if by_maximum else "subject"
    engine, matrix, trees, losses = grow(
        mixture, start, X, target, step=step, rounds=ROUNDS, alpha=alpha, learning_rate=rate
    )

    assert engine.rounds(trees) == ROUNDS
    assert len(trees.get_dump()) == ROUNDS * mixture.n_scores
    np.testing.assert_allclose(engine.scores(trees, matrix), path[-1], atol=2e-4)
    for made in (1, ROUNDS // 2):
        np.testing.assert_allclose(engine.scores(trees, matrix, (0, made)), path[made], atol=2e-4)
    penalised = [
        np.average(
            loss_of_rows(mixture, scores, target).value + elastic_net(scores.T, alpha, 0.5).value, weights=target.weight
        )
        for scores in path
    ]
    np.testing.assert_allclose(losses, penalised, atol=2e-4)


def test_every_callback_sees_every_round_and_any_of_them_stops():
    X, target = simulate(1)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"])
    engine = LocalEngine({**SETTINGS, "learning_rate": 0.1}, mixture.n_scores)
    matrix = engine.matrix(X, np.zeros((N, mixture.n_scores)), target_columns(target))
    seen = []

    def watch(state):
        seen.append((state.number, engine.rounds(state.trees), state.loss))
        return False

    trees = boost(engine, Objective(mixture, 0.0, 0.5, STEPS["newton"]), matrix, 9, [lambda s: s.number == 3, watch])
    assert engine.rounds(trees) == 3
    assert [(number, made) for number, made, _ in seen] == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert seen[0][2] > seen[3][2]


class OneOfTwoPlaces(LocalEngine):
    """Holds half of the rows; those in the other place have the same losses and twice the gradients."""

    def total(self, values):
        return 2.0 * values

    def largest(self, value):
        return 2.0 * value


@pytest.mark.parametrize(("step", "factor"), [("max", 0.5), ("subject", 1.0), ("newton", 1.0)])
def test_the_largest_gradient_and_the_mean_loss_are_those_of_all_places(step, factor):
    X, target = simulate(1)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"])
    objective, steps, losses = Objective(mixture, 0.0, 0.5, STEPS[step]), [], []
    for kind in (LocalEngine, OneOfTwoPlaces):
        engine = kind({**SETTINGS, "learning_rate": 0.1}, mixture.n_scores)
        matrix, seen = engine.matrix(X, np.zeros((N, mixture.n_scores)), target_columns(target)), []
        trees = boost(engine, objective, matrix, 1, [lambda state, seen=seen: seen.append(state.loss)])
        steps.append(engine.scores(trees, matrix))
        losses.append(seen[0])
    assert np.abs(steps[0]).max() > 1e-3
    np.testing.assert_allclose(steps[1], factor * steps[0], atol=1e-5)
    assert losses[0] == pytest.approx(losses[1], rel=1e-14)


def test_without_any_gradient_the_scores_stay():
    """All heads are dead; the largest gradient, by which the others are divided, is zero."""
    X, target = simulate(1)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["relu"], WEIGHT_ACTIVATIONS["relu"], background=0.5)
    engine, matrix, trees, losses = grow(mixture, np.full(3, -1.0), X, target, step="max", rounds=2)
    np.testing.assert_array_equal(engine.scores(trees, matrix), -1.0)
    assert np.isfinite(losses).all()


def test_no_round_leaves_the_start():
    X, target = simulate(1)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"])
    start = np.array([0.1, 0.2, 0.3])
    engine, matrix, trees, losses = grow(mixture, start, X, target, step="newton", rounds=0)
    np.testing.assert_allclose(engine.scores(trees, matrix), np.tile(start, (N, 1)), rtol=1e-6)
    assert len(losses) == 1


@pytest.mark.parametrize("weight", list(WEIGHT_ACTIVATIONS))
@pytest.mark.parametrize("parameter", list(PARAMETER_ACTIVATIONS))
def test_training_loss_never_rises_at_a_small_learning_rate(parameter, weight):
    X, target = simulate(9)
    mixture = Mixture(
        {"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS[parameter], WEIGHT_ACTIVATIONS[weight], background=0.01
    )
    start = random_start(mixture, target, np.random.default_rng(1))
    *_, losses = grow(mixture, start, X, target, step="subject", rounds=60, learning_rate=0.01)
    assert (np.diff(losses) <= 1e-7).all()
    assert losses[-1] < losses[0] - 0.05


def largest_leaf(trees):
    return trees.trees_to_dataframe().query("Feature == 'Leaf'")["Gain"].abs().max()


@pytest.mark.parametrize("weight", list(WEIGHT_ACTIVATIONS))
@pytest.mark.parametrize("parameter", list(PARAMETER_ACTIVATIONS))
@pytest.mark.parametrize("family", list(HEADS))
def test_newton_steps_are_bounded_and_lower_the_loss(family, parameter, weight):
    X, target = simulate(10)
    mixture = Mixture({family: 2}, PARAMETER_ACTIVATIONS[parameter], WEIGHT_ACTIVATIONS[weight], background=0.01)
    start = random_start(mixture, target, np.random.default_rng(1))
    settings = {"reg_lambda": 1.0, "learning_rate": 0.1}
    _, _, trees, losses = grow(mixture, start, X, target, step="newton", rounds=25, caution=1.0, **settings)
    assert largest_leaf(trees) <= settings["learning_rate"]
    assert losses[-1] < losses[0] - 0.02
    assert (np.diff(losses) < 1e-3).all()


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [30.0, 1e4])
def test_newton_steps_are_bounded_under_any_penalty(alpha, l1_ratio):
    X, target = simulate(10)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    start = random_start(mixture, target, np.random.default_rng(1))
    penalty = {"alpha": alpha, "l1_ratio": l1_ratio}
    _, _, trees, losses = grow(mixture, start, X, target, step="newton", rounds=20, learning_rate=0.1, **penalty)
    assert largest_leaf(trees) <= 0.1 * (1.0 + 1e-6)
    assert np.isfinite(losses).all()


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("step", ["subject", "newton"])
def test_a_single_score_is_boosted_too(late, step):
    """XGBoost has no label of two columns for one output: an idle one stands beside it."""
    X, target = simulate(11)
    target = Target.of(target.lower, target.upper, entry=0.5 * target.lower * late)
    mixture = Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], UniformWeight(1), background=0.01)
    assert mixture.n_scores == 1
    engine, matrix, trees, losses = grow(mixture, np.zeros(1), X, target, step=step, rounds=5, learning_rate=0.1)
    assert losses[-1] < losses[0]
    assert engine.scores(trees, matrix).shape == (N, 1)
    np.testing.assert_array_equal(trees.predict(matrix, output_margin=True)[:, 1], 0.0)
