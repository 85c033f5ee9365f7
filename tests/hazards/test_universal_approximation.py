"""The paper's theorem: Weibull heads with identity weights come arbitrarily close to any continuous hazard."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "universal_approximation.py"
spec = importlib.util.spec_from_file_location("universal_approximation", SCRIPT)
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)


@pytest.mark.parametrize(("name", "enough", "limit"), [("bathtub", 8, 1e-3), ("oscillation", 12, 1e-3)])
def test_enough_heads_reach_a_small_error_everywhere(name, enough, limit):
    hazard = example.TARGETS[name]
    assert example.relative_sup_error(hazard, example.approximate(hazard, enough)) < limit


@pytest.mark.parametrize("name", list(example.TARGETS))
def test_error_falls_with_the_number_of_heads(name):
    hazard = example.TARGETS[name]
    errors = [example.relative_sup_error(hazard, example.approximate(hazard, n)) for n in (2, 4, 8, 16)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-5


@pytest.mark.parametrize("name", list(example.TARGETS))
def test_weights_of_both_signs_are_needed(name):
    weights = example.approximate(example.TARGETS[name], 12).scores[0, -12:]
    assert weights.min() < 0.0 < weights.max()


@pytest.mark.parametrize("name", list(example.TARGETS))
def test_cumulative_hazard_is_the_integral_of_the_target(name):
    hazard = example.TARGETS[name]
    distribution = example.approximate(hazard, 16)
    times = np.array([0.0, 1.0, 3.7, example.HORIZON])
    expected = [quad(hazard, 0.0, time)[0] for time in times]
    np.testing.assert_allclose(distribution.cumulative_hazard(times)[0], expected, rtol=1e-6)


def test_clipped_approximation_of_a_hazard_that_touches_zero():
    """Few heads overshoot below zero; the clipped hazard is then nearer to the target than the polynomial is."""

    def hazard(t):
        return 0.1 * (1.0 + np.cos(4.0 * np.pi * np.asarray(t) / example.HORIZON))

    distribution = example.approximate(hazard, 9)
    times = np.linspace(0.0, example.HORIZON, 2001)
    weights, shapes = distribution.scores[0, -9:], np.arange(1, 10)
    polynomial = (shapes * (times[:, None] / example.HORIZON) ** (shapes - 1)) @ weights / example.HORIZON
    clipped = distribution.hazard(times)[0]
    assert polynomial.min() < 0.0 <= clipped.min()
    np.testing.assert_allclose(clipped, np.maximum(polynomial, 0.0), atol=1e-9)
    steps = 0.5 * (clipped[1:] + clipped[:-1]) * np.diff(times)
    np.testing.assert_allclose(distribution.cumulative_hazard(times)[0][1:], np.cumsum(steps), atol=1e-5)


@pytest.fixture(scope="module")
def simulated():
    return example.simulate(example.bathtub, 1_000_000, np.random.default_rng(1))


def test_maximum_likelihood_finds_the_bathtub(simulated):
    errors = [example.relative_sup_error(example.bathtub, example.fit_by_likelihood(simulated, n)) for n in (2, 4, 8)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.03


def test_two_heads_of_fpboost_follow_the_bathtub(simulated):
    times = np.linspace(0.5, example.HORIZON, 200)
    error = np.abs(example.fit_fpboost(simulated)(times) - example.bathtub(times))
    assert error.max() < 0.05 * example.bathtub(times).max()
