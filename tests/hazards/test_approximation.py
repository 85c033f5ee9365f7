"""Bounded heads with positive weights approximate every hazard, all others do not: docs/approximation.md."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import nnls

from hazboost.hazards.heads import HEADS

LAST, FIRST = 1.0, 0.05
TIMES = np.linspace(FIRST, LAST, 400)


def bimodal(t):
    """Two bursts of risk, after an operation and at a relapse, and hardly any between them."""
    return np.exp(-0.5 * ((t - 0.25) / 0.05) ** 2) + 0.7 * np.exp(-0.5 * ((t - 0.7) / 0.08) ** 2)


def oscillating(t):
    """Seasons: the hazard touches zero three times."""
    return 1.0 + np.cos(6.0 * np.pi * t)


def guarantee_time(t):
    """No event is possible until 0.4."""
    return 5.0 * np.maximum(t - 0.4, 0.0)


HAZARDS = [bimodal, oscillating, guarantee_time]
SHAPES = (10.0, 40.0, 160.0, 640.0)
UNBOUNDED = [head for head in HEADS.values() if head.cumulative_limit == np.inf]
hazards = pytest.mark.parametrize("hazard", HAZARDS, ids=lambda hazard: hazard.__name__)


def construct(hazard, k, times):
    """Hazard and cumulative hazard of the sum of bounded heads of the proof, which are 1.5 / k apart in log-time."""
    u = np.arange(np.log(0.2 * FIRST / k), np.log(1.5 * LAST), 1.5 / k)
    # After the last time the hazard is continued by its last value.
    weight = hazard(np.minimum(np.exp(u), LAST)) * np.exp(u) * 1.5 / k
    at = HEADS["bounded"].evaluate(np.log(times)[:, None], -k * u, np.log(k))
    return np.exp(at.log_hazard) @ weight, at.cumulative @ weight


@hazards
def test_hazards_of_bounded_heads_come_arbitrarily_close(hazard):
    errors = [np.abs(construct(hazard, k, TIMES)[0] - hazard(TIMES)).max() for k in SHAPES]
    # Steps of four in k: a fourth of the error at a kink, a sixteenth elsewhere.
    assert all(3.0 * finer < coarser for coarser, finer in itertools.pairwise(errors))
    assert errors[-1] < 0.006


@hazards
def test_survival_of_bounded_heads_comes_arbitrarily_close_at_all_times(hazard):
    times = np.linspace(1e-9, LAST, 41)
    pieces = [quad(hazard, *ends, epsabs=1e-12)[0] for ends in itertools.pairwise(times)]
    expected = np.exp(-np.cumsum([0.0, *pieces]))
    errors = [np.abs(np.exp(-construct(hazard, k, times)[1]) - expected).max() for k in SHAPES]
    assert all(3.0 * finer < coarser for coarser, finer in itertools.pairwise(errors))
    assert errors[-1] < 1e-4


@pytest.mark.parametrize("head", UNBOUNDED, ids=lambda head: head.name)
@given(data=st.data())
def test_t_times_the_hazard_of_all_other_families_never_falls(head, data):
    parameters = [data.draw(st.floats(-3.0, 3.0), label=one.name) for one in head.parameters]
    log_t = np.linspace(-8.0, 3.0, 200)
    log_product = head.evaluate(log_t, *parameters).log_hazard + log_t
    assert (np.diff(log_product) >= -1e-12 * (1.0 + np.abs(log_product[1:]))).all()


def smallest_error(hazard):
    """A bound below the error of every hazard for which ``t h(t)`` never falls; see docs/approximation.md."""
    product = TIMES * hazard(TIMES)
    shortfall = (product[:, None] - product) / (TIMES[:, None] + TIMES)
    return np.triu(shortfall).max()


def error_of_best_sum(families, hazard):
    """Largest error of the best sum, in least squares, of many heads with weights that are not negative."""
    grid = np.meshgrid(np.log(np.geomspace(0.2, 60.0, 12)), np.log(np.geomspace(FIRST, 4.0 * LAST, 40)))
    log_k, log_scale = (values.ravel() for values in grid)
    parameters = -np.exp(log_k) * log_scale, log_k
    heads = [HEADS[name].evaluate(np.log(TIMES)[:, None], *parameters) for name in families]
    log_hazard = np.concatenate([head.log_hazard for head in heads], axis=1)
    scaled = np.exp(log_hazard - log_hazard.max(axis=0))  # weights do not depend on the size of a column
    weights, _ = nnls(scaled, hazard(TIMES))
    return np.abs(scaled @ weights - hazard(TIMES)).max()


@pytest.mark.parametrize("hazard", [bimodal, oscillating], ids=lambda hazard: hazard.__name__)
def test_other_heads_with_positive_weights_cannot_follow_a_hazard_that_falls_back_to_zero(hazard):
    bound = smallest_error(hazard)
    assert bound > 0.35
    assert error_of_best_sum(["weibull", "loglogistic"], hazard) >= bound
    assert error_of_best_sum(["bounded"], hazard) < 0.25 * bound


def test_the_bound_of_the_error_is_none_for_a_hazard_that_others_can_follow():
    assert smallest_error(guarantee_time) == 0.0
    assert error_of_best_sum(["weibull", "loglogistic"], guarantee_time) < 0.03
