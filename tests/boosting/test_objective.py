"""The objective: blocks, threads, and what the trees are fitted to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hazboost.boosting.likelihood import RowLoss, row_loss
from hazboost.boosting.objective import Objective
from hazboost.boosting.observed import Observed
from hazboost.boosting.penalty import elastic_net
from hazboost.boosting.steps import STEPS
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads import HEADS
from hazboost.hazards.heads.base import CURVATURE, GRADIENT, USUAL_LOG_SHAPE, VALUE
from hazboost.hazards.mixture import Mixture, columns
from tests.rows import loss_of_rows

N = 160
#: Of every kind.
ROWS = 42


def simulate(seed: int, n: int = N) -> Target:
    rng = np.random.default_rng(seed)
    time = np.clip(rng.weibull(1.3, n), 0.01, 3.0) / 3.0
    return Target.of(time, np.where(rng.random(n) < 0.7, time, np.inf), np.linspace(0.5, 2.0, n))


def every_kind(seed: int, weight: np.ndarray | None = None) -> Target:
    """Two causes; exact, right-censored and interval-censored rows, some with delayed entry, two for each subject."""
    rng = np.random.default_rng(seed)
    lower, kind = rng.uniform(0.2, 1.2, ROWS), np.arange(ROWS) % 3
    upper = np.choose(kind, [lower, np.full(ROWS, np.inf), 1.5 * lower])
    entry = np.where(np.arange(ROWS) % 2 == 1, 0.5 * lower, 0.0)
    cause = np.where(kind == 0, rng.integers(1, 3, ROWS), 0)
    return Target.of(lower, upper, weight, entry=entry, cause=cause, subject=np.arange(ROWS) // 2)


def make_objective(step="newton", weight="scaled_softmax", alpha=0.0, n_threads=1, caution=4.0):
    counts = {"weibull": 1, "lognormal": 1}
    mixture = Mixture(counts, PARAMETER_ACTIVATIONS["softplus"], WEIGHT_ACTIVATIONS[weight], 0.01, 2)
    return Objective(mixture, alpha, 0.3, STEPS[step], caution, n_threads)


def draw_scores(objective, n=ROWS):
    return np.random.default_rng(0).normal(size=(n, objective.mixture.n_scores))


def by_hand(objective, scores, target):
    """Loss, gradient and curvature of each row, from the likelihood and the penalty of all rows at once."""
    parts = loss_of_rows(objective.mixture, scores, target)
    penalty = elastic_net(scores.T, objective.alpha, objective.l1_ratio)
    return RowLoss(*(part + (extra * target.portion).T for part, extra in zip(parts, penalty, strict=True)))


def residuals(objective, scores, target):
    """Gradient and hessian for the trees, as `boost` passes them on, and the sums over all rows."""
    room = objective.allocate_residuals(scores)
    sums = objective.pseudo_residuals(scores, objective.observe(target), room)
    gradient = room.gradient / (sums.largest if objective.step.by_largest else 1.0)
    return gradient, room.hessian, sums


@pytest.fixture(params=[1, 7, ROWS - 1, ROWS, 10 * ROWS], ids="blocks of {}".format)
def _block(request, monkeypatch):
    for name in ("BLOCK", "LARGEST_BLOCK"):
        monkeypatch.setattr(f"hazboost.boosting.objective.{name}", request.param)


@pytest.mark.usefixtures("_block")
@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("weight", ["scaled_softmax", "identity"])
def test_blocks_and_threads_give_the_likelihood_of_all_rows(n_threads, alpha, weight):
    target = every_kind(5, np.linspace(0.5, 2.0, ROWS))
    objective = make_objective(weight=weight, alpha=alpha, n_threads=n_threads)
    scores = draw_scores(objective)
    expected, rows = by_hand(objective, scores, target), objective.observe(target)
    assert len(rows) == ROWS
    np.testing.assert_allclose(objective.losses(scores, rows), expected.value, rtol=1e-12)
    assert objective.mean_loss(scores, rows) == pytest.approx(target.mean(expected.value), rel=1e-12)
    gradient, hessian, sums = residuals(objective, scores, target)
    row_weight = target.weight[:, None]
    np.testing.assert_allclose(gradient, expected.gradient * objective.gradient_factor.T * row_weight, rtol=1e-6)
    np.testing.assert_allclose(hessian, expected.curvature * row_weight, rtol=1e-6)
    assert gradient.dtype == hessian.dtype == np.float32
    assert sums.loss / sums.mass == pytest.approx(target.mean(expected.value), rel=1e-12)
    assert sums.mass == pytest.approx(target.mass.sum())


@pytest.mark.usefixtures("_block")
@pytest.mark.parametrize("alpha", [0.0, 0.7])
def test_blocks_and_threads_give_the_largest_gradient_of_all_rows(alpha):
    target = every_kind(6, np.linspace(0.5, 2.0, ROWS))
    objective = make_objective("max", alpha=alpha, n_threads=2)
    scores = draw_scores(objective)
    expected = by_hand(objective, scores, target).gradient
    gradient, hessian, sums = residuals(objective, scores, target)
    assert sums.largest == pytest.approx(np.abs(expected).max(), rel=1e-12)
    np.testing.assert_allclose(gradient, expected * target.weight[:, None] / np.abs(expected).max(), rtol=1e-12)
    np.testing.assert_allclose(hessian, np.repeat(target.mass[:, None], scores.shape[1], axis=1), rtol=1e-6)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("weight", ["scaled_softmax", "identity"])
def test_threads_do_not_change_a_bit(monkeypatch, step, weight):
    monkeypatch.setattr("hazboost.boosting.objective.BLOCK", 7)
    target, objective = every_kind(7), make_objective(step, weight, 0.1)
    scores = draw_scores(objective)
    one, three = (residuals(replace(objective, n_threads=n), scores, target) for n in (1, 3))
    for left, right in zip(one, three, strict=True):
        np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("step", STEPS)
def test_room_is_filled_anew(step):
    """What an earlier round has left in it does not matter."""
    target, objective = every_kind(8), make_objective(step)
    scores, rows = draw_scores(objective), objective.observe(target)
    fresh, used = objective.allocate_residuals(scores), objective.allocate_residuals(scores)
    objective.pseudo_residuals(scores + 1.0, rows, used)
    for room in (fresh, used):
        objective.pseudo_residuals(scores, rows, room)
    for one, other in zip(fresh, used, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("step", STEPS)
def test_weights_of_one_are_no_weights(step):
    """Whether they are left out, or computed with because one row differs and belongs to another block."""
    objective = make_objective(step)
    target, scores = every_kind(9), draw_scores(objective)
    assert all(observed.weight is None for _, observed in objective.observe(target).blocks)
    without, rows = objective.allocate_residuals(scores), objective.observe(target)
    blocks = tuple((rows, replace(observed, weight=np.ones(len(observed)))) for rows, observed in rows.blocks)
    ones, weighted = objective.allocate_residuals(scores), replace(rows, blocks=blocks)
    sums = [objective.pseudo_residuals(scores, *pair) for pair in ((rows, without), (weighted, ones))]
    for one, other in zip(without, ones, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(sums[0], sums[1], rtol=1e-14)
    assert objective.mean_loss(scores, rows) == pytest.approx(objective.mean_loss(scores, weighted), rel=1e-14)


@pytest.mark.parametrize("order", [VALUE, GRADIENT, CURVATURE])
def test_a_penalty_of_strength_zero_is_none(order):
    """The likelihood alone, bit by bit, whatever the mixing, and the limit of ever weaker penalties."""
    target, objective = every_kind(10), make_objective()
    scores, observed = columns(draw_scores(objective)), Observed.of(target, 2)
    plain = row_loss(objective.mixture, scores, observed, order)
    for alpha, l1_ratio, tolerance in ((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1e-300, 0.5, 0.0), (1e-9, 0.5, 1e-7)):
        loss = replace(objective, alpha=alpha, l1_ratio=l1_ratio).row_loss(scores, observed, order)
        for one, other in zip(loss, plain, strict=True):
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
@pytest.mark.parametrize("weight", ["scaled_softmax", "identity"])
def test_no_rows_have_no_losses(alpha, weight):
    objective = make_objective(weight=weight, alpha=alpha)
    target, scores = every_kind(11)[np.arange(0)], draw_scores(objective, 0)
    assert objective.losses(scores, objective.observe(target)).shape == (0,)
    gradient, hessian, sums = residuals(objective, scores, target)
    assert gradient.shape == hessian.shape == scores.shape
    assert sums == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@pytest.mark.parametrize("weight", WEIGHT_ACTIVATIONS)
def test_residuals_stay_within_single_precision(step, parameter, weight):
    """And the hessian of a Newton step no smaller than the gradient, where the curvature is not."""
    mixture = Mixture(dict.fromkeys(HEADS, 1), PARAMETER_ACTIVATIONS[parameter], WEIGHT_ACTIVATIONS[weight], 0.01, 2)
    objective, target = Objective(mixture, 0.0, 0.5, STEPS[step]), every_kind(12, np.linspace(0.5, 2.0, ROWS))
    scores = np.random.default_rng(0).choice([-1e30, -50.0, 0.0, 1.0, 5.0, 50.0, 1e30], size=(ROWS, mixture.n_scores))
    with np.errstate(all="raise", under="ignore"):
        gradient, hessian, _ = residuals(objective, scores, target)
    assert np.isfinite(gradient).all()
    assert np.isfinite(hessian).all()
    if step == "newton":
        loss = loss_of_rows(mixture, scores, target)
        bounded = np.abs(loss.gradient) <= loss.curvature
        assert bounded.mean() > 0.9
        assert (np.abs(gradient) <= hessian * (1.0 + 1e-6))[bounded].all()


def test_scaling_makes_the_largest_pseudo_residual_one():
    mixture = Mixture({"weibull": 2}, PARAMETER_ACTIVATIONS["relu"], WEIGHT_ACTIVATIONS["relu"])
    target = Target.of(*(getattr(simulate(4), name) for name in ("lower", "upper")))
    scores = np.random.default_rng(0).uniform(0.5, 1.5, size=(N, mixture.n_scores))
    scaled, hessian, _ = residuals(Objective(mixture, 0.0, 0.5, STEPS["max"]), scores, target)
    plain, *_ = residuals(Objective(mixture, 0.0, 0.5, STEPS["subject"]), scores, target)
    assert np.abs(scaled).max() == pytest.approx(1.0)
    np.testing.assert_allclose(scaled * np.abs(plain).max(), plain, rtol=1e-6)
    np.testing.assert_array_equal(hessian, 1.0)


@pytest.mark.parametrize("weight", ["scaled_softmax", "softmax"])
def test_newton_takes_shorter_steps_for_all_but_what_scales_the_hazard(weight):
    """The gradient is divided; the hessian, with which reg_lambda and min_child_weight are compared, is not touched."""
    target = simulate(12)
    mixture = Mixture({"weibull": 2}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS[weight], 0.01, 2)
    scores = np.random.default_rng(0).normal(size=(N, mixture.n_scores))
    loss, row_weight = loss_of_rows(mixture, scores, target), target.weight[:, None]
    gradient, hessian, _ = residuals(Objective(mixture, 0.0, 0.5, STEPS["newton"], 8.0), scores, target)
    scaling = mixture.scales.any(axis=0)
    assert scaling.sum() == (2 if weight == "scaled_softmax" else 4)
    np.testing.assert_allclose(hessian, loss.curvature * row_weight, rtol=1e-6)
    np.testing.assert_allclose(gradient[:, scaling], (loss.gradient * row_weight)[:, scaling], rtol=1e-6)
    steep = np.where(mixture.of_role("shape"), np.maximum(scores - USUAL_LOG_SHAPE, 0.0), 0.0)
    assert steep.any()
    shorter = np.exp(-steep) * loss.gradient * row_weight / 8.0
    np.testing.assert_allclose(gradient[:, ~scaling], shorter[:, ~scaling], rtol=1e-6)


def test_first_order_hessian_is_the_portion_of_the_subject():
    target = Target.of(
        np.array([0.4, 0.9, 1.0]),
        np.array([np.inf, 0.9, np.inf]),
        entry=np.array([0.0, 0.4, 0.0]),
        subject=np.array([0, 0, 1]),
    )
    mixture = Mixture({"weibull": 1}, PARAMETER_ACTIVATIONS["exp"], WEIGHT_ACTIVATIONS["exp"], 0.1)
    for step in ("subject", "max"):
        objective = Objective(mixture, 0.0, 0.5, STEPS[step])
        hessian = residuals(objective, np.zeros((3, mixture.n_scores)), target)[1]
        np.testing.assert_allclose(hessian, np.repeat([[4 / 9], [5 / 9], [1.0]], mixture.n_scores, axis=1), rtol=1e-6)
