"""Algorithm 1, held against an explicit loop over scikit-learn regression trees."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from hazboost.boosting.algorithm import CAUTION, STEPS, Objective, boost, read_target, target_fields
from hazboost.boosting.likelihood import elastic_net, loss_and_gradient, row_loss
from hazboost.data.target import Target
from hazboost.engines.local import average_course, average_scores, build_matrix, predict_scores
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS, UniformWeight
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from hazboost.hazards.mixture import Mixture
from hazboost.metrics.concordance import harrell
from hazboost.training.starts import random_start

N, ROUNDS, DEPTH = 160, 12, 2
SETTINGS = {"tree_method": "exact", "max_depth": DEPTH, "reg_lambda": 0.0, "min_child_weight": 0.0, "nthread": 1}


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
        residual = -(loss_and_gradient(mixture, scores, target)[1] + elastic_net(scores, alpha, 0.5).gradient)
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

    matrix = build_matrix(X, names=None, types=None, fields=target_fields(target), settings=SETTINGS)
    objective = Objective(mixture, alpha, 0.5, STEPS["max" if by_maximum else "subject"])
    booster, history = boost(objective, start, matrix, ROUNDS, {**SETTINGS, "learning_rate": rate})

    assert booster.num_boosted_rounds() == ROUNDS
    assert len(booster.get_dump()) == ROUNDS * mixture.n_scores
    np.testing.assert_allclose(predict_scores(booster, matrix), path[-1], atol=2e-4)
    for round_ in (1, ROUNDS // 2):
        np.testing.assert_allclose(predict_scores(booster[:round_], matrix), path[round_], atol=2e-4)
    penalised = [
        np.average(
            loss_and_gradient(mixture, scores, target)[0] + elastic_net(scores, alpha, 0.5)[0], weights=target.weight
        )
        for scores in path
    ]
    np.testing.assert_allclose(history["train_loss"], penalised, atol=2e-4)


def test_scaling_makes_the_largest_pseudo_residual_one():
    X, target = simulate(4)
    mixture = Mixture({"weibull": 2}, PARAMETER_ACTIVATIONS["relu"], WEIGHT_ACTIVATIONS["relu"])
    matrix = build_matrix(X, names=None, types=None, fields=target_fields(target))
    scores = np.tile(random_start(mixture, target, np.random.default_rng(0)), (N, 1)).astype(np.float32)
    scaled, hessian = Objective(mixture, 0.0, 0.5, STEPS["max"])(scores, matrix)
    plain, _ = Objective(mixture, 0.0, 0.5, STEPS["subject"])(scores, matrix)
    assert np.abs(scaled).max() == pytest.approx(1.0)
    np.testing.assert_allclose(scaled * np.abs(plain).max(), plain)
    np.testing.assert_array_equal(hessian, 1.0)


def test_threads_and_blocks_do_not_change_the_gradient(monkeypatch):
    _, target = simulate(5)
    mixture = Mixture({"weibull": 1, "lognormal": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["softmax"])
    scores = np.random.default_rng(0).normal(size=(N, mixture.n_scores))
    whole = Objective(mixture, 0.1, 0.5, STEPS["subject"]).evaluate(scores, target)
    monkeypatch.setattr("hazboost.boosting.algorithm.BLOCK", 7)
    parts = Objective(mixture, 0.1, 0.5, STEPS["subject"], n_threads=3).evaluate(scores, target)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_target_survives_the_way_through_the_matrix():
    X, target = simulate(6)
    weighted = Target.of(target.lower, target.upper, np.linspace(0.5, 2.0, N))
    for sent in (target, weighted):
        got = read_target(build_matrix(X, names=None, types=None, fields=target_fields(sent)))
        np.testing.assert_allclose(got.lower, sent.lower, rtol=1e-6)
        np.testing.assert_array_equal(got.event, sent.event)
        np.testing.assert_allclose(got.weight, sent.weight, rtol=1e-6)


@pytest.mark.parametrize("metric", ["loss", "concordance"])
def test_early_stopping_keeps_the_best_round(metric):
    X, target = simulate(7)
    X_new, target_new = simulate(8)
    mixture = Mixture({"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["softmax"])
    settings = {**SETTINGS, "learning_rate": 0.4, "max_depth": 4}
    start = random_start(mixture, target, np.random.default_rng(0))
    train, validation = (
        build_matrix(data, names=None, types=None, fields=target_fields(seen))
        for data, seen in ((X, target), (X_new, target_new))
    )
    objective = Objective(mixture, 0.0, 0.5, STEPS["subject"])
    booster, history = boost(
        objective, start, train, 60, settings, validation=validation, stopping_metric=metric, horizon=0.3, patience=3
    )
    watched = np.array(history[f"validation_{metric}"][1:]) * (1 if metric == "concordance" else -1)
    best = int(np.argmax(watched)) + 1
    assert booster.best_iteration + 1 == best
    assert booster.num_boosted_rounds() == len(watched) == best + 3 < 60
    scores = predict_scores(booster[:best], validation)
    kept = (
        objective.mean_loss(scores, target_new)
        if metric == "loss"
        else harrell(target_new, -Distribution(mixture, scores).restricted_mean(0.3))
    )
    assert kept == pytest.approx(history[f"validation_{metric}"][best], abs=1e-5)


@pytest.mark.parametrize("weight", list(WEIGHT_ACTIVATIONS))
@pytest.mark.parametrize("parameter", list(PARAMETER_ACTIVATIONS))
def test_training_loss_never_rises_at_a_small_learning_rate(parameter, weight):
    X, target = simulate(9)
    mixture = Mixture(
        {"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS[parameter], WEIGHT_ACTIVATIONS[weight], background=0.01
    )
    matrix = build_matrix(X, names=None, types=None, fields=target_fields(target), settings=SETTINGS)
    start = random_start(mixture, target, np.random.default_rng(1))
    objective = Objective(mixture, 0.0, 0.5, STEPS["subject"])
    _, history = boost(objective, start, matrix, 60, {**SETTINGS, "learning_rate": 0.01})
    steps = np.diff(history["train_loss"])
    assert (steps <= 1e-7).all()
    assert history["train_loss"][-1] < history["train_loss"][0] - 0.05


@pytest.mark.parametrize("weight", list(WEIGHT_ACTIVATIONS))
@pytest.mark.parametrize("parameter", list(PARAMETER_ACTIVATIONS))
@pytest.mark.parametrize("family", list(HEADS))
def test_newton_steps_are_bounded_and_lower_the_loss(family, parameter, weight):
    X, target = simulate(10)
    mixture = Mixture({family: 2}, PARAMETER_ACTIVATIONS[parameter], WEIGHT_ACTIVATIONS[weight], background=0.01)
    settings = {**SETTINGS, "reg_lambda": 1.0, "learning_rate": 0.1}
    matrix = build_matrix(X, names=None, types=None, fields=target_fields(target), settings=settings)
    start = random_start(mixture, target, np.random.default_rng(1))
    booster, history = boost(Objective(mixture, 0.0, 0.5, STEPS["newton"]), start, matrix, 25, settings)
    leaves = booster.trees_to_dataframe().query("Feature == 'Leaf'")["Gain"]
    assert leaves.abs().max() <= settings["learning_rate"]
    assert history["train_loss"][-1] < history["train_loss"][0] - 0.02
    assert (np.diff(history["train_loss"]) < 1e-3).all()


@pytest.mark.parametrize("weight", ["scaled_softmax", "softmax"])
def test_newton_is_cautious_with_all_but_what_scales_the_hazard(weight):
    _, target = simulate(12)
    mixture = Mixture({"weibull": 2}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS[weight], 0.01, 2)
    scores = np.random.default_rng(0).normal(size=(N, mixture.n_scores))
    loss = row_loss(mixture, scores, target)
    gradient, hessian = STEPS["newton"](mixture, loss, np.ones(N))
    np.testing.assert_array_equal(gradient, loss.gradient)
    scaling = mixture.scales.any(axis=0)
    assert scaling.sum() == (2 if weight == "scaled_softmax" else 4)
    np.testing.assert_array_equal(hessian[:, scaling], loss.curvature[:, scaling])
    np.testing.assert_array_equal(hessian[:, ~scaling], CAUTION * loss.curvature[:, ~scaling])


def test_scores_of_several_boosters_are_averaged():
    X, target = simulate(13)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    start = random_start(mixture, target, np.random.default_rng(0))
    matrix = build_matrix(X, names=None, types=None, fields=target_fields(target), settings=SETTINGS)
    boosters = [
        boost(
            Objective(mixture, 0.0, 0.5, STEPS["newton"]), start, matrix, rounds, {**SETTINGS, "learning_rate": rate}
        )[0]
        for rounds, rate in ((3, 0.1), (5, 0.3), (4, 0.2))
    ]
    one, two, three = (predict_scores(booster, matrix) for booster in boosters)
    np.testing.assert_allclose(average_scores(boosters, matrix), (one + two + three) / 3.0, rtol=1e-12)
    np.testing.assert_array_equal(average_scores(boosters[:1], matrix), one)


def test_course_of_several_boosters_ends_at_their_average():
    X, target = simulate(13)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    start = random_start(mixture, target, np.random.default_rng(0))
    margin = np.tile(start, (len(target), 1)) + 0.1 * X[:, :1]
    fields = {**target_fields(target), "base_margin": margin}
    matrix = build_matrix(X, names=None, types=None, fields=fields, settings=SETTINGS)
    boosters = [
        boost(Objective(mixture, 0.0, 0.5, STEPS["newton"]), start, matrix, rounds, SETTINGS)[0] for rounds in (3, 5, 4)
    ]
    course = list(average_course(boosters, matrix, margin))
    assert len(course) == 1 + 5
    np.testing.assert_allclose(course[0], margin, rtol=1e-6)
    # a booster that stopped before stays where it is
    early = [predict_scores(booster[: min(4, booster.num_boosted_rounds())], matrix) for booster in boosters]
    np.testing.assert_allclose(course[4], np.mean(early, axis=0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(course[5], average_scores(boosters, matrix), rtol=1e-5, atol=1e-6)


def every_kind(n_causes=3):
    rng = np.random.default_rng(10)
    entry = np.r_[0.0, 0.2, 0.0, 0.1, 0.5 - 1e-12, 0.3, 0.0, 0.4]
    lower = np.r_[0.4, 0.5, 0.0, 0.3, 0.5, 0.7, 1e-5, 0.8]
    upper = np.r_[0.4, np.inf, 0.6, 0.3 + 1e-10, 0.5, np.inf, 1e-5, 0.8]
    cause = np.r_[1, 0, 0, 0, n_causes, 0, 2, 1]
    weight = rng.uniform(0.5, 2.0, 8)
    return Target.of(lower, upper, weight, entry=entry, cause=cause, subject=np.r_[0, 1, 2, 3, 4, 1, 6, 1])


@pytest.mark.parametrize("n_scores", [1, 2, 3, 12])
def test_every_kind_of_row_survives_the_way_through_the_matrix(n_scores):
    """In single precision an interval stays an interval, an event an event, and no row ends before it begins."""
    sent = every_kind()
    fields = target_fields(sent, n_scores, np.zeros((8, n_scores)))
    got = read_target(build_matrix(np.arange(8.0)[:, None], names=None, types=None, fields=fields))
    for name in ("lower", "upper", "entry", "weight", "portion"):
        np.testing.assert_allclose(getattr(got, name), getattr(sent, name), rtol=1e-6, err_msg=name)
    for name in ("event", "interval", "cause"):
        np.testing.assert_array_equal(getattr(got, name), getattr(sent, name), err_msg=name)
    assert (got.entry <= got.lower).all()
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"], 0.1, 3)
    objective = Objective(mixture, 0.0, 0.5, STEPS["newton"])
    for values in objective.evaluate(np.zeros((8, mixture.n_scores)), got):
        assert np.isfinite(values).all()


def test_right_censored_rows_travel_without_label():
    _, target = simulate(6)
    assert set(target_fields(target, 6)) == {"label_lower_bound", "label_upper_bound"}


@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("step", ["subject", "newton"])
def test_a_single_score_is_boosted_too(late, step):
    """XGBoost has no label of two columns for one output: an idle one stands beside it."""
    X, target = simulate(11)
    target = Target.of(target.lower, target.upper, entry=0.5 * target.lower * late)
    mixture = Mixture({"exponential": 1}, PARAMETER_ACTIVATIONS["exp"], UniformWeight(1), background=0.01)
    assert mixture.n_scores == 1
    fields = target_fields(target, 1)
    matrix = build_matrix(X, names=None, types=None, fields=fields, settings=SETTINGS)
    booster, history = boost(
        Objective(mixture, 0.0, 0.5, STEPS[step]), np.zeros(1), matrix, 5, {**SETTINGS, "learning_rate": 0.1}
    )
    assert history["train_loss"][-1] < history["train_loss"][0]
    np.testing.assert_array_equal(predict_scores(booster, matrix)[:, 1], 0.0)


def test_first_order_hessian_is_the_portion_of_the_subject():
    target = every_kind()
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"], 0.1, 3)
    fields = target_fields(target, mixture.n_scores)
    matrix = build_matrix(np.arange(8.0)[:, None], names=None, types=None, fields=fields)
    for step in ("subject", "max"):
        hessian = Objective(mixture, 0.0, 0.5, STEPS[step])(np.zeros((8, mixture.n_scores), np.float32), matrix)[1]
        np.testing.assert_allclose(hessian, np.repeat(target.mass[:, None], mixture.n_scores, axis=1), rtol=1e-6)


def test_validation_loss_with_a_limit_survives_one_wild_subject():
    _, target = simulate(5)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    objective = Objective(mixture, 0.0, 0.5, STEPS["newton"])
    start = np.tile(random_start(mixture, target, np.random.default_rng(0)), (len(target), 1))
    loss = objective.limited_loss(start, target, 3.0)
    assert loss(start) == pytest.approx(objective.mean_loss(start, target))
    assert loss(start + 0.01) == pytest.approx(objective.mean_loss(start + 0.01, target))
    wild = start.copy()
    wild[0, 0] += 20.0  # a scale that nobody survives
    assert objective.mean_loss(wild, target) > objective.mean_loss(start, target) + 100.0
    assert loss(wild) == pytest.approx(objective.mean_loss(start, target) + 3.0 / len(target))
