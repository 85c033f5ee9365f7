"""What looks on while trees are grown."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.boosting.algorithm import Round, boost
from hazboost.boosting.callbacks import EarlyStopping, HeldOut, History, concordance, limited_loss, mean_loss
from hazboost.boosting.columns import target_columns
from hazboost.boosting.objective import Objective
from hazboost.boosting.steps import STEPS
from hazboost.data.target import Target
from hazboost.engines import LocalEngine
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.mixture import Mixture
from hazboost.metrics.concordance import harrell
from hazboost.training.starts import random_start

SETTINGS = {"tree_method": "exact", "max_depth": 4, "reg_lambda": 0.0, "learning_rate": 0.4, "nthread": 1}


def simulate(seed: int, n: int = 160) -> tuple[np.ndarray, Target]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(np.float32).astype(np.float64)
    time = np.clip(rng.weibull(1.3, n) * np.exp(-0.5 * X[:, 0]), 0.01, 3.0) / 3.0
    return X, Target.of(time, np.where(rng.random(n) < 0.7, time, np.inf))


@pytest.mark.parametrize("metric", ["loss", "concordance"])
def test_early_stopping_knows_the_best_round(metric):
    (X, target), (X_new, target_new) = simulate(7), simulate(8)
    mixture = Mixture({"weibull": 1, "loglogistic": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["softmax"])
    start = random_start(mixture, target, np.random.default_rng(0))
    engine, objective = LocalEngine(SETTINGS, mixture.n_scores), Objective(mixture, 0.0, 0.5, STEPS["subject"])
    train, validation = (
        engine.matrix(data, np.tile(start, (len(seen), 1)), target_columns(seen))
        for data, seen in ((X, target), (X_new, target_new))
    )
    metrics = {"loss": mean_loss(objective, target_new), "concordance": concordance(objective, target_new, 0.3)}
    history = History(engine, HeldOut(validation, metrics))
    stopping = EarlyStopping(history, metric, patience=3, maximize=metric == "concordance")
    trees = boost(engine, objective, train, 60, [history, stopping])

    watched = np.array(history.values[f"validation_{metric}"][1:]) * (1 if metric == "concordance" else -1)
    best = int(np.argmax(watched)) + 1
    assert stopping.best == best
    assert engine.rounds(trees) == len(watched) == best + 3 < 60
    scores = engine.scores(engine.truncate(trees, best), validation)
    kept = (
        objective.mean_loss(scores, objective.observe(target_new))
        if metric == "loss"
        else harrell(target_new, -Distribution(mixture, scores).restricted_mean(0.3))
    )
    assert kept == pytest.approx(history.values[f"validation_{metric}"][best], abs=1e-5)
    assert history.latest() == {name: history.values[f"validation_{name}"][-1] for name in metrics}


def test_the_start_is_no_candidate_of_early_stopping():
    history = History(None, None)
    stopping = EarlyStopping(history, "loss", patience=2)
    for number, value in enumerate([0.0, 5.0, 4.0, 4.0]):
        history.values.setdefault("validation_loss", []).append(value)
        assert stopping(Round(number, None, 0.0)) is False
    history.values["validation_loss"].append(4.5)
    assert stopping(Round(4, None, 0.0)) is True
    assert stopping.best == 2


def test_a_limited_loss_survives_one_wild_subject():
    _, target = simulate(5)
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["scaled_softmax"])
    objective = Objective(mixture, 0.0, 0.5, STEPS["newton"])
    start = np.tile(random_start(mixture, target, np.random.default_rng(0)), (len(target), 1))
    rows = objective.observe(target)
    loss = limited_loss(objective, target, start, np.full(mixture.n_scores, 0.5), 3.0)
    assert loss(start) == pytest.approx(objective.mean_loss(start, rows))
    assert loss(start + 0.02) == pytest.approx(objective.mean_loss(start + 0.01, rows))  # half of the way
    wild = start.copy()
    wild[0, 0] += 40.0  # a scale under which survival is impossible
    assert objective.mean_loss(wild, rows) > objective.mean_loss(start, rows) + 100.0
    assert loss(wild) == pytest.approx(objective.mean_loss(start, rows) + 3.0 / len(target))
