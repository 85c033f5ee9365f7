"""The objective: blocks, threads, and what the trees are fitted to."""

from __future__ import annotations

import numpy as np
import pytest

from hazboost.boosting.likelihood import row_loss
from hazboost.boosting.objective import Objective
from hazboost.boosting.steps import STEPS
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.mixture import Mixture

N = 160


def simulate(seed: int, n: int = N) -> Target:
    rng = np.random.default_rng(seed)
    time = np.clip(rng.weibull(1.3, n), 0.01, 3.0) / 3.0
    return Target.of(time, np.where(rng.random(n) < 0.7, time, np.inf), np.linspace(0.5, 2.0, n))


def test_threads_and_blocks_do_not_change_the_gradient(monkeypatch):
    target = simulate(5)
    mixture = Mixture({"weibull": 1, "lognormal": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["softmax"])
    scores = np.random.default_rng(0).normal(size=(N, mixture.n_scores))
    whole = Objective(mixture, 0.1, 0.5, STEPS["subject"]).evaluate(scores, target)
    monkeypatch.setattr("hazboost.boosting.objective.BLOCK", 7)
    parts = Objective(mixture, 0.1, 0.5, STEPS["subject"], n_threads=3).evaluate(scores, target)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)


def residuals(step, mixture, scores, target, caution=16.0):
    objective = Objective(mixture, 0.0, 0.5, STEPS[step], caution)
    return objective.pseudo_residuals(objective.evaluate(scores, target), target)


def test_scaling_makes_the_largest_pseudo_residual_one():
    mixture = Mixture({"weibull": 2}, PARAMETER_ACTIVATIONS["relu"], WEIGHT_ACTIVATIONS["relu"])
    target = Target.of(*(getattr(simulate(4), name) for name in ("lower", "upper")))
    scores = np.random.default_rng(0).uniform(0.5, 1.5, size=(N, mixture.n_scores))
    scaled, hessian = residuals("max", mixture, scores, target)
    plain, _ = residuals("subject", mixture, scores, target)
    assert np.abs(scaled).max() == pytest.approx(1.0)
    np.testing.assert_allclose(scaled * np.abs(plain).max(), plain)
    np.testing.assert_array_equal(hessian, 1.0)


@pytest.mark.parametrize("weight", ["scaled_softmax", "softmax"])
def test_newton_takes_shorter_steps_for_all_but_what_scales_the_hazard(weight):
    """The gradient is divided; the hessian, with which reg_lambda and min_child_weight are compared, is not touched."""
    target = simulate(12)
    mixture = Mixture({"weibull": 2}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS[weight], 0.01, 2)
    scores = np.random.default_rng(0).normal(size=(N, mixture.n_scores))
    loss, row_weight = row_loss(mixture, scores, target), target.weight[:, None]
    gradient, hessian = residuals("newton", mixture, scores, target, caution=8.0)
    scaling = mixture.scales.any(axis=0)
    assert scaling.sum() == (2 if weight == "scaled_softmax" else 4)
    np.testing.assert_allclose(hessian, loss.curvature * row_weight)
    np.testing.assert_allclose(gradient[:, scaling], (loss.gradient * row_weight)[:, scaling])
    np.testing.assert_allclose(gradient[:, ~scaling], (loss.gradient * row_weight)[:, ~scaling] / 8.0)


def test_first_order_hessian_is_the_portion_of_the_subject():
    target = Target.of(
        np.array([0.4, 0.9, 1.0]),
        np.array([np.inf, 0.9, np.inf]),
        entry=np.array([0.0, 0.4, 0.0]),
        subject=np.array([0, 0, 1]),
    )
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"], 0.1)
    for step in ("subject", "max"):
        hessian = residuals(step, mixture, np.zeros((3, mixture.n_scores)), target)[1]
        np.testing.assert_allclose(hessian, np.repeat([[4 / 9], [5 / 9], [1.0]], mixture.n_scores, axis=1))
