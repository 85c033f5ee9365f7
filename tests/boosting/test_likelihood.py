"""The likelihood: every head with every activation against finite differences and extreme values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hazboost.boosting.penalty import elastic_net
from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.heads import HEADS
from tests.rows import loss_of_rows

COMBINATIONS = [*({name: 1} for name in HEADS), {"weibull": 3}, dict.fromkeys(HEADS, 1)]
combinations = pytest.mark.parametrize(
    "counts", COMBINATIONS, ids=lambda counts: "+".join(f"{n}{name}" for name, n in counts.items())
)
parameter_activations = pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
weight_activations = pytest.mark.parametrize("weight", [*WEIGHT_ACTIVATIONS, "uniform"])


def observed(times, event):
    times = np.asarray(times, dtype=float)
    return Target.of(times, np.where(event, times, np.inf), np.ones_like(times))


def draw_scores(rng, mixture, n):
    """Ordinary scores away from ReLU's kink; some heads dead."""
    scores = rng.uniform(-1.2, 1.2, size=(n, mixture.n_scores))
    near_kink = np.abs(scores) < 0.05
    return np.where(near_kink, 0.1, scores)


def assert_gradient_is_right(mixture, scores, target, differentiate, is_smooth):
    loss, gradient, _ = loss_of_rows(mixture, scores, target)
    step = 2e-5 if mixture.weight_activation.signed else 2e-4  # two zeros may be about to meet
    smooth = is_smooth(mixture, scores, target.lower)
    for column, direction in enumerate(np.eye(mixture.n_scores)):
        expected = differentiate(lambda x, d=direction: loss_of_rows(mixture, scores + x * d, target).value, 0.0, step)
        rounding = 1e-10 * (1.0 + np.abs(loss))
        error = np.abs(gradient[:, column] - expected)
        assert (error <= 1e-5 * np.abs(expected) + rounding)[smooth].all()


@combinations
@parameter_activations
@weight_activations
def test_gradient_is_that_of_finite_differences(make_mixture, differentiate, is_smooth, counts, parameter, weight):
    mixture = make_mixture(counts, parameter, weight)
    rng = np.random.default_rng(5)
    times = np.concatenate([[1e-6, 1e-3], np.linspace(0.05, 1.3, 12)]).repeat(2)
    target = observed(times, np.arange(28) % 2 == 0)
    assert_gradient_is_right(mixture, draw_scores(rng, mixture, 28), target, differentiate, is_smooth)


@parameter_activations
@weight_activations
@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), log_t=st.floats(-7.0, 1.0), event=st.booleans())
def test_gradient_for_random_scores_and_times(
    make_mixture, differentiate, is_smooth, parameter, weight, seed, log_t, event
):
    mixture = make_mixture({"weibull": 2, "loglogistic": 1}, parameter, weight)
    scores = 1.5 * draw_scores(np.random.default_rng(seed), mixture, 1)
    assert_gradient_is_right(mixture, scores, observed([np.exp(log_t)], event), differentiate, is_smooth)


@combinations
def test_loss_is_the_negative_log_likelihood(make_mixture, counts):
    mixture = make_mixture(counts, "exp", "identity")
    rng = np.random.default_rng(6)
    scores = rng.uniform(0.1, 1.0, size=(20, mixture.n_scores))
    times, event = rng.uniform(0.1, 1.0, 20), rng.random(20) < 0.5
    hazard, cumulative = np.zeros(20), np.zeros(20)
    for block in mixture.blocks:
        logs = [scores[:, block.scores(p)] for p in range(len(block.head.parameters))]
        at = block.head.evaluate(np.log(times)[:, None], *logs)
        weight = scores[:, mixture.first_weight_score :][:, block.heads]
        hazard += (weight * np.exp(at.log_hazard)).sum(axis=1)
        cumulative += (weight * at.cumulative).sum(axis=1)
    loss = loss_of_rows(mixture, scores, observed(times, event)).value
    np.testing.assert_allclose(loss, cumulative - event * np.log(hazard), rtol=1e-12)


@combinations
@parameter_activations
@weight_activations
def test_loss_and_gradient_are_finite_for_extreme_scores_and_times(make_mixture, counts, parameter, weight):
    mixture = make_mixture(counts, parameter, weight)
    rng = np.random.default_rng(8)
    extremes = np.array([-1e30, -1e3, -1.0, -1e-40, 0.0, 1e-40, 1.0, 1e3, 1e30])
    times = np.array([0.0, 1e-300, 1e-9, 0.5, 1.0, 1e3]).repeat(2)
    target = observed(np.tile(times, 30), np.arange(360) % 2 == 0)
    with np.errstate(all="raise", under="ignore"):
        loss, gradient, _ = loss_of_rows(mixture, rng.choice(extremes, size=(360, mixture.n_scores)), target)
    assert np.isfinite(loss).all()
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("name", HEADS)
@weight_activations
def test_censoring_at_zero_tells_nothing(make_mixture, name, weight):
    """``H(0) = 0`` for every shape, also one so small that ``t^k`` is not small at the smallest time."""
    mixture = make_mixture({name: 2}, "relu", weight)
    logs = np.log([1.0, 0.5, 1e-3, 1e-2, 1.0, 2.0])[: 2 * len(HEADS[name].parameters)]
    n_weights = mixture.n_scores - mixture.first_weight_score
    scores = np.array([[*mixture.parameter_activation.inverse(logs), *np.ones(n_weights)]])
    loss, gradient, _ = loss_of_rows(mixture, scores, observed([0.0], event=False))
    np.testing.assert_allclose(loss, 0.0, atol=1e-12)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)


