"""Hazards with negative weights: clipped at zero and integrated as clipped."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import integrate, optimize

from hazboost.data.target import Target
from hazboost.hazards.activations import PARAMETER_ACTIVATIONS, WEIGHT_ACTIVATIONS
from hazboost.hazards.clipping import find_zeros
from hazboost.hazards.distribution import Distribution
from hazboost.hazards.heads import HEADS
from tests.rows import loss_of_rows

SIGNED = [name for name, activation in WEIGHT_ACTIVATIONS.items() if activation.signed]
COMBINATIONS = [*({name: 3} for name in HEADS if name != "exponential"), dict.fromkeys(HEADS, 1)]
signed = pytest.mark.parametrize("weight", SIGNED)
combinations = pytest.mark.parametrize("counts", COMBINATIONS, ids="+".join)


def draw_scores(mixture, n, seed):
    return np.random.default_rng(seed).normal(size=(n, mixture.n_scores))


def raw_hazard(mixture, scores):
    """``t h(t)`` of one subject as a function of log t, not clipped, term by term."""
    weight = mixture.weight_activation(scores[mixture.first_weight_score :, None]).value[:, 0]

    def hazard(log_t):
        log_t = np.asarray(log_t)[..., None]
        total = 0.0
        for block in mixture.blocks:
            logs = [scores[block.scores(p)] for p in range(len(block.head.parameters))]
            total = total + np.exp(block.head.evaluate(log_t, *logs).log_hazard + log_t) @ weight[block.heads]
        return total

    return hazard


def integral_of_clipped(hazard, end):
    """Quadrature in log t between sign changes that are looked for independently."""
    grid = np.log(end) - np.concatenate([[0.0], np.geomspace(1e-4, 300.0, 5000)])[::-1]
    positive = hazard(grid) > 0.0
    changes = np.flatnonzero(positive[1:] != positive[:-1])
    zeros = [optimize.brentq(hazard, grid[i], grid[i + 1], xtol=1e-13) for i in changes]
    ends = np.sort([*grid[:: len(grid) // 12], grid[-1], *zeros])
    total = 0.0
    for low, high in itertools.pairwise(ends):
        if hazard(0.5 * (low + high)) > 0.0:
            total += integrate.quad(hazard, low, high, epsrel=1e-9, limit=200)[0]
    return total, len(zeros)


@signed
@combinations
def test_cumulative_hazard_is_the_integral_of_the_clipped_hazard(make_mixture, counts, weight):
    mixture = make_mixture(counts, "exp", weight)
    scores, crossings = draw_scores(mixture, 6, seed=7), 0
    for row in scores:
        found = Distribution(mixture, row[None]).cumulative_hazard(np.array([1.5]))[0, 0]
        if (mixture.parameters(row[:, None]).weight <= 0.0).all():
            assert found == pytest.approx(1.5 * mixture.background)
            continue
        expected, zeros = integral_of_clipped(raw_hazard(mixture, row), 1.5)
        crossings += zeros
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert crossings > 0


@pytest.mark.parametrize("time", [0.03, 0.1, 0.5, 0.95, 1.6, 3.1, 4.5, 6.0, 12.0, 25.0, 45.0])
@pytest.mark.parametrize("k", [6.0, 12.0])
def test_a_short_break_of_the_risk_is_found_at_any_time_that_matters(make_mixture, time, k):
    """A constant hazard minus a burst; times are in longest follow-ups or in median event times."""
    mixture = make_mixture({"exponential": 1, "bounded": 1}, "exp", "identity")
    row = np.array([np.log(0.3 / time), -k * np.log(time), np.log(k), 1.0, -1.0])
    expected, zeros = integral_of_clipped(raw_hazard(mixture, row), 3.0 * time)
    assert zeros == 2
    found = Distribution(mixture, row[None]).cumulative_hazard(np.array([3.0 * time]))
    assert found[0, 0] == pytest.approx(expected, rel=1e-6)


def falling_line(make_mixture):
    """``h(t) = 1 - 4 t``: an exponential head minus a Weibull head with k = 2."""
    mixture = make_mixture({"weibull": 1, "exponential": 1}, "exp", "identity")
    return mixture, np.array([[np.log(2.0), np.log(2.0), 0.0, -1.0, 1.0]])


def test_falling_line_in_closed_form(make_mixture):
    mixture, scores = falling_line(make_mixture)
    times = np.array([0.0, 0.1, 0.25, 0.3, 1.0, 100.0])
    distribution = Distribution(mixture, scores)
    np.testing.assert_allclose(distribution.hazard(times)[0], np.maximum(1.0 - 4.0 * times, 0.0), atol=1e-12)
    expected = np.where(times < 0.25, times - 2.0 * times**2, 0.125)
    np.testing.assert_allclose(distribution.cumulative_hazard(times)[0], expected, rtol=1e-9, atol=1e-15)


def test_zero_is_found_with_its_direction(make_mixture):
    mixture, scores = falling_line(make_mixture)
    rising = scores * [1.0, 1.0, 1.0, -1.0, -1.0]
    positive = np.abs(scores)
    zeros = find_zeros(mixture, mixture.parameters(np.concatenate([positive, scores, rising]).T))
    assert zeros.row.tolist() == [1, 2]
    np.testing.assert_allclose(zeros.log_t, np.log(0.25), rtol=1e-9)
    assert zeros.sign.tolist() == [1.0, -1.0]


def test_clipped_hazard_leaves_survivors(make_mixture):
    mixture, scores = falling_line(make_mixture)
    distribution = Distribution(mixture, scores)
    survivors = np.exp(-0.125)
    median_of_the_others = distribution.quantile(np.array([0.5 * (1.0 - survivors)]))[0, 0]
    assert 0.0 < median_of_the_others < 0.25
    assert distribution.quantile(np.array([1.1 * (1.0 - survivors)]))[0, 0] == np.inf
    assert distribution.mean()[0] == np.inf
    body = integrate.quad(lambda t: np.exp(-(t - 2.0 * t**2)), 0.0, 0.25)[0]
    assert distribution.restricted_mean(2.0)[0] == pytest.approx(body + 1.75 * survivors, rel=1e-5)


@signed
@combinations
@pytest.mark.parametrize("event", [True, False])
def test_gradient_of_the_clipped_likelihood(make_mixture, differentiate, is_smooth, counts, weight, event):
    mixture = make_mixture(counts, "exp", weight)
    scores = draw_scores(mixture, 40, seed=11)
    times = np.linspace(0.02, 1.0, 40)
    target = Target.of(times, times if event else np.full(40, np.inf), np.ones(40))
    loss, gradient, _ = loss_of_rows(mixture, scores, target)
    weight = mixture.parameters(scores.T).weight
    smooth = is_smooth(mixture, scores, times)
    assert (smooth & (weight < 0.0).any(axis=0)).sum() > 10
    for column in range(mixture.n_scores):
        direction = np.eye(mixture.n_scores)[column]
        expected = differentiate(
            lambda x, d=direction: loss_of_rows(mixture, scores + x * d, target).value, 0.0, step=1e-4
        )
        tolerance = 1e-5 * np.abs(expected) + 1e-10 * (1.0 + np.abs(loss))
        assert (np.abs(gradient[:, column] - expected) <= tolerance)[smooth].all()


def test_event_where_the_hazard_is_clipped_costs_a_finite_loss_that_points_the_way_out(make_mixture):
    mixture, scores = falling_line(make_mixture)
    time = np.array([0.9])
    target = Target.of(time, time, np.ones(1))
    assert Distribution(mixture, scores).hazard(time)[0, 0] == 0.0
    loss, gradient, _ = loss_of_rows(mixture, scores, target)
    assert np.isfinite(loss).all()
    weight_gradient = gradient[0, mixture.first_weight_score :]
    assert (weight_gradient < 0.0).all()
    better = scores.copy()
    better[0, mixture.first_weight_score :] -= 1e-3 * weight_gradient / np.abs(weight_gradient).max()
    assert loss_of_rows(mixture, better, target).value[0] < loss[0]


@pytest.mark.parametrize("parameter", PARAMETER_ACTIVATIONS)
@pytest.mark.parametrize("weight", [*WEIGHT_ACTIVATIONS, "uniform"])
@settings(max_examples=25)
@given(data=st.data())
def test_survival_starts_at_one_never_rises_and_is_a_probability(make_mixture, parameter, weight, data):
    mixture = make_mixture(dict.fromkeys(HEADS, 1), parameter, weight)
    scores = data.draw(arrays(float, (2, mixture.n_scores), elements=st.floats(-3.0, 3.0)))
    times = np.array([0.0, 1e-300, 1e-12, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0, 1.1, 2.0, 10.0, 1e3])
    distribution = Distribution(mixture, scores)
    with np.errstate(all="raise", under="ignore"):
        survival = distribution.survival(times)
        one_by_one = np.concatenate([distribution.survival(times[[i]]) for i in range(len(times))], axis=1)
    for curve, rounding in ((survival, 0.0), (one_by_one, 1e-6)):
        assert (curve[:, 0] == 1.0).all()
        assert ((curve >= 0.0) & (curve <= 1.0)).all()
        assert (np.diff(curve, axis=1) <= rounding).all()


RISKY = {
    "zero long after the follow-up": ({"weibull": 2}, [0.0, 0.0, 0.0, np.log(1.1), 1.0, -0.1]),
    "zero long before the first time": ({"weibull": 2}, [0.0, np.log(2.0), np.log(0.01), np.log(0.012), 1.0, -1.0]),
}
RISKY_TIMES = np.sort(np.concatenate([np.geomspace(1e-200, 1e15, 44), np.linspace(0.97, 1.0, 31)]))


@pytest.mark.parametrize(("counts", "scores"), RISKY.values(), ids=RISKY)
def test_survival_never_rises_between_separate_calls(make_mixture, counts, scores):
    distribution = Distribution(make_mixture(counts, "exp", "identity"), np.array([scores]))
    survival = np.array([distribution.survival(RISKY_TIMES[[i]])[0, 0] for i in range(len(RISKY_TIMES))])
    assert (np.diff(survival) <= 1e-6).all()


def test_survival_never_rises_where_a_dip_is_narrower_than_the_grid(make_mixture):
    scores = [-3e3 * np.log(0.983), -3e3 * np.log(0.987), np.log(3e3), np.log(3e3), 0.0, -1e-3, 1e-3, 1.0]
    mixture = make_mixture({"loglogistic": 2, "exponential": 1}, "exp", "identity")
    survival = Distribution(mixture, np.array([scores])).survival(RISKY_TIMES)[0]
    assert (np.diff(survival) <= 0.0).all()


def test_quantiles_of_a_hazard_that_ends_long_after_the_follow_up(make_mixture):
    counts, scores = RISKY["zero long after the follow-up"]
    distribution = Distribution(make_mixture(counts, "exp", "identity"), np.array([scores]))
    p = np.array([0.1, 0.5, 0.9, 0.99])
    np.testing.assert_allclose(distribution.survival(distribution.quantile(p)), [1.0 - p], rtol=1e-9)


@signed
@combinations
def test_training_integrates_the_clipped_hazard_as_prediction_does(make_mixture, counts, weight):
    mixture = make_mixture(counts, "exp", weight)
    rng = np.random.default_rng(4)
    scores = rng.normal(0.0, 0.7, size=(200, mixture.n_scores))
    scores = scores[~mixture.parameters(scores.T).without_hazard]
    time = rng.uniform(0.05, 1.0, len(scores))
    loss = loss_of_rows(mixture, scores, Target.of(time, np.full(len(time), np.inf), np.ones(len(time)))).value
    distribution = Distribution(mixture, scores)
    np.testing.assert_allclose(loss, distribution.cumulative_hazard(time[:, None])[:, 0], rtol=1e-7, atol=1e-9)
    assert (distribution.hazard(time[:, None]) == 0.0).sum() > 5, (
        "some hazards must be clipped for this to mean anything"
    )