def test_weights_of_rows_are_left_to_the_caller(make_mixture):
    mixture = make_mixture({"weibull": 1})
    scores = np.ones((2, 3))
    target = observed([0.5, 0.7], event=True)
    heavy = Target.of(target.lower, target.upper, np.array([3.0, 4.0]))
    for plain, weighted in zip(
        loss_of_rows(mixture, scores, target), loss_of_rows(mixture, scores, heavy), strict=True
    ):
        np.testing.assert_array_equal(plain, weighted)


@pytest.mark.parametrize("alpha", [0.3, 2.0])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.3, 1.0])
def test_elastic_net_and_its_gradient(differentiate, alpha, l1_ratio):
    scores = np.random.default_rng(9).choice([-1.5, -0.2, 0.4, 3.0], size=(4, 10))
    penalty, gradient, _ = elastic_net(scores, alpha, l1_ratio)
    by_hand = alpha * np.mean(l1_ratio * np.abs(scores) + (1.0 - l1_ratio) * scores * scores)
    assert penalty.mean() == pytest.approx(by_hand)
    for column, direction in enumerate(np.eye(4)):
        slope = differentiate(lambda x, d=direction: elastic_net(scores + x * d[:, None], alpha, l1_ratio)[0], 0.0)
        np.testing.assert_allclose(gradient[column], slope, rtol=1e-9)


def test_elastic_net_of_strength_zero_vanishes():
    for values in elastic_net(np.array([[1.0, -2.0], [0.0, 1e30]]), 0.0, 0.5):
        np.testing.assert_array_equal(values, 0.0)


@parameter_activations
@weight_activations
@pytest.mark.parametrize("family", list(HEADS))
def test_curvature_is_positive_and_finite_for_extreme_scores(make_mixture, family, parameter, weight):
    mixture = make_mixture({family: 2}, parameter, weight)
    rng = np.random.default_rng(0)
    scores = rng.choice([-1e30, -1e3, -50.0, 0.0, 1e-40, 1e-3, 1.0, 50.0, 1e3, 1e30], size=(500, mixture.n_scores))
    time = rng.choice([0.0, 1e-300, 1e-9, 0.5, 1.0, 1e3], 500)
    target = Target.of(time, np.where(rng.random(500) < 0.6, time, np.inf), np.ones(500))
    with np.errstate(all="raise", under="ignore"):
        curvature = loss_of_rows(mixture, scores, target).curvature
    assert np.isfinite(curvature).all()
    assert (curvature >= 0.0).all()


@pytest.mark.parametrize("n_causes", [1, 2])
@pytest.mark.parametrize("family", list(HEADS))
def test_curvature_of_the_level_is_the_second_derivative_plus_the_event(make_mixture, differentiate, family, n_causes):
    mixture = make_mixture({family: 2}, "exp", "scaled_softmax", n_causes)
    rng = np.random.default_rng(1)
    scores, time, cause = rng.normal(size=(40, mixture.n_scores)), rng.uniform(0.05, 1.0, 40), np.arange(40) % 3
    cause = np.where(cause <= n_causes, cause, 0)
    target = Target.of(time, np.where(cause > 0, time, np.inf), cause=cause)
    curvature = loss_of_rows(mixture, scores, target).curvature
    for number, level in enumerate(mixture.scales, start=1):
        second = differentiate(lambda x, d=level: loss_of_rows(mixture, scores + x * d, target).gradient @ d, 0.0)
        np.testing.assert_allclose(curvature @ level, second + (cause == number), rtol=1e-7)


def test_curvature_of_an_exponential_log_scale_is_the_second_derivative_plus_the_event(make_mixture):
    mixture = make_mixture({"exponential": 1}, "exp", "uniform")
    scores, time, event = np.array([[-1.0], [0.5]]), np.array([0.3, 2.0]), np.array([True, False])
    curvature = loss_of_rows(mixture, scores, observed(time, event)).curvature
    np.testing.assert_allclose(curvature[:, 0], np.exp(scores[:, 0]) * time + event, rtol=1e-14)
